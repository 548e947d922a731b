"""The nearest instance type of another provider, and in what it differs. Values in, values out."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from math import inf, log2

# A database feels processors first; twice the memory is as far away as 1.4 times the processors.
_VCPUS_WEIGHT = 2.0
_MEMORY_WEIGHT = 1.0
_LOCAL_WEIGHT = 0.5
# So that "no local disk" is as far from 160 GiB as that is from 860 GiB, and not infinitely far.
_LOCAL_FLOOR_GIB = 45.0
# Names differ by rounding: GB for GiB, 15.25 for 15.
_SAME_WITHIN = 0.01


@dataclass(frozen=True, slots=True)
class Hardware:
    """What a type's name stands for. None is unknown; local disks are None too where they are attached as ordered."""

    name: str
    vcpus: int | None
    memory_gib: float | None
    local_disk_gib: float | None = None  # all of them; 0: has none
    hourly_usd: Decimal | None = None  # only decides between types of the same size


@dataclass(frozen=True, slots=True)
class Difference:
    what: str
    wanted: str
    found: str

    def __str__(self) -> str:
        return f"{self.what}: {self.found} instead of {self.wanted}"


@dataclass(frozen=True, slots=True)
class Equivalent:
    wanted: Hardware
    found: Hardware
    differences: tuple[Difference, ...]

    def __str__(self) -> str:
        """One sentence for the form."""
        differs = "; ".join(map(str, self.differences)) or "the same vCPUs, memory and local disks"
        return f"{self.found.name} in the place of {self.wanted.name}: {differs}."


def nearest(wanted: Hardware, offered: Iterable[Hardware]) -> Equivalent | None:
    """The type of `offered` closest in vCPUs, memory and local disk.

    Of equals the one whose price is closest: that tells a burstable type from its full-size twin. Then by name.
    None when the size of `wanted`, or of all that is offered, is unknown.
    """
    if not _is_known(wanted):
        return None
    candidates = [hardware for hardware in offered if _is_known(hardware)]
    if not candidates:
        return None
    found = min(candidates, key=lambda one: (round(_distance(wanted, one), 3), _price_distance(wanted, one), one.name))
    return Equivalent(wanted, found, _differences(wanted, found))


def _is_known(hardware: Hardware) -> bool:
    return bool(hardware.vcpus and hardware.memory_gib)


def _distance(wanted: Hardware, found: Hardware) -> float:
    """In doublings, weighted; what is unknown of the local disks counts as equal."""
    far = _VCPUS_WEIGHT * _doublings(wanted.vcpus or 0, found.vcpus or 0)
    far += _MEMORY_WEIGHT * _doublings(wanted.memory_gib or 0, found.memory_gib or 0)
    if wanted.local_disk_gib is not None and found.local_disk_gib is not None:
        ours, theirs = wanted.local_disk_gib + _LOCAL_FLOOR_GIB, found.local_disk_gib + _LOCAL_FLOOR_GIB
        far += _LOCAL_WEIGHT * _doublings(ours, theirs)
    return far


def _price_distance(wanted: Hardware, found: Hardware) -> float:
    if not wanted.hourly_usd or not found.hourly_usd:
        return inf
    return _doublings(float(wanted.hourly_usd), float(found.hourly_usd))


def _doublings(one: float, other: float) -> float:
    return abs(log2(one / other))


def _differences(wanted: Hardware, found: Hardware) -> tuple[Difference, ...]:
    pairs = (
        ("vCPUs", wanted.vcpus, found.vcpus, _number),
        ("memory", wanted.memory_gib, found.memory_gib, _gib),
        ("local disks", wanted.local_disk_gib, found.local_disk_gib, _local),
    )
    return tuple(
        Difference(what, written(ours), written(theirs))
        for what, ours, theirs, written in pairs
        if _differ(ours, theirs)
    )


def _differ(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is not other
    return abs(one - other) > _SAME_WITHIN * max(one, other)


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.15g}"


def _gib(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4g} GiB"


def _local(value: float | None) -> str:
    if value is None:
        return "as ordered"
    return _gib(value) if value else "none"
