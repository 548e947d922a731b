"""Which machine has which name: one call creates a group of equal machines, and the launch index gives the name.

EC2 gives all machines of a call the same tags, and a tag set later would leave a time without it. So the tag of the
group lists all names, packed, and a machine has the name at its AmiLaunchIndex.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runners.providers.base import DiskOrder, NodeOrder

# EC2 accepts more per call, and recommends small calls for large orders.
MAX_IN_CALL = 100
MAX_TAG_VALUE = 256

_NUMBERED = re.compile(r"(?P<stem>[A-Za-z0-9_-]*?)(?P<number>0|[1-9][0-9]*)")
_RANGE = re.compile(r"(?P<stem>[A-Za-z0-9_-]*?)(?P<first>0|[1-9][0-9]*)\.\.(?P<last>[0-9]+)/(?P<step>[0-9]+)")


@dataclass(frozen=True, slots=True)
class Group:
    """Machines that one RunInstances call creates: all of them or none."""

    role: str
    instance_type: str
    zone: str | None
    disks: tuple[DiskOrder, ...]
    names: tuple[str, ...]

    def token(self, site: str, tag: str, full_zones: Sequence[str] = ()) -> str:
        """The ClientToken: repeated calls, by any worker, create one set of machines.

        EC2 refuses a token whose first call named another subnet, so each zone that is tried has its own.
        """
        zone = "/".join((self.zone or "", *full_zones))
        parts = (site, tag, self.role, self.instance_type, zone, repr(self.disks), pack(self.names))
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def groups_of(order: NodeOrder) -> list[Group]:
    """The calls for an order, which depend on the order alone. Raises ValueError for an impossible name."""
    alike: dict[tuple[str, str, str | None, tuple[DiskOrder, ...]], list[str]] = {}
    for node in order.nodes:
        alike.setdefault((node.role, node.instance_type, node.zone, node.disks), []).append(node.name)
    return [Group(*key, names=batch) for key, names in alike.items() for batch in _batches(tuple(names))]


def pack(names: Sequence[str]) -> str:
    """Names as a tag value, in order: `db-0..285/3 client-0`. Raises ValueError for a name that does not fit."""
    return " ".join(_runs(names))


def unpack(packed: str) -> list[str]:
    """The names of a tag value made by `pack`."""
    names = []
    for part in packed.split():
        if found := _RANGE.fullmatch(part):
            numbers = range(int(found["first"]), int(found["last"]) + 1, int(found["step"]))
            names += [f"{found['stem']}{number}" for number in numbers]
        else:
            names.append(part)
    return names


def _batches(names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    size = MAX_IN_CALL
    while names:
        batch = names[:size]
        if len(pack(batch)) > MAX_TAG_VALUE and size > 1:
            size //= 2
            continue
        yield batch
        names = names[size:]


def _runs(names: Sequence[str]) -> Iterator[str]:
    """The longest sequences of names whose numbers increase by the same step."""
    parts = [_split(name) for name in names]
    start = 0
    while start < len(parts):
        stem, first = parts[start]
        end, step = start + 1, 0
        while end < len(parts) and first is not None:
            next_stem, number = parts[end]
            previous = parts[end - 1][1]
            if next_stem != stem or number is None or previous is None or number <= previous:
                break
            if step not in (0, number - previous):
                break
            step = number - previous
            end += 1
        last = parts[end - 1][1]
        yield f"{stem}{first}..{last}/{step}" if step else names[start]
        start = end


def _split(name: str) -> tuple[str, int | None]:
    if found := _NUMBERED.fullmatch(name):
        return found["stem"], int(found["number"])
    if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
        raise ValueError(f"a machine cannot be named {name!r}")
    return name, None
