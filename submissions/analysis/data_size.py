"""How much data a workload has, and how many times the memory of the database that is: docs/methodology.md.

From what is stored of a result, so that any can be computed again. Payload only: no keys, no overhead of the
database, no compression, no indexes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from submissions.analysis.data_rules import RULES
from submissions.choices import DataFit, NodeKind, Role

GIB = 2**30
FITS_BELOW = 1.0  # times the memory
FROM_DISK_ABOVE = 3.0

_WITHOUT_REPLICAS = frozenset(("memcached",))  # databases
_CHANGING = frozenset(("insert", "delete"))  # operations that change how many rows there are

MachineType = tuple[str, str]  # provider and name
Memory = Mapping[MachineType, float]  # GiB


@dataclass(frozen=True, slots=True)
class DataSize:
    """Bytes of one copy when a trial starts and ends: equal unless the workload inserts or deletes."""

    start_bytes: int
    end_bytes: int
    is_stated: bool = False

    @property
    def mean_bytes(self) -> int:
        return (self.start_bytes + self.end_bytes) // 2

    @property
    def is_changing(self) -> bool:
        return self.start_bytes != self.end_bytes


def data_size(document: Mapping[str, Any], trials: Sequence[Mapping[str, Any]]) -> DataSize | None:
    """As stated, else by the rule of its load tool; None: unknown. `trials` are the columns of its trials."""
    workload = document.get("workload") or {}
    if stated := workload.get("data_bytes"):
        return DataSize(stated, stated, is_stated=True)
    rule = RULES.get(workload.get("tool", ""))
    rows = rule(workload, document.get("settings") or {}) if rule else None
    if rows is None:
        return None
    loaded = round(rows.keys * rows.row_bytes)
    if rows.is_load:
        return DataSize(0, loaded)
    if not rows.inserted_share:
        return DataSize(loaded, loaded)
    inserted = _inserted_in_a_trial(trials, rows.inserted_share)
    if inserted is None:
        return None
    return DataSize(loaded, max(0, round(loaded + inserted * rows.row_bytes)))


def copies(document: Mapping[str, Any]) -> int | None:
    """The replication factor; 1 where there can be no other copy; None: unknown.

    Machines cannot have more copies than they are; of a managed database's nodes that is not known.
    """
    groups = _database_groups(document)
    nodes = sum(group["count"] for group in groups)
    is_managed = any(group.get("kind") == NodeKind.MANAGED for group in groups)
    stated = (document.get("workload") or {}).get("replication_factor")
    return copies_of((document.get("service") or {}).get("name", ""), stated, nodes, is_managed=is_managed)


def copies_of(service: str, replication_factor: int | None, nodes: int, *, is_managed: bool = False) -> int | None:
    """As `copies`."""
    if replication_factor:
        return int(replication_factor) if is_managed else min(int(replication_factor), nodes)
    return 1 if nodes == 1 or service in _WITHOUT_REPLICAS else None


def machine_types(document: Mapping[str, Any]) -> set[MachineType]:
    """Of the database nodes whose memory the document does not state."""
    return {_type_of(document, group) for group in _database_groups(document) if not group.get("memory_gib")}


def memory_gib(document: Mapping[str, Any], memory: Memory) -> float | None:
    """Of all database nodes together: as stated, else as in `memory`."""
    total = 0.0
    for group in _database_groups(document):
        of_one = group.get("memory_gib") or memory.get(_type_of(document, group))
        if not of_one:
            return None
        total += group["count"] * of_one
    return total or None


def data_to_memory(document: Mapping[str, Any], size: DataSize | None, memory: Memory) -> float | None:
    """Data of all copies by the memory of all database nodes."""
    factor, gib = copies(document), memory_gib(document, memory)
    if size is None or factor is None or gib is None:
        return None
    return size.mean_bytes * factor / (gib * GIB)


def fit_of(ratio: float | None) -> DataFit | None:
    if ratio is None:
        return None
    if ratio < FITS_BELOW:
        return DataFit.BELOW_1
    return DataFit.FROM_1_TO_3 if ratio <= FROM_DISK_ABOVE else DataFit.ABOVE_3


def _database_groups(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [group for group in document.get("nodes") or () if group["role"] == Role.DATABASE]


def _type_of(document: Mapping[str, Any], group: Mapping[str, Any]) -> MachineType:
    """A managed database names the cloud whose machine type it runs on among its settings."""
    provider = document["provider"]
    if group.get("kind") == NodeKind.MANAGED:
        provider = str((document.get("settings") or {}).get("cloud") or provider)
    return provider, group["instance_type"]


def _inserted_in_a_trial(trials: Sequence[Mapping[str, Any]], share: float) -> float | None:
    """The mean over the trials: each is taken to start from the same data."""
    inserted = [_inserted(trial, share) for trial in trials]
    known = [rows for rows in inserted if rows is not None]
    return sum(known) / len(known) if known and len(known) == len(inserted) else None


def _inserted(trial: Mapping[str, Any], share: float) -> float | None:
    """As counted by type, else by its share of all operations; rows that were deleted subtracted."""
    counts = {each["name"]: each["operations"] or 0 for each in trial.get("by_operation") or ()}
    if not counts.keys().isdisjoint(_CHANGING):
        return float(counts.get("insert", 0) - counts.get("delete", 0))
    operations, rate, seconds = (trial.get(name) for name in ("operations", "throughput_ops_s", "duration_s"))
    if operations is None:
        operations = rate * seconds if rate and seconds else None
    return None if operations is None else operations * share
