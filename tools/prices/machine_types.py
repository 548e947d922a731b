"""Reads the hardware of machine types: a wheel of apache-libcloud has EC2's, dated tables the clouds' catalogues."""

import ast
import csv
import gzip
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from submissions.pricing.machines.gce_local_disks import SOURCE as LOCAL_DISKS_SOURCE
from submissions.pricing.machines.gce_local_disks import included_disks
from submissions.pricing.sources.snapshot import Hardware

_MEMBER = "libcloud/compute/constants/ec2_instance_types.py"
_MEMORY = re.compile(r"([\d,.]+) GiB")
_STORAGE = re.compile(r"(?:(?P<count>\d+) x )?(?P<size>[\d,.]+) ?(?:GB)?(?: NVMe)?(?: SSD| HDD)?", re.IGNORECASE)
_GIB = 2**30
_DAY_IN_NAME = re.compile(r"\d{4}-\d{2}-\d{2}")
_ARM_OF_GCE = ("a4x", "c4a", "n4a", "t2a")  # Axion, Ampere Altra, Grace; the other families are x86


def vcpus_by_name(hardware: Iterable[Hardware]) -> dict[str, int]:
    """Of EC2's types alone."""
    return {item.name: item.vcpus for item in hardware if item.vcpus and item.provider == "aws"}


def read_wheel(wheel: Path) -> Iterator[Hardware]:
    """vCPUs, memory and local disks of every type of EC2 in the wheel; unknown facts are None."""
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
    return round(gigabytes * 10**9 / _GIB, 1)


def _table(text: str) -> Mapping[str, Any]:
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign):
            table: Mapping[str, Any] = ast.literal_eval(statement.value)
            return table
    raise ValueError(f"{_MEMBER} has no table of instance types")


def read_catalogue(path: Path) -> list[Hardware]:
    """vCPUs, memory, processor and local disks. Raises ValueError where the columns are not those of a known table."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    day = found[0] if (found := _DAY_IN_NAME.search(path.name)) else "an unknown day"
    if rows and {"instance_type", "arch", "vcpus", "memory_gib", "local_disks"} <= set(rows[0]):
        return list(_ec2(rows, day))
    if rows and {"machine_type", "vcpus", "memory_gb"} <= set(rows[0]):
        return list(_gce(rows, day))
    raise ValueError(f"{path.name} is not a table of machine types")


def _ec2(rows: list[dict[str, str]], day: str) -> Iterator[Hardware]:
    for row in rows:
        count = int(row["local_disks"])
        size = Decimal(row["local_disk_size"] or 0) * (1000 if row["local_disk_unit"] == "TB" else 1)
        yield Hardware(
            provider="aws",
            name=row["instance_type"],
            vcpus=int(row["vcpus"]),
            memory_gib=float(row["memory_gib"]),
            local_disk_gib=round(float(size) * count * 10**9 / _GIB, 1),
            source=f"ec2-instances-info of {day}",
            local_disk_count=count,
            local_disk_kind=_kind(row) if count else None,
            arch="arm64" if row["arch"].startswith("arm64") else "x86_64",
            cpu_model=row["cpu_model"] or None,
        )


def _kind(row: Mapping[str, str]) -> str:
    return "nvme" if row["local_nvme"] == "True" else "local-disk"


def _gce(rows: list[dict[str, str]], day: str) -> Iterator[Hardware]:
    for row in rows:
        family = row["machine_type"].split("-")[0]
        yield with_included_disks(
            Hardware(
                provider="gce",
                name=row["machine_type"],
                vcpus=int(row["vcpus"]),
                memory_gib=float(row["memory_gb"]),
                local_disk_gib=None,
                source=f"google-cloud-pricing-cost-calculator, machine types of {day}",
                arch="arm64" if family in _ARM_OF_GCE else "x86_64",
            )
        )


_INCLUDED_DISKS = {"gce": included_disks}


def with_included_disks(item: Hardware) -> Hardware:
    """With the local SSD in its price; types to which disks are attached as one likes have none of their own."""
    known = _INCLUDED_DISKS.get(item.provider)
    disks = known(item.name) if known else None
    if disks is None:
        return item
    return replace(
        item,
        local_disk_gib=float(disks.gib),
        local_disk_count=disks.count,
        local_disk_kind="nvme" if disks.count else None,
        source=item.source if LOCAL_DISKS_SOURCE in item.source else f"{item.source}; {LOCAL_DISKS_SOURCE}",
    )
