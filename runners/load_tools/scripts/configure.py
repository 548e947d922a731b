"""configure.py CONF OVERRIDES: writes the settings of a node into the configuration folder of its distribution.

OVERRIDES is JSON: "yaml" is set in cassandra.yaml; "known" only if the file of this version contains the key, commented
out or not; "rackdc" is cassandra-rackdc.properties. Data goes to data/<number>/ of the current folder. JSON is YAML.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Container


def main(conf: str, overrides_path: str) -> None:
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


def folders(base: str) -> dict[str, object]:
    """Data on every disk, everything else on the first."""
    data = os.path.join(base, "data")
    disks = [os.path.join(data, name) for name in sorted(os.listdir(data), key=int)]
    return {
        "data_file_directories": [os.path.join(disk, "cassandra/data") for disk in disks],
        "commitlog_directory": os.path.join(disks[0], "cassandra/commitlog"),
        "saved_caches_directory": os.path.join(disks[0], "cassandra/saved_caches"),
        "hints_directory": os.path.join(disks[0], "cassandra/hints"),
        "cdc_raw_directory": os.path.join(disks[0], "cassandra/cdc_raw"),
    }


def without(text: str, keys: Container[str]) -> str:
    """The YAML text without the blocks of some top-level keys: newer versions refuse duplicate keys."""
    lines, dropping = [], False
    for line in text.splitlines(True):
        match = re.match(r"([A-Za-z_]\w*):", line)
        if match:
            dropping = match.group(1) in keys
        elif dropping and not re.match(r"[ \t-]", line):
            dropping = False  # a comment or an empty line at the margin
        if not dropping:
            lines.append(line)
    joined = "".join(lines)
    return joined if joined.endswith("\n") else joined + "\n"


def write(path: str, text: str) -> None:
    with open(path + ".new", "w") as file:
        file.write(text)
    os.replace(path + ".new", path)


if __name__ == "__main__":
    main(*sys.argv[1:])
