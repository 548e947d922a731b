"""A trial of rows that count operations from the start, one every few seconds."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Interval, Latency, OperationReading, TrialReading
from submissions.ingest.parsers.errors import ParseError

OPERATIONS = ("write", "read", "delete")  # in the order of the columns
P99_IS_SAMPLED = (
    "the percentiles are the tool's estimates: of about a thousand requests, most of them of the last five minutes"
)


@dataclass(frozen=True, slots=True)
class Row:
    elapsed_s: float  # since the start of the run
    counts: tuple[int, ...]  # of OPERATIONS, since then
    errors: int
    latencies: tuple[Latency, ...] = field(default=())

    @property
    def done(self) -> int:
        return sum(self.counts)


def trial(rows: Sequence[Row], kind: LatencyKind, *, prefix: str, is_complete: bool) -> TrialReading:
    """The run ends within the last row that grew: where, follows from the rate of the rows before it."""
    grown = [row for before, row in zip([0, *(row.done for row in rows)], rows, strict=False) if row.done > before]
    if not grown:
        raise ParseError("no operation was completed: there is no result to record")
    if len(grown) < 2:
        raise ParseError(
            f"the run was over before its second row, within {grown[0].elapsed_s:g} s: too short for a rate"
        )
    before, last = grown[-2:]
    seconds = min(last.done * before.elapsed_s / before.done, last.elapsed_s)
    by_operation = _by_operation(last, prefix)
    return TrialReading(
        throughput_ops_s=last.done / seconds,
        operations=last.done,
        errors=rows[-1].errors,
        duration_s=round(seconds, 3),
        latency_kind=kind,
        latency=by_operation[0].latency if len(by_operation) == 1 else Latency(),
        by_operation=by_operation,
        intervals=tuple(_intervals(grown)),
        truncated=not is_complete,
    )


def _by_operation(row: Row, prefix: str) -> tuple[OperationReading, ...]:
    latencies = row.latencies or (Latency(),) * len(OPERATIONS)
    return tuple(
        OperationReading(name=prefix + name, operations=count, latency=latency)
        for name, count, latency in zip(OPERATIONS, row.counts, latencies, strict=True)
        if count
    )


def _intervals(rows: Sequence[Row]) -> Sequence[Interval]:
    """Without percentiles: those of a row are of minutes."""
    intervals = []
    before = Row(0.0, (0,) * len(OPERATIONS), 0)
    for row in rows:
        seconds, errors = row.elapsed_s - before.elapsed_s, row.errors - before.errors
        done = row.done - before.done + max(0, errors)
        intervals.append(
            Interval("total", row.elapsed_s, done, max(0, errors), done / seconds if seconds > 0 else None)
        )
        before = row
    return intervals


def counts_of(row: Row, prefix: str) -> dict[str, int]:
    return {prefix + name: count for name, count in zip(OPERATIONS, row.counts, strict=True) if count}


def shifted(rows: Sequence[Row], seconds: float) -> list[Row]:
    return [replace(row, elapsed_s=round(row.elapsed_s - seconds, 3)) for row in rows]
