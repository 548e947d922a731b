"""Reads the clouds' catalogues of machine types from dated tables: vCPUs, memory, processor, local disks."""

import csv
import gzip
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path

from submissions.pricing.sources.snapshot import Hardware
from tools.prices.ec2_types import GIB

_DAY_IN_NAME = re.compile(r"\d{4}-\d{2}-\d{2}")
_ARM_OF_GCE = ("a4x", "c4a", "n4a", "t2a")  # Axion, Ampere Altra, Grace; the other families are x86


def read_catalogue(path: Path) -> list[Hardware]:
    """Raises ValueError where the columns are not those of a known table."""
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
            local_disk_gib=round(float(size) * count * 10**9 / GIB, 1),
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
        yield Hardware(
            provider="gce",
            name=row["machine_type"],
            vcpus=int(row["vcpus"]),
            memory_gib=float(row["memory_gb"]),
            local_disk_gib=None,  # attached as one likes
            source=f"google-cloud-pricing-cost-calculator, machine types of {day}",
            arch="arm64" if family in _ARM_OF_GCE else "x86_64",
        )
