"""The local SSD that comes with a GCE machine type, and is in its price.

Sizes: docs.cloud.google.com/compute/docs/disks/local-ssd and /disks/add-local-ssd, as of 2026-07. That the price of
`-lssd` types includes them follows from the price list of 2026-08-03: on each, what it costs more than the type
without them is the same multiple of these GiB. Other types are billed for each disk that is attached.
"""

import re
from dataclasses import dataclass
from decimal import Decimal

SOURCE = "local SSD: Compute Engine documentation of 2026-07"

_GIB = Decimal(375)  # of one disk
_TITANIUM_GIB = Decimal(3000)  # of Z3, and of bare metal
_BARE_METAL_Z3_GIB = Decimal(6000)


@dataclass(frozen=True, slots=True)
class IncludedDisks:
    """Equal disks of one machine; none: count 0."""

    count: int
    size_gib: Decimal

    @property
    def gib(self) -> Decimal:
        """Of all of them."""
        return self.count * self.size_gib


NO_DISKS = IncludedDisks(0, Decimal(0))

# Disks by family and vCPUs: the shapes of a family (standard, highmem) have the same.
_OF_LSSD = {
    "c3": {4: 1, 8: 2, 22: 4, 44: 8, 88: 16, 176: 32},
    "c3d": {8: 1, 16: 1, 30: 2, 60: 4, 90: 8, 180: 16, 360: 32},
    "c4": {4: 1, 8: 1, 16: 2, 24: 4, 32: 5, 48: 8, 96: 16, 144: 24, 192: 32, 288: 48},
    "c4a": {4: 1, 8: 2, 16: 4, 32: 6, 48: 10, 64: 14, 72: 16},
    "c4d": {8: 1, 16: 1, 32: 2, 48: 4, 64: 6, 96: 8, 192: 16, 384: 32},
    "h4d": {192: 10},
}
_OF_Z3 = {
    "standardlssd": {14: 1, 22: 2, 44: 3, 88: 6, 176: 12},
    "highlssd": {8: 1, 16: 2, 22: 3, 32: 4, 44: 6, 88: 12},
}
_BY_NAME = {
    "c4-standard-288-lssd-metal": IncludedDisks(6, _TITANIUM_GIB),
    "c4-highmem-288-lssd-metal": IncludedDisks(6, _TITANIUM_GIB),
    "z3-highmem-192-highlssd-metal": IncludedDisks(12, _BARE_METAL_Z3_GIB),
    # the names of the first two Z3 types
    "z3-highmem-88": IncludedDisks(12, _TITANIUM_GIB),
    "z3-highmem-176": IncludedDisks(12, _TITANIUM_GIB),
}
# Whether the prices of these accelerator families include their disks is not known here.
_UNKNOWN = ("a2-ultragpu", "a3-", "a4-", "a4x-", "a5x-", "z4")

_NAME = re.compile(r"(?P<family>[a-z]+\d+[a-z]*)-[a-z]+-(?P<vcpus>\d+)-(?P<disks>lssd|standardlssd|highlssd)")


def included_disks(name: str) -> IncludedDisks | None:
    """NO_DISKS where none is in the price; None where that is unknown."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    if parts := _NAME.fullmatch(name):
        vcpus = int(parts["vcpus"])
        if parts["family"] == "z3":
            count = _OF_Z3.get(parts["disks"], {}).get(vcpus)
            return IncludedDisks(count, _TITANIUM_GIB) if count else None
        count = _OF_LSSD.get(parts["family"], {}).get(vcpus)
        return IncludedDisks(count, _GIB) if count else None
    if "ssd" in name.partition("nolssd")[0] or name.startswith(_UNKNOWN):
        return None
    return NO_DISKS
