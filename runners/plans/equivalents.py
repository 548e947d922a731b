"""The closest instance type of another provider, and how it differs. Values in, values out."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from math import inf, log2

from submissions.facts import VCPUS

# Processors matter most to a database: twice the memory is as different as 1.4 times the processors.
_VCPUS_WEIGHT = 2.0
_MEMORY_WEIGHT = 1.0
_LOCAL_WEIGHT = 0.5
# Without it, "no local disk" would be infinitely different; with it, as different from 160 GiB as that is from 860.
_LOCAL_FLOOR_GIB = 45.0
# Sources round differently: GB for GiB, 15.25 for 15.
_SAME_WITHIN = 0.01


@dataclass(frozen=True, slots=True)
class Hardware:
    """An instance type. None is unknown; for local disks also that they are attached as ordered."""

    name: str
    vcpus: int | None
    memory_gib: float | None
    local_disk_gib: float | None = None  # in total; 0: none
    hourly_usd: Decimal | None = None  # only to choose between types of the same size


@dataclass(frozen=True, slots=True)
class Difference:
    label: str
    original: str
    match: str

    def __str__(self) -> str:
        return f"{self.label}: {self.match} instead of {self.original}"


@dataclass(frozen=True, slots=True)
class Equivalent:
    original: Hardware
    match: Hardware
    differences: tuple[Difference, ...]

    def __str__(self) -> str:
        """One sentence for the form."""
        differs = "; ".join(map(str, self.differences)) or "the same vCPUs, memory and local disks"
        return f"{self.match.name} instead of {self.original.name}: {differs}."


def nearest(original: Hardware, offered: Iterable[Hardware]) -> Equivalent | None:
    """The type of `offered` that is closest in vCPUs, memory and local disk.

    Ties are broken by price, which separates burstable types from full-size ones, then by name.
    None when the size of `original`, or of everything offered, is unknown.
    """
    if not _is_known(original):
        return None
    candidates = [hardware for hardware in offered if _is_known(hardware)]
    if not candidates:
        return None

    def order(other: Hardware) -> tuple[float, float, str]:
        return round(_distance(original, other), 3), _price_distance(original, other), other.name

    match = min(candidates, key=order)
    return Equivalent(original, match, _differences(original, match))


def _is_known(hardware: Hardware) -> bool:
    return bool(hardware.vcpus and hardware.memory_gib)


def _distance(original: Hardware, other: Hardware) -> float:
    """Weighted, in doublings; unknown local disks count as equal."""
    distance = _VCPUS_WEIGHT * _doublings(original.vcpus or 0, other.vcpus or 0)
    distance += _MEMORY_WEIGHT * _doublings(original.memory_gib or 0, other.memory_gib or 0)
    if original.local_disk_gib is not None and other.local_disk_gib is not None:
        local, others = original.local_disk_gib + _LOCAL_FLOOR_GIB, other.local_disk_gib + _LOCAL_FLOOR_GIB
        distance += _LOCAL_WEIGHT * _doublings(local, others)
    return distance


def _price_distance(original: Hardware, other: Hardware) -> float:
    if not original.hourly_usd or not other.hourly_usd:
        return inf
    return _doublings(float(original.hourly_usd), float(other.hourly_usd))


def _doublings(a: float, b: float) -> float:
    return abs(log2(a / b))


def _differences(original: Hardware, match: Hardware) -> tuple[Difference, ...]:
    pairs = (
        (VCPUS.label, original.vcpus, match.vcpus, _number),
        ("memory", original.memory_gib, match.memory_gib, _gib),
        ("local disks", original.local_disk_gib, match.local_disk_gib, _local),
    )
    return tuple(
        Difference(label, text(before), text(after)) for label, before, after, text in pairs if _differ(before, after)
    )


def _differ(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return a is not b
    return abs(a - b) > _SAME_WITHIN * max(a, b)


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.15g}"


def _gib(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4g} GiB"


def _local(value: float | None) -> str:
    if value is None:
        return "as ordered"
    return _gib(value) if value else "none"
