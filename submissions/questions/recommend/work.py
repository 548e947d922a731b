"""What a workload mostly does, from the shares of its operations as parsers and documents name them."""

from collections.abc import Mapping

from submissions.choices import Choice

MOSTLY_READS, MOSTLY_WRITES = 0.8, 0.2  # shares of reads: from this on, up to this

_READS = frozenset(
    (
        *("read", "scan", "get", "gets", "mget", "hget", "exists", "select", "select-only", "counter_read", "query"),
        *("range", "lrange", "search", "oltp_read_only", "oltp_point_select"),
        *("select_random_points", "select_random_ranges"),
    )
)
_WRITES = frozenset(
    (
        *("write", "update", "insert", "delete", "set", "sets", "mset", "hset", "put", "counter_write"),
        *("incr", "lpush", "rpush", "lpop", "rpop", "sadd", "spop", "zadd"),
        *("oltp_write_only", "oltp_insert", "oltp_delete", "oltp_update_index", "oltp_update_non_index"),
    )
)
# Transactions of several statements: the share of those that read
_TRANSACTIONS = {"read-modify-write": 1 / 2, "tpcb-like": 1 / 5, "simple-update": 1 / 3, "oltp_read_write": 14 / 18}

# Of operations on one row: rows that are written, rows that are read. A delete sends none.
_ROWS: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("read", "get", "gets", "hget", "select", "select-only", "oltp_point_select"), (0, 1)),
    **dict.fromkeys(("write", "update", "insert", "set", "sets", "hset", "put"), (1, 0)),
    **dict.fromkeys(("oltp_insert", "oltp_update_index", "oltp_update_non_index"), (1, 0)),
    **dict.fromkeys(("delete", "oltp_delete", "exists"), (0, 0)),
    "read-modify-write": (1, 1),
}


class Work(Choice):
    READS = "reads"
    MIXED = "mixed"
    WRITES = "writes"

    @property
    def label(self) -> str:
        return _LABELS[self.value]


_LABELS = {"reads": "mostly reads", "mixed": "mixed", "writes": "mostly writes"}


def read_share(operations: Mapping[str, float] | None) -> float | None:
    """Reads as a share of all operations; None where one of them is not known to read or to write."""
    if not operations:
        return None
    parts = [(share, _part(name)) for name, share in operations.items()]
    total = sum(share for share, _ in parts)
    known = [share * part for share, part in parts if part is not None]
    return sum(known) / total if total > 0 and len(known) == len(parts) else None


def rows_per_operation(operations: Mapping[str, float] | None) -> tuple[float, float] | None:
    """How many rows an operation writes and reads on average; None where one of them has no known number of rows."""
    if not operations or not (total := sum(operations.values())) > 0:
        return None
    known = [(share, _ROWS.get(name.lower())) for name, share in operations.items()]
    if any(rows is None for _, rows in known):
        return None
    written = sum(share * rows[0] for share, rows in known if rows)
    read = sum(share * rows[1] for share, rows in known if rows)
    return written / total, read / total


def work_of(operations: Mapping[str, float] | None) -> Work | None:
    """None where the share of reads is unknown."""
    share = read_share(operations)
    if share is None:
        return None
    if share >= MOSTLY_READS - _ROUNDING:
        return Work.READS
    return Work.WRITES if share <= MOSTLY_WRITES + _ROUNDING else Work.MIXED


_ROUNDING = 1e-9  # of a sum of shares


def _part(name: str) -> float | None:
    name = name.lower()
    if name in _TRANSACTIONS:
        return _TRANSACTIONS[name]
    return 1.0 if name in _READS else 0.0 if name in _WRITES else None
