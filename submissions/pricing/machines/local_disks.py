"""The local disks in the price of a machine type, by the catalogue that is shipped with the site."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from submissions.pricing.sources import snapshot

# A stated size may be GB where GiB are meant, or what a formatted disk holds.
_TOLERANCE = Decimal("1.1")


@dataclass(frozen=True, slots=True)
class LocalDisks:
    """All of one machine; none: 0 GiB."""

    gib: Decimal
    count: int | None = None

    def hold(self, gib: Decimal) -> bool:
        """Whether disks of this total can be these."""
        return gib <= self.gib * _TOLERANCE


def local_disks_of(provider: str, instance_type: str) -> LocalDisks | None:
    """None where the catalogue does not know the type, or its disks."""
    return _catalogue().get((provider, instance_type))


@cache
def _catalogue() -> Mapping[tuple[str, str], LocalDisks]:
    """Read once for each process: pricing asks for every disk, and the catalogue changes only with the code."""
    return {
        (item.provider, item.name): LocalDisks(Decimal(str(item.local_disk_gib)), item.local_disk_count)
        for item in snapshot.read_hardware()
        if item.local_disk_gib is not None
    }
