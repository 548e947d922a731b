"""configure.py CONF OVERRIDES: writes a node's settings into its distribution's configuration folder.

OVERRIDES is JSON: "yaml" is set in cassandra.yaml; "known" only where this version's file names the key, commented out
or not; "rackdc" is cassandra-rackdc.properties. Data goes to data/<number>/ of the current folder. JSON is YAML.
"""

import json
import os
import re
import sys


def main(conf, overrides_path):
    with open(overrides_path) as file:
        overrides = json.load(file)
    path = os.path.join(conf, "cassandra.yaml")
    original = path + ".distributed"
    if not os.path.exists(original):
        os.rename(path, original)
    with open(original) as file:
        text = file.read()
    values = folders(os.getcwd())
    values.update(overrides["known"])
    values = {key: value for key, value in values.items() if re.search(rf"(?m)^#? ?{re.escape(key)}:", text)}
    values.update(overrides["yaml"])
    write(path, without(text, values) + "".join(f"{key}: {json.dumps(values[key])}\n" for key in sorted(values)))
    write(
        os.path.join(conf, "cassandra-rackdc.properties"),
        "".join("{}={}\n".format(*pair) for pair in sorted(overrides["rackdc"].items())),
    )


def folders(base):
    """Data on every disk; the rest on the first."""
    data = os.path.join(base, "data")
    disks = [os.path.join(data, name) for name in sorted(os.listdir(data), key=int)]
    return {
        "data_file_directories": [os.path.join(disk, "cassandra/data") for disk in disks],
        "commitlog_directory": os.path.join(disks[0], "cassandra/commitlog"),
        "saved_caches_directory": os.path.join(disks[0], "cassandra/saved_caches"),
        "hints_directory": os.path.join(disks[0], "cassandra/hints"),
        "cdc_raw_directory": os.path.join(disks[0], "cassandra/cdc_raw"),
    }


def without(text, keys):
    """The YAML text less the blocks of some top-level keys: a key twice is an error to the newer versions."""
    kept, dropping = [], False
    for line in text.splitlines(True):
        match = re.match(r"([A-Za-z_]\w*):", line)
        if match:
            dropping = match.group(1) in keys
        elif dropping and not re.match(r"[ \t-]", line):
            dropping = False  # a comment or an empty line at the margin
        if not dropping:
            kept.append(line)
    joined = "".join(kept)
    return joined if joined.endswith("\n") else joined + "\n"


def write(path, text):
    with open(path + ".new", "w") as file:
        file.write(text)
    os.replace(path + ".new", path)


if __name__ == "__main__":
    main(*sys.argv[1:])
