"""Which machines one bulkInsert call creates, and the request ids by which the API recognizes a repeated call."""

import hashlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from runners.providers.base import DiskOrder, NodeOrder

MAX_IN_CALL = 1000  # GCE takes 5,000


@dataclass(frozen=True, slots=True)
class Group:
    """Equal machines of one zone: one call creates all of them or none."""

    role: str
    instance_type: str
    zone: str
    disks: tuple[DiskOrder, ...]
    names: tuple[str, ...]  # of the nodes

    def request_id(self, site: str, tag: str, attempt: int) -> str:
        """The id of the n-th attempt: repeated calls, by any worker, create one set of machines.

        GCE answers a failed attempt with its old failure for ever, so that the next attempt needs an id of its own.
        """
        parts = (self.role, self.instance_type, self.zone, repr(self.disks), " ".join(self.names), str(attempt))
        return _uuid(_digest(site, tag), _digest(*parts))


def is_of_run(request_id: str, site: str, tag: str) -> bool:
    """Whether a call with this id belongs to the run."""
    try:
        return uuid.UUID(request_id).bytes[:6] == _digest(site, tag)[:6]
    except ValueError:
        return False


def groups_of(order: NodeOrder, zone_for: Callable[[str | None], str]) -> list[Group]:
    """The calls for an order, which depend on the order alone. `zone_for` chooses the zone of nodes without one."""
    alike: dict[tuple[str, str, str, tuple[DiskOrder, ...]], list[str]] = {}
    for node in order.nodes:
        alike.setdefault((node.role, node.instance_type, zone_for(node.zone), node.disks), []).append(node.name)
    return [
        Group(*key, names=tuple(names[start : start + MAX_IN_CALL]))
        for key, names in alike.items()
        for start in range(0, len(names), MAX_IN_CALL)
    ]


def _uuid(run: bytes, call: bytes) -> str:
    """Starts with 6 bytes of the run; the rest is of the call."""
    return str(uuid.UUID(bytes=run[:6] + call[:10], version=5))


def _digest(*parts: str) -> bytes:
    return hashlib.sha256("\n".join(parts).encode()).digest()
