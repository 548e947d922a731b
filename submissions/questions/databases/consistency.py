"""How many replicas a result waited for, and what was on disk by then, in the words of its database."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from submissions.choices import Choice, ConsistencyLevel


class Waits(Choice):
    """For how many replicas a request waits; only equal ones are compared."""

    ONE = "one"
    MAJORITY = "majority"
    ALL = "all"

    @property
    def label(self) -> str:
        return "one replica" if self == Waits.ONE else "a majority of the replicas" if self == Waits.MAJORITY else "all"


_LEVELS = {
    ConsistencyLevel.ONE: Waits.ONE,
    ConsistencyLevel.LOCAL_ONE: Waits.ONE,
    ConsistencyLevel.QUORUM: Waits.MAJORITY,
    ConsistencyLevel.LOCAL_QUORUM: Waits.MAJORITY,
    ConsistencyLevel.ALL: Waits.ALL,
}
# A write concern in a connection string or an option of a load tool: "?w=1&j=true", "mongodb.writeConcern=majority"
_WRITE_CONCERN = re.compile(r"(?:[?&]w|\.writeConcern)=([A-Za-z]+|[0-9]{1,3})(?![^\s&])")
_JOURNAL = re.compile(r"[?&](?:j|journal)=(true|false)(?![^\s&])")
# Settings that decide when a confirmed write is on disk, as their databases name them
_DURABILITY = (
    "commitlog_sync",
    "durable_writes",
    "synchronous_commit",
    "fsync",
    "appendfsync",
    "innodb_flush_log_at_trx_commit",
)


@dataclass(frozen=True, slots=True)
class Consistency:
    """`words` are "" where the result does not state it; `waits` is None where they are of no class."""

    words: str = ""
    waits: Waits | None = None


def consistency_of(level: str | None, command: str | None, replication_factor: int | None) -> Consistency:
    """By the stated level, else by the write concern in the command of the load tool."""
    if level:
        return Consistency(level, _LEVELS.get(ConsistencyLevel(level)))
    match = _WRITE_CONCERN.search(command or "")
    if match is None:
        return Consistency()
    concern = match[1]
    if concern == "majority":
        waits: Waits | None = Waits.MAJORITY
    elif concern == "1":
        waits = Waits.ONE
    else:
        waits = Waits.ALL if replication_factor and concern == str(replication_factor) else None
    return Consistency(f"w:{concern}", waits)


def durability_of(settings: Any, command: str | None) -> str:
    """ "j=true", "commitlog_sync=batch"; "" where nothing is stated."""
    match = _JOURNAL.search(command or "")
    stated = [f"j={match[1]}"] if match else []
    return ", ".join(stated + [f"{name}={value}" for name, value in _leaves(settings) if name in _DURABILITY])[:100]


def _leaves(settings: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(settings, Mapping):
        for name, value in settings.items():
            if isinstance(value, Mapping):
                yield from _leaves(value)
            else:
                yield str(name).lower(), value
