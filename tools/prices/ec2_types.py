"""Reads the hardware of EC2's instance types from a wheel of apache-libcloud."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from submissions.pricing.sources.snapshot import Hardware

_MEMBER = "libcloud/compute/constants/ec2_instance_types.py"
_MEMORY = re.compile(r"([\d,.]+) GiB")
_STORAGE = re.compile(r"(?:(?P<count>\d+) x )?(?P<size>[\d,.]+) ?(?:GB)?(?: NVMe)?(?: SSD| HDD)?", re.IGNORECASE)
GIB = 2**30


def vcpus_by_name(hardware: Iterable[Hardware]) -> dict[str, int]:
    """Of EC2's types alone."""
    return {item.name: item.vcpus for item in hardware if item.vcpus and item.provider == "aws"}


def read_hardware(wheel: Path) -> Iterator[Hardware]:
    """vCPUs, memory and local disks of every type in the wheel; unknown facts are None."""
    with ZipFile(wheel) as members:
        text = members.read(_MEMBER).decode()
    source = f"apache-libcloud {wheel.name.split('-')[1]} ec2_instance_types.py"
    for name, entry in sorted(_table(text).items()):
        facts = entry["extra"]
        yield Hardware(
            provider="aws",
            name=name,
            vcpus=int(facts["vcpu"]) if facts.get("vcpu", "").isdigit() else None,
            memory_gib=memory_gib(facts.get("memory", "")),
            local_disk_gib=local_disk_gib(facts.get("storage", "")),
            source=source,
        )


def memory_gib(text: str) -> float | None:
    """GiB of "1,952 GiB"."""
    match = _MEMORY.fullmatch(text)
    return float(match[1].replace(",", "")) if match else None


def local_disk_gib(text: str) -> float | None:
    """GiB of "2 x 80 SSD" (AWS counts GB of 10^9 bytes); 0 for "EBS only", None when unknown."""
    if text == "EBS only":
        return 0.0
    match = _STORAGE.fullmatch(text)
    if not match:
        return None
    gigabytes = int(match["count"] or 1) * float(match["size"].replace(",", ""))
    return round(gigabytes * 10**9 / GIB, 1)


def _table(text: str) -> Mapping[str, Any]:
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign):
            table: Mapping[str, Any] = ast.literal_eval(statement.value)
            return table
    raise ValueError(f"{_MEMBER} has no table of instance types")
