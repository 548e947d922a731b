"""What holds for the readings of all samples, whatever the tool."""

from pathlib import Path

import pytest

from submissions.ingest import parsers
from submissions.ingest.parsers.errors import ParseError

DATA = Path(__file__).resolve().parents[3] / "data"
TOOLS = (
    "benchbase",
    "cockroach-workload",
    "db-bench",
    "easy-stress",
    "go-tpc",
    "hammerdb",
    "memtier",
    "nosqlbench",
    "oltpbench-console",
    "perfkitbenchmarker",
    "redis-benchmark",
    "scylla-bench",
    "sysbench",
    "ycsb-cpp",
)


def trials():
    for path in sorted(path for tool in TOOLS for path in (DATA / tool).iterdir()):
        lines = path.read_text(errors="replace").splitlines()
        try:
            reading = parsers.detect(lines).parse(iter(lines))
        except ParseError:
            continue
        for trial_set in reading.trial_sets:
            for trial in trial_set:
                yield path.name, trial


def test_the_rate_is_operations_by_time_within_a_thousandth():
    counted = {
        name: (trial.throughput_ops_s, trial.operations / trial.duration_s)
        for name, trial in trials()
        if trial.operations and trial.duration_s
    }

    assert len(counted) >= 15
    for name, (rate, by_time) in counted.items():
        assert rate == pytest.approx(by_time, rel=0.001), name


def test_percentiles_are_in_order_below_the_maximum():
    for name, trial in trials():
        values = [getattr(trial.latency, level) for level in ("p50", "p95", "p99", "p999", "max")]
        known = [value for value in values if value is not None]
        assert known == sorted(known), name
