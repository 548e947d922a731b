"""Which machines one bulkInsert call makes, and the request ids by which the API knows a call again."""

import hashlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from runners.providers.base import DiskOrder, NodeOrder

MAX_IN_CALL = 1000  # GCE takes 5,000


@dataclass(frozen=True, slots=True)
class Group:
    """Like machines of one zone: one call makes all of them or none."""

    role: str
    instance_type: str
    zone: str
    disks: tuple[DiskOrder, ...]
    names: tuple[str, ...]  # of the nodes

    def request_id(self, site: str, tag: str, attempt: int) -> str:
        """Of the call's n-th attempt: whoever makes it and how often, it makes one set of machines.

        An attempt that has failed would be answered with its old failure for ever, so the next has an id of its own.
        """
        parts = (self.role, self.instance_type, self.zone, repr(self.disks), " ".join(self.names), str(attempt))
        return _uuid(_digest(site, tag), _digest(*parts))


def is_of_run(request_id: str, site: str, tag: str) -> bool:
    """Whether a call with this id was made for the run."""
    try:
        return uuid.UUID(request_id).bytes[:6] == _digest(site, tag)[:6]
    except ValueError:
        return False


def groups_of(order: NodeOrder, zone_for: Callable[[str | None], str]) -> list[Group]:
    """The calls that an order needs; they follow from the order alone. `zone_for` chooses where a node says None."""
    alike: dict[tuple[str, str, str, tuple[DiskOrder, ...]], list[str]] = {}
    for node in order.nodes:
        alike.setdefault((node.role, node.instance_type, zone_for(node.zone), node.disks), []).append(node.name)
    return [
        Group(*key, names=tuple(names[start : start + MAX_IN_CALL]))
        for key, names in alike.items()
        for start in range(0, len(names), MAX_IN_CALL)
    ]


def _uuid(run: bytes, call: bytes) -> str:
    """Begins with the run's 6 bytes; the rest is the call's."""
    return str(uuid.UUID(bytes=run[:6] + call[:10], version=5))


def _digest(*parts: str) -> bytes:
    return hashlib.sha256("\n".join(parts).encode()).digest()
