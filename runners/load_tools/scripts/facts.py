"""Prints the facts of a host as one small JSON object: processor, memory, disks, kernel, Java. Unknown is null."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from typing import Any

GIB = 1024.0**3
MAX_DISKS = 26


def main() -> None:
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
        "load_tool": read("load-tool.version").strip() or None,  # its release, if the host came with one
    }
    sys.stdout.write(json.dumps(facts))


def cpu_model() -> str | None:
    match = re.search(r"(?m)^Model name:\s*(.+)$", output("lscpu")) or re.search(
        r"(?m)^model name\s*:\s*(.+)$", read("/proc/cpuinfo")
    )
    return " ".join(match.group(1).split())[:200] if match else None


def memory_gib() -> float | None:
    match = re.search(r"(?m)^MemTotal:\s*(\d+) kB", read("/proc/meminfo"))
    return round(int(match.group(1)) * 1024 / GIB, 2) if match else None


def os_name() -> str | None:
    match = re.search(r'(?m)^PRETTY_NAME="?([^"\n]+)', read("/etc/os-release"))
    return match.group(1)[:100] if match else None


def disks() -> list[dict[str, Any]]:
    """Whole disks and RAID devices, without loop, memory and optical devices."""
    devices = []
    for name in sorted(os.listdir("/sys/block")):
        folder = os.path.join("/sys/block", name)
        if not re.match(r"(nvme\d+n|sd|xvd|vd|md)", name):
            continue
        sectors = read(os.path.join(folder, "size")).strip()
        level = read(os.path.join(folder, "md/level")).strip()
        devices.append(
            {
                "name": name,
                "size_gib": round(int(sectors) * 512 / GIB, 1) if sectors.isdigit() else None,
                "model": read(os.path.join(folder, "device/model")).strip()[:60] or None,
                "rotational": {"0": False, "1": True}.get(read(os.path.join(folder, "queue/rotational")).strip()),
                "raid": level or None,
            }
        )
    return devices[:MAX_DISKS]


def data_filesystems() -> list[dict[str, Any]]:
    """Device, file system and size of each folder under data/."""
    filesystems = []
    for name in sorted(os.listdir("data")) if os.path.isdir("data") else []:
        path = os.path.join("data", name)
        lines = output("df", "--output=source,fstype", path).splitlines()
        space = os.statvfs(path)
        source, _, kind = lines[-1].partition(" ") if len(lines) > 1 else ("", "", "")
        size = round(space.f_blocks * space.f_frsize / GIB, 1)
        filesystems.append({"device": source or None, "filesystem": kind.strip() or None, "size_gib": size})
    return filesystems[:MAX_DISKS]


def java() -> dict[str, Any] | None:
    """The output of `java -version`, and the version and vendor in it."""
    match = re.search(r"(?m)^JAVA_HOME=(.+)$", read("host.env"))
    if not match:
        return None
    text = output(os.path.join(match.group(1), "bin/java"), "-version")
    version = re.search(r'version "([^"]+)"', text)
    return {"version": version.group(1) if version else None, "vendor": vendor(text), "text": text[:400]}


def vendor(text: str) -> str | None:
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


def disk_test() -> dict[str, Any] | None:
    """The figures from disk_test.py; null without a test."""
    try:
        summary: dict[str, Any] = json.loads(read("disk-test/summary.json"))
    except ValueError:
        return None
    return summary


def read(path: str) -> str:
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def output(*command: str) -> str:
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, env={**os.environ, "LC_ALL": "C"}
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace")


if __name__ == "__main__":
    main()
