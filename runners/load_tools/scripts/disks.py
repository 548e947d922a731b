"""Prints the device of each disk that the plan ordered, one a line, in the order of the plan.

DISKS names them, separated by spaces, each by its links in the order in which to look: `/dev/disk/by-id/X:/dev/xvdf`.
A link may be a pattern (`nvme-Amazon_EC2_NVMe_Instance_Storage_*`), which stands for the next empty disk of that kind.
The kernel numbers disks by chance, so a disk is never taken by its position: without its link, the host is refused.
"""

from __future__ import annotations

import glob
import os
import re
import stat
import subprocess
import sys

PARTITION = re.compile(r"-part\d+$")
MOUNTS = "/proc/mounts"
BLOCKS = "/sys/block"


def main(ordered: list[str]) -> int:
    devices: list[str] = []
    for links in ordered:
        found, in_use = candidates(links)
        device = next((device for device in found if device not in devices), None)
        if device is None:
            used = f"; {', '.join(in_use)} is in use" if in_use else ""
            sys.stdout.write(f"the plan's disk {links.replace(':', ' or ')} is not on this host{used}\n")
            return 1
        devices.append(device)
    sys.stdout.write("".join(f"{device}\n" for device in devices))
    return 0


def candidates(links: str) -> tuple[list[str], list[str]]:
    """The devices behind the links, without repetition: the empty ones, and those in use."""
    empty: list[str] = []
    in_use: list[str] = []
    for link in links.split(":"):
        for path in sorted(glob.glob(link), key=by_number):
            device = os.path.realpath(path)
            if PARTITION.search(path) or not is_disk(device) or device in empty or device in in_use:
                continue
            (empty if is_empty(device) else in_use).append(device)
    return empty, in_use


def by_number(path: str) -> tuple[list[str], list[int]]:
    """disk-10 comes after disk-9."""
    return re.split(r"\d+", path), [int(number) for number in re.findall(r"\d+", path)]


def is_disk(device: str) -> bool:
    try:
        return stat.S_ISBLK(os.stat(device).st_mode)
    except OSError:
        return False


def is_empty(device: str) -> bool:
    """A disk with a partition, a file system or a mount is somebody's."""
    name = os.path.basename(device)
    folder = os.path.join(BLOCKS, name)
    if not os.path.isdir(folder) or glob.glob(os.path.join(folder, name + "*")):
        return False  # a partition, or partitioned
    holders = os.path.join(folder, "holders")
    if os.path.isdir(holders) and os.listdir(holders):
        return False
    with open(MOUNTS) as mounts:
        if any(line.split(" ", 1)[0] == device for line in mounts):
            return False
    probe = ["blkid", "-p", "-o", "value", "-s", "TYPE", device]
    return not subprocess.run(probe, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(os.environ["DISKS"].split()))
