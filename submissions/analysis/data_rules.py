"""What each load tool loads: keys and bytes of a row, from a stored workload and settings. Unknown is None.

A table of these rules, each with its source, is in docs/methodology.md.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

Workload = Mapping[str, Any]  # of the document
Settings = Mapping[str, Any]
GIB = 2**30

_SCALES = {"": 1, "k": 1_000, "m": 1_000_000, "b": 1_000_000_000}


@dataclass(frozen=True, slots=True)
class Rows:
    keys: float  # when a trial starts; of a load when it ends
    row_bytes: float  # mean
    inserted_share: float = 0.0  # of the operations, those that delete subtracted
    is_load: bool = False  # into an empty table


# cassandra-stress: settings/SettingsColumn.java of Apache Cassandra (n=FIXED(5), size=FIXED(34))
_STRESS_COLUMNS, _STRESS_COLUMN_BYTES = 5, 34
_STRESS_OPERATIONS = frozenset(("write", "read"))
_COLUMN_OPTION = re.compile(r"(?<!\S)-col\s+(?P<arguments>.*?)(?=\s-[a-z]|$)", re.IGNORECASE)
_POPULATION = re.compile(
    r"(?<!\S)-pop\s+(?:.*?\s)?(?:seq=|dist=~?\w+\()(\d{1,15})([kmb]?)\.\.(\d{1,15})([kmb]?)", re.IGNORECASE
)
_COUNT = re.compile(r"(?<!\S)n=(\d{1,12})([kmb]?)(?!\S)", re.IGNORECASE)
_DISTRIBUTION = re.compile(r"~?(\w+)\((\d{1,12})(?:\.\.(\d{1,12}))?[,\d.]*\)", re.IGNORECASE)
_SYMMETRIC = frozenset(("uniform", "gaussian", "gauss", "normal", "norm"))  # their mean is the middle


def _cassandra_stress(workload: Workload, settings: Settings) -> Rows | None:
    """Of write, read and mixed: the columns of a user profile are its own, and counters have no size.

    A write counts with all of its keys: the log does not show whether they were there before.
    """
    command = _plain(workload.get("command"))
    operations = _shares(workload)
    if not operations:
        first = [word for word in command.lower().split() if word in ("write", "read", "mixed", "user")][:1]
        operations = {"write": 0.5, "read": 0.5} if first == ["mixed"] else dict.fromkeys(first, 1.0)
    if not operations or not operations.keys() <= _STRESS_OPERATIONS:
        return None
    columns, size = workload.get("columns"), workload.get("value_bytes")
    if not command and (columns is None) != (size is None):
        return None  # the log has a distribution where the fact is missing
    keys = workload.get("key_count") or _population(command)
    if not keys and operations.keys() == {"write"}:
        keys = workload.get("requested_operations") or _count(command)
    wide = columns or _of_columns(command, "n", _STRESS_COLUMNS)
    long = size if size is not None else _of_columns(command, "size", _STRESS_COLUMN_BYTES)
    return Rows(keys, wide * long) if keys and wide and long else None


def _of_columns(command: str, name: str, usual: int) -> float | None:
    option = _COLUMN_OPTION.search(command)
    given = re.search(rf"(?<!\S){name}=(\S+)", option["arguments"]) if option else None
    if given is None:
        return usual
    match = _DISTRIBUTION.fullmatch(given[1])
    if match is None:
        return None
    name, low, high = match[1].lower(), int(match[2]), int(match[3] or match[2])
    if name == "fixed":
        return low
    return (low + high) / 2 if name in _SYMMETRIC and match[3] else None


def _population(command: str) -> int | None:
    match = _POPULATION.search(command)
    if match is None:
        return None
    low, high = int(match[1]) * _SCALES[match[2].lower()], int(match[3]) * _SCALES[match[4].lower()]
    return high - low + 1 if high >= low else None


def _count(command: str) -> int | None:
    match = _COUNT.search(command.partition(" -")[0])
    return int(match[1]) * _SCALES[match[2].lower()] if match else None


# YCSB: core/src/main/java/site/ycsb/workloads/CoreWorkload.java, go-ycsb: pkg/prop/prop.go
_YCSB_FIELDS, _YCSB_FIELD_BYTES = 10, 100
FIELD_LENGTH = ("fieldlengthdistribution", "fieldlength", "minfieldlength")  # properties
_ZIPFIAN_EXPONENT = 0.99  # ZipfianGenerator.java
_MOST_LENGTHS = 1_000_000
_PROPERTY = re.compile(r"(?<!\S)-p[ =]([\w.]{1,100})=(\S*)")
_PROPERTY_FILE = re.compile(r"(?<!\S)-P[ =](\S+)")
_CORE_FILE = re.compile(r"(?:.*/)?workload(?:[a-f]|_template)")  # they leave the size of a record at its default
_LOADS = re.compile(r"(?<!\S)(?:-load|load)(?!\S)")


def _ycsb(workload: Workload, settings: Settings) -> Rows | None:
    command = _plain(workload.get("command"))
    given = {name: str(settings[name]) for name in FIELD_LENGTH if name in settings} | dict(_PROPERTY.findall(command))
    fields, size, keys = workload.get("columns"), workload.get("value_bytes"), workload.get("key_count")
    is_hidden = any(not _CORE_FILE.fullmatch(file) for file in _PROPERTY_FILE.findall(command))
    if not keys or not given.get("workload", "core").lower().endswith(("core", "coreworkload")):
        return None
    if is_hidden and (fields is None or size is None):
        return None
    length = size if size is not None else _field_bytes(given)
    if length is None:
        return None
    shares = _shares(workload)
    is_load = bool(_LOADS.search(command)) or given.get("dotransactions") == "false"
    if not command and shares.keys() == {"insert"} and workload.get("key_distribution") is None:
        is_load = True
    inserted = shares.get("insert", 0.0) - shares.get("delete", 0.0)
    return Rows(keys, (fields or _YCSB_FIELDS) * length, inserted, is_load)


def _field_bytes(given: Mapping[str, str]) -> float | None:
    """The mean of CoreWorkload.getFieldLengthGenerator: from minfieldlength (1) to fieldlength, but for `constant`."""
    try:
        longest = int(given.get("fieldlength", _YCSB_FIELD_BYTES))
        shortest = int(given.get("minfieldlength", 1))
    except ValueError:
        return None
    match given.get("fieldlengthdistribution", "constant").lower():
        case "constant":
            return longest
        case "uniform":
            return (shortest + longest) / 2
        case "zipfian":
            return _zipfian_mean(shortest, longest)
        case _:
            return None  # a histogram is in a file of its own


@lru_cache(64)
def _zipfian_mean(low: int, high: int) -> float | None:
    """Of low + rank, whose probability falls with (rank + 1) to the power of the exponent."""
    if not low <= high < low + _MOST_LENGTHS:
        return None
    weights: list[float] = [(rank + 1) ** -_ZIPFIAN_EXPONENT for rank in range(high - low + 1)]
    return sum((low + rank) * weight for rank, weight in enumerate(weights)) / sum(weights)


# pgbench: src/bin/pgbench/pgbench.c; aid, bid and abalance of 4 bytes, filler char(84) with its length
_ACCOUNT_BYTES = 97
_BUILTIN_SCRIPTS = frozenset(("tpcb-like", "simple-update", "select-only"))


def _pgbench(workload: Workload, settings: Settings) -> Rows | None:
    """Its own scripts; what they add to pgbench_history, 24 bytes a transaction, is left out.

    The inspector of Spare Cores states the size of the tables of its script.
    """
    schema_gib = settings.get("schema_gib")
    if isinstance(schema_gib, int | float) and schema_gib > 0:
        return Rows(1, schema_gib * GIB)
    shares, accounts = _shares(workload), workload.get("key_count")
    return Rows(accounts, _ACCOUNT_BYTES) if accounts and shares and shares.keys() <= _BUILTIN_SCRIPTS else None


# sysbench: src/lua/oltp_common.lua; id and k of 4 bytes, c char(120), pad char(60)
_SBTEST_BYTES = 188
_SIZE = re.compile(r"(?<!\S)--(?:oltp[-_])?table[-_]size=(\d{1,12})(?!\S)")
_TABLES = re.compile(r"(?<!\S)--(?:oltp[-_])?tables(?:[-_]count)?=(\d{1,6})(?!\S)")
_OTHER_ROWS = "bulk_insert"  # has tables of its own
_INSERTED = {"oltp_insert": 1.0, "oltp_delete": -1.0}  # rows of a transaction


def _sysbench(workload: Workload, settings: Settings) -> Rows | None:
    command = _plain(workload.get("command"))
    names = {*_shares(workload), *re.findall(r"\b(oltp_\w+|bulk_insert)\b", command)}
    size, tables = _SIZE.search(command), _TABLES.search(command)
    rows = int(size[1]) * (int(tables[1]) if tables else 1) if size else workload.get("key_count")
    if not rows or _OTHER_ROWS in names:
        return None
    return Rows(rows, _SBTEST_BYTES, sum(_INSERTED.get(name, 0.0) for name in names))


def _keys_of_a_load(workload: Workload, settings: Settings) -> Rows | None:
    """Of memtier_benchmark and redis-benchmark: only sets, of each key in turn, and at least one for each."""
    keys, size = workload.get("key_count"), workload.get("value_bytes")
    asked = workload.get("requested_operations")
    is_load = _shares(workload).keys() == {"set"} and workload.get("key_distribution") == "sequential"
    return Rows(keys, size) if keys and size and is_load and asked and asked >= keys else None


def _shares(workload: Workload) -> dict[str, float]:
    return {name.lower(): share for name, share in (workload.get("operations") or {}).items()}


def _plain(command: str | None) -> str:
    """Without what a shell needs."""
    return re.sub(r"[\\\"']", "", " ".join((command or "").split()))


RULES: Mapping[str, Callable[[Workload, Settings], Rows | None]] = {
    "cassandra-stress": _cassandra_stress,
    "cql-stress": _cassandra_stress,
    "ycsb": _ycsb,
    "go-ycsb": _ycsb,
    "pgbench": _pgbench,
    "sysbench": _sysbench,
    "memtier-benchmark": _keys_of_a_load,
    "redis-benchmark": _keys_of_a_load,
}
