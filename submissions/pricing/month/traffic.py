"""Payload that a cluster sends from zone to zone: one formula, for a month and for a run. See docs/methodology.md."""

from dataclasses import dataclass
from decimal import Decimal

from submissions.choices import ConsistencyLevel

BYTES_PER_GB = 1_000_000_000

UNKNOWN_MIX = "the rows that an operation reads and writes are not known"
UNKNOWN_FACTOR = "the replication factor is not stated"
UNKNOWN_ROW = "the bytes of a row are not stated"

# A read asks one copy for the row and the others for a digest, which is no payload:
# docs.datastax.com/en/cassandra-oss/3.0/cassandra/dml/dmlClientRequestsRead.html, docs.scylladb.com/manual/master/
# architecture/anti-entropy/read-repair.html
_COMPARE_DIGESTS = frozenset(("cassandra", "dse", "scylladb"))

_COPIES = {ConsistencyLevel.TWO: 2, ConsistencyLevel.THREE: 3}
_MAJORITY = frozenset(
    (
        *(ConsistencyLevel.QUORUM, ConsistencyLevel.LOCAL_QUORUM, ConsistencyLevel.EACH_QUORUM),
        *(ConsistencyLevel.SERIAL, ConsistencyLevel.LOCAL_SERIAL),
    )
)


@dataclass(frozen=True, slots=True)
class Rows:
    """How many rows are written and read, in a second or in all; None: unknown."""

    written: Decimal | None
    read: Decimal | None
    row_bytes: Decimal | None
    replication_factor: int | None
    service: str = ""
    consistency_level: str | None = None

    def times(self, seconds: int) -> "Rows":
        """Of rows in a second those of so many seconds."""
        return Rows(
            None if self.written is None else self.written * seconds,
            None if self.read is None else self.read * seconds,
            self.row_bytes,
            self.replication_factor,
            self.service,
            self.consistency_level,
        )


def gb_between_zones(rows: Rows, zones: int) -> tuple[Decimal | None, str]:
    """GB of 10^9 bytes that leave their zone; None with the end of a sentence that says what is unknown.

    Any node may coordinate a request, and copies are spread evenly: of what it sends to copies, a share of (z - 1) / z
    goes to other zones. A read is answered by the coordinator's own copy, or one in its zone; what it fetches beyond
    that one comes from other zones in the same share.
    """
    if zones < 2:
        return Decimal(0), ""
    if rows.written is None or rows.read is None:
        return None, UNKNOWN_MIX
    if rows.written and rows.replication_factor is None:
        return None, UNKNOWN_FACTOR
    fetched = _fetched(rows) if rows.read else 0
    if fetched is None:
        return None, UNKNOWN_FACTOR
    copies = rows.written * (rows.replication_factor or 0) + rows.read * fetched
    if not copies:
        return Decimal(0), ""
    if rows.row_bytes is None:
        return None, UNKNOWN_ROW
    return copies * rows.row_bytes * (zones - 1) / (zones * BYTES_PER_GB), ""


def _fetched(rows: Rows) -> int | None:
    """Copies whose payload a read fetches beside the first one; None where the replication factor decides it."""
    level, factor = rows.consistency_level, rows.replication_factor
    if rows.service in _COMPARE_DIGESTS or level is None:
        return 0
    if level in _COPIES:
        return _COPIES[ConsistencyLevel(level)] - 1
    if level in _MAJORITY:
        return None if factor is None else factor // 2
    if level == ConsistencyLevel.ALL:
        return None if factor is None else factor - 1
    return 0  # ONE, LOCAL_ONE; a read at ANY does not exist
