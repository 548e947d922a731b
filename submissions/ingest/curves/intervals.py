"""The interval series of a submission as one compressed file: too many for rows, never changed."""

import gzip
from collections.abc import Iterator, Sequence
from typing import IO, Any

from pydantic_core import from_json, to_json

from submissions.ingest.document.readings import Interval, Latency
from submissions.ingest.logs.trial_results import TrialResult

MOST_BYTES = 32 * 1024 * 1024  # of JSON, for a page: about 400,000 rows, more than four days of one a second
PIECE_BYTES = 64 * 1024

COLUMNS = (
    "operation",
    "elapsed_seconds",
    "operations",
    "errors",
    "throughput_ops_s",
    "mean_ms",
    "p50_ms",
    "p95_ms",
    "p99_ms",
    "p999_ms",
    "max_ms",
    "gc_count",
    "gc_ms",
)


def packed(trials: Sequence[TrialResult]) -> bytes | None:
    """Gzipped JSON {"columns", "trials": [{"index", "clients": [[row, ...], ...]}]}; None if empty."""
    if not any(series for trial in trials for series in trial.intervals):
        return None
    content = {
        "columns": COLUMNS,
        "trials": [
            {"index": index, "clients": [(row_of(interval) for interval in series) for series in trial.intervals]}
            for index, trial in enumerate(trials)
        ],
    }
    return gzip.compress(to_json(content), mtime=0)  # same series, same sum


def unpacked(stored: IO[bytes], most_bytes: int | None = None) -> dict[str, Any] | None:
    """What `packed` wrote; None where that is more than a page may read, or than the caller may."""
    most_bytes = most_bytes or MOST_BYTES
    with gzip.open(stored) as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        return None
    content: dict[str, Any] = from_json(data)
    return content


def pieces(stored: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
    """What `packed` wrote, a piece at a time."""
    with stored:
        while piece := stored.read(PIECE_BYTES):
            yield piece


def json_pieces(stored: IO[bytes]) -> Iterator[bytes]:
    """What `packed` wrote, as JSON, a piece at a time."""
    with stored, gzip.open(stored) as file:
        yield from pieces(file)


def row_of(interval: Interval) -> tuple[Any, ...]:
    """The values of COLUMNS."""
    latency = interval.latency
    return (
        interval.operation,
        interval.elapsed_seconds,
        interval.operations,
        interval.errors,
        interval.throughput_ops_s,
        latency.mean,
        latency.p50,
        latency.p95,
        latency.p99,
        latency.p999,
        latency.max,
        interval.gc_count,
        interval.gc_ms,
    )


def interval_of(row: Sequence[Any]) -> Interval:
    """What `row_of` was given."""
    operation, elapsed_seconds, operations, errors, throughput_ops_s, *latencies, gc_count, gc_ms = row
    return Interval(
        operation, elapsed_seconds, operations, errors, throughput_ops_s, Latency(*latencies), gc_count, gc_ms
    )
