"""How much data a cluster holds, by database and version: the table of docs/methodology.md."""

import re
from dataclasses import dataclass

# Databases that keep their data in memory: it must hold the data, whatever disks the machines have
IN_MEMORY = frozenset({"memcached", "redis", "valkey"})


@dataclass(frozen=True, slots=True)
class UsableShare:
    """The share of the space that may be data; without a `source` all of it, which leaves no head-room."""

    share: float = 1.0
    source: str = ""

    @property
    def has_head_room(self) -> bool:
        return bool(self.source)


@dataclass(frozen=True, slots=True)
class Row:
    """`before`: the first version for which it is no longer so."""

    service: str
    before: tuple[int, ...]
    usable: UsableShare


TABLE = (
    Row(
        "cassandra",
        (1, 0),
        UsableShare(
            0.5,
            "Adrian Cockcroft and Denis Sheahan (Netflix), 2 November 2011: "
            "compaction needs the other half of the file system",
        ),
    ),
)
_NO_SOURCE = UsableShare()


def usable_share(service: str, version: str | None) -> UsableShare:
    """Of an unknown version: without head-room, too."""
    numbers = _numbers(version)
    fitting = (row.usable for row in TABLE if row.service == service and numbers and (*numbers, 0) < row.before)
    return next(fitting, _NO_SOURCE)


def holds_gib(space_gib: float | None, share: float, replication_factor: int | None) -> float | None:
    """GiB of distinct data; None where the space or the replication factor is unknown."""
    return None if space_gib is None or not replication_factor else space_gib * share / replication_factor


def _numbers(version: str | None) -> tuple[int, ...]:
    """ "0.8.6" and "0.8-rc1" as numbers; empty where it has none."""
    match = re.match(r"\d+(?:\.\d+)*", version or "")
    return tuple(map(int, match[0].split("."))) if match else ()
