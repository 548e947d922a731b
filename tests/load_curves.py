"""Load curves as rows: the same system at several thread counts."""

from collections.abc import Sequence
from typing import Any

from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.store import store
from submissions.models import Submission
from tests.documents import document

# (threads, ops/s, p99 in ms)
LOADS = ((50, 40_000.0, 2.0), (100, 75_000.0, 6.0), (200, 110_000.0, 9.0), (400, 130_000.0, 25.0))


def curve(loads: Sequence[tuple[int, float, float]] = LOADS, changes: dict[str, Any] | None = None) -> Submission:
    """Uploaded without a log: of the trust filter `uploaded`. Several trials of one thread count are one load."""
    trials = [
        {
            "throughput_ops_s": rate,
            "operations": 2_000_000,
            "errors": 0,
            "threads": threads,
            "latency_kind": "service_time",
            "latency_ms": {"p50": p99 / 3, "p99": p99},
        }
        for threads, rate, p99 in loads
    ]
    content = document({"trials": trials, "workload/threads": ..., **(changes or {})})
    return store(prepare_document(content), submitted_by=None).submission
