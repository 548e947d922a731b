"""The size of a GCE machine type, from its name; GCE bills vCPUs and memory, not types."""

import re
from dataclasses import dataclass
from decimal import Decimal

# GiB for each vCPU, from cloud.google.com/compute/docs/general-purpose-machines,
# compute-optimized-machines and memory-optimized-machines
_GIB_PER_VCPU = {
    "n1": {"standard": "3.75", "highmem": "6.5", "highcpu": "0.9"},
    "n2": {"standard": "4", "highmem": "8", "highcpu": "1"},
    "n2d": {"standard": "4", "highmem": "8", "highcpu": "1"},
    "e2": {"standard": "4", "highmem": "8", "highcpu": "1"},
    "c2": {"standard": "4"},
    "c2d": {"standard": "4", "highmem": "8", "highcpu": "2"},
    "c3": {"standard": "4", "highmem": "8", "highcpu": "2"},
    "t2d": {"standard": "4"},
    "m1": {"ultramem": "24.025"},
}
# sizes that leave their family's proportion
_MEMORY_GIB = {
    "n2-highmem-128": Decimal(864),
    "m1-megamem-96": Decimal("1433.6"),
}
_PREDEFINED_VCPUS = {
    ("n1", "standard"): (1, 2, 4, 8, 16, 32, 64, 96),
    ("n1", "highmem"): (2, 4, 8, 16, 32, 64, 96),
    ("n1", "highcpu"): (2, 4, 8, 16, 32, 64, 96),
    ("n2", "standard"): (2, 4, 8, 16, 32, 48, 64, 80, 96, 128),
    ("n2", "highmem"): (2, 4, 8, 16, 32, 48, 64, 80, 96, 128),
    ("n2", "highcpu"): (2, 4, 8, 16, 32, 48, 64, 80, 96),
    ("n2d", "standard"): (2, 4, 8, 16, 32, 48, 64, 80, 96, 128, 224),
    ("n2d", "highmem"): (2, 4, 8, 16, 32, 48, 64, 80, 96),
    ("n2d", "highcpu"): (2, 4, 8, 16, 32, 48, 64, 80, 96, 128, 224),
    ("e2", "standard"): (2, 4, 8, 16, 32),
    ("e2", "highmem"): (2, 4, 8, 16),
    ("e2", "highcpu"): (2, 4, 8, 16, 32),
    ("c2", "standard"): (4, 8, 16, 30, 60),
    ("c2d", "standard"): (2, 4, 8, 16, 32, 56, 112),
    ("c2d", "highmem"): (2, 4, 8, 16, 32, 56, 112),
    ("c2d", "highcpu"): (2, 4, 8, 16, 32, 56, 112),
    ("c3", "standard"): (4, 8, 22, 44, 88, 176),
    ("c3", "highmem"): (4, 8, 22, 44, 88, 176),
    ("c3", "highcpu"): (4, 8, 22, 44, 88, 176),
    ("t2d", "standard"): (1, 2, 4, 8, 16, 32, 48, 60),
    ("m1", "ultramem"): (40, 80, 160),
    ("m1", "megamem"): (96,),
}
# GiB for each vCPU above which the memory of a custom machine is "extended" and dearer
_EXTENDED_ABOVE = {"n1": Decimal("6.5"), "n2": Decimal(8), "n2d": Decimal(8)}
# E2 bills custom machines by the same rates as the predefined ones
_OWN_CUSTOM_RATES = frozenset({"n1", "n2", "n2d"})

_PREDEFINED = re.compile(r"(?P<family>[a-z]+\d+[a-z]*)-(?P<shape>[a-z]+)-(?P<vcpus>[1-9]\d{0,2})")
_CUSTOM = re.compile(
    r"(?:(?P<family>n1|n2|n2d|e2)-)?custom-(?P<vcpus>[1-9]\d{0,2})-(?P<mib>[1-9]\d{2,6})(?P<ext>-ext)?"
)


@dataclass(frozen=True, slots=True)
class MachineSize:
    """vCPUs and GiB of a machine type, and the SKUs of the price book that bill them."""

    vcpus: int
    memory_gib: Decimal
    rates: tuple[tuple[str, Decimal], ...]  # (sku, quantity per machine), billed by the hour


def size_of(name: str) -> MachineSize | None:
    """The size of a GCE machine type; None for shared-core and unknown ones, which have no rate."""
    if custom := _CUSTOM.fullmatch(name):
        return _custom_size(custom)
    if not (parts := _PREDEFINED.fullmatch(name)):
        return None
    vcpus = int(parts["vcpus"])
    proportion = _GIB_PER_VCPU.get(parts["family"], {}).get(parts["shape"])
    memory = _MEMORY_GIB.get(name) or (Decimal(proportion) * vcpus if proportion else None)
    if memory is None:
        return None
    family = parts["family"]
    rates = ((f"{family}-vcpu", Decimal(vcpus)), (f"{family}-memory-gib", memory))
    return MachineSize(vcpus, memory, rates)


def _custom_size(parts: re.Match[str]) -> MachineSize:
    family = parts["family"] or "n1"  # "custom-8-30720" is the old spelling of N1
    vcpus = int(parts["vcpus"])
    memory = Decimal(parts["mib"]) / 1024
    prefix = f"{family}-custom" if family in _OWN_CUSTOM_RATES else family
    plain = memory
    rates = [(f"{prefix}-vcpu", Decimal(vcpus))]
    if parts["ext"] and family in _EXTENDED_ABOVE:
        plain = min(memory, _EXTENDED_ABOVE[family] * vcpus)
    rates.append((f"{prefix}-memory-gib", plain))
    if memory > plain:
        rates.append((f"{prefix}-extended-memory-gib", memory - plain))
    return MachineSize(vcpus, memory, tuple(rates))


def rates_of(name: str) -> tuple[tuple[str, Decimal], ...]:
    """The SKUs that bill the type by the hour, with their quantities; none for a type of unknown size."""
    size = size_of(name)
    return size.rates if size else ()


def predefined_names() -> list[str]:
    """The predefined GCE types whose size is known here."""
    return [f"{family}-{shape}-{vcpus}" for (family, shape), sizes in _PREDEFINED_VCPUS.items() for vcpus in sizes]
