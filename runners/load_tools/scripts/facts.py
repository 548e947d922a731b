"""Prints what a host is, as one small JSON object: processor, memory, disks, kernel, Java. Unknown is null."""

import json
import os
import re
import subprocess
import sys
import time

GIB = 1024.0**3
MAX_DISKS = 26


def main():
    facts = {
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "cpu_model": cpu_model(),
        "vcpus": os.cpu_count(),
        "memory_gib": memory_gib(),
        "kernel": os.uname().release,
        "architecture": os.uname().machine,
        "os": os_name(),
        "disks": disks(),
        "data": data_filesystems(),
        "java": java(),
        "disk_test": disk_test(),
        "load_tool": read("load-tool.version").strip() or None,  # its release, where the host came with one
    }
    sys.stdout.write(json.dumps(facts))


def cpu_model():
    match = re.search(r"(?m)^Model name:\s*(.+)$", output("lscpu")) or re.search(
        r"(?m)^model name\s*:\s*(.+)$", read("/proc/cpuinfo")
    )
    return " ".join(match.group(1).split())[:200] if match else None


def memory_gib():
    match = re.search(r"(?m)^MemTotal:\s*(\d+) kB", read("/proc/meminfo"))
    return round(int(match.group(1)) * 1024 / GIB, 2) if match else None


def os_name():
    match = re.search(r'(?m)^PRETTY_NAME="?([^"\n]+)', read("/etc/os-release"))
    return match.group(1)[:100] if match else None


def disks():
    """Whole disks and RAID devices; no loop, memory or optical device."""
    found = []
    for name in sorted(os.listdir("/sys/block")):
        folder = os.path.join("/sys/block", name)
        if not re.match(r"(nvme\d+n|sd|xvd|vd|md)", name):
            continue
        sectors = read(os.path.join(folder, "size")).strip()
        level = read(os.path.join(folder, "md/level")).strip()
        found.append(
            {
                "name": name,
                "size_gib": round(int(sectors) * 512 / GIB, 1) if sectors.isdigit() else None,
                "model": read(os.path.join(folder, "device/model")).strip()[:60] or None,
                "rotational": {"0": False, "1": True}.get(read(os.path.join(folder, "queue/rotational")).strip()),
                "raid": level or None,
            }
        )
    return found[:MAX_DISKS]


def data_filesystems():
    """Where the data lies: device, file system and size of each folder under data/."""
    found = []
    for name in sorted(os.listdir("data")) if os.path.isdir("data") else []:
        path = os.path.join("data", name)
        lines = output("df", "--output=source,fstype", path).splitlines()
        space = os.statvfs(path)
        source, _, kind = lines[-1].partition(" ") if len(lines) > 1 else (None, None, "")
        size = round(space.f_blocks * space.f_frsize / GIB, 1)
        found.append({"device": source, "filesystem": kind.strip() or None, "size_gib": size})
    return found[:MAX_DISKS]


def java():
    """The version's lines as they are printed, and the version and vendor in them."""
    match = re.search(r"(?m)^JAVA_HOME=(.+)$", read("host.env"))
    if not match:
        return None
    text = output(os.path.join(match.group(1), "bin/java"), "-version")
    version = re.search(r'version "([^"]+)"', text)
    return {"version": version.group(1) if version else None, "vendor": vendor(text), "text": text[:400]}


def vendor(text):
    for word, name in (
        ("Temurin", "temurin"),
        ("Zulu", "zulu"),
        ("Corretto", "corretto"),
        ("Java(TM)", "oracle"),
        ("GraalVM", "graalvm"),
        ("OpenJDK", "openjdk"),
    ):
        if word in text:
            return name
    return None


def disk_test():
    """The figures that disk_test.py has kept, or null where there was no test."""
    try:
        return json.loads(read("disk-test/summary.json"))
    except ValueError:
        return None


def read(path):
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def output(*command):
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, env={**os.environ, "LC_ALL": "C"}
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace")


if __name__ == "__main__":
    main()
