"""However a log was kept, its figures are the same, or it is refused with the reason.

WRAPPERS=all takes every log through every wrapper, the suite a few.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby, pairwise
from pathlib import Path
from zlib import crc32

import pytest

from submissions.ingest.document.readings import LogReading, TrialReading
from tests.submissions.ingest.parsers.reading import read_or_reason
from tests.submissions.ingest.parsers.wrappers import WRAPPERS

DATA = Path(__file__).resolve().parents[3] / "data"
FOLDERS = (
    *("cassandra-stress", "cassandra-stress/older", "ycsb", "ycsb/public", "go-ycsb", "pgbench", "sysbench"),
    *("redis-benchmark", "memtier", "hammerdb", "nosqlbench"),
    *("scylla-bench", "go-tpc", "ycsb-cpp", "easy-stress", "cockroach-workload", "oltpbench-console", "db-bench"),
)
# Two lines are too few to tell what nearly all have in common, once something else is added.
ODD = [path for path in sorted((DATA / "odd-logs").glob("*.log")) if path.read_text().count("\n") > 2]
WRAPPED_ALREADY = {
    "fail-01.log",
    "fail-03.log",
    "fail-04.log",
    "fail-10.log",
    "fail-16.log",
    "fail-17.log",
    "fail-20.log",
}
TOOL_LOGS = [
    path for folder in FOLDERS for suffix in ("log", "txt") for path in sorted((DATA / folder).glob(f"*.{suffix}"))
]
LOGS = TOOL_LOGS + [path for path in ODD if path.name not in WRAPPED_ALREADY]
IS_ALL = os.environ.get("WRAPPERS") == "all"
EACH = len(WRAPPERS) if IS_ALL else 2

SUMMARY = re.compile(
    r"Results:\s*$|\[OVERALL\], ?RunTime|Run finished|transaction type: |SQL statistics:|OLTP test statistics:"
    r"|ALL STATS|RUN #1 RESULTS|Vuser 1:TEST RESULT|-- BEGIN METRICS"
)
MOST_LOST = 0.02  # of a rate, where the rows are lost that print the time to a tenth of a second


def chosen(path: Path, names: Iterable[str], count: int) -> list[str]:
    """Always the same ones of a file, and other ones of another."""
    return sorted(names, key=lambda name: crc32(f"{path.name} {name}".encode()))[:count]


def text_of(path: Path) -> str:
    return path.read_bytes().decode(errors="replace").removeprefix("\ufeff").replace("\r\n", "\n")


def figures(reading: LogReading | str) -> object:
    """All that is read, without the sentences about it; of a refusal only that it is one."""
    return "refused" if isinstance(reading, str) else replace(reading, warnings=())


def trials_of(reading: LogReading | str) -> list[TrialReading]:
    return [] if isinstance(reading, str) else [trial for trials in reading.trial_sets for trial in trials]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        pytest.param(path, name, id=f"{path.parent.name}/{path.name}-{name}")
        for path in LOGS
        for name in chosen(path, WRAPPERS, EACH)
    ],
)
def test_a_wrapper_changes_no_figure(path, name):
    text = text_of(path)

    assert figures(read_or_reason(WRAPPERS[name](text))) == figures(read_or_reason(text.encode()))


PAIRS = [
    pair
    for _, paths in groupby(TOOL_LOGS, key=lambda path: path.relative_to(DATA).parts[0])
    for pair in pairwise(paths)
    if "nosqlbench" not in str(pair[0])  # a log and a summary, which may be of one scenario
]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(first, second, id=f"{first.name}-{second.name}")
        for first, second in PAIRS
        if IS_ALL or crc32(first.name.encode()) % 3 == 0
    ],
)
def test_two_runs_in_one_file_are_both_read_or_refused_for_what_they_do_not_state(first, second):
    alone = trials_of(read_or_reason(text_of(first).encode())) + trials_of(read_or_reason(text_of(second).encode()))

    together = read_or_reason(f"{text_of(first).rstrip()}\n{text_of(second)}".encode())

    if isinstance(together, str):
        assert not alone or "the threads (clients, users) of" in together
    else:
        assert {measured(trial) for trial in trials_of(together)} == {measured(trial) for trial in alone}


def measured(trial: TrialReading) -> tuple[object, ...]:
    return (
        *(trial.throughput_ops_s, trial.operations, trial.errors, trial.duration_s, trial.truncated),
        *(trial.latency, trial.by_operation, trial.intervals),
    )


@pytest.mark.parametrize("path", [path for path in TOOL_LOGS if "redis" not in str(path)], ids=lambda path: path.name)
def test_a_lost_head_changes_no_figure_of_a_summary(path):
    lines = text_of(path).splitlines()
    summary = next((number for number, line in enumerate(lines) if SUMMARY.match(line)), 0)
    whole = trials_of(read_or_reason("\n".join(lines).encode()))
    cuts = sorted({1, 2, 5, 12, 33, summary // 2, summary} & set(range(1, summary + 1)))

    for cut in cuts if IS_ALL else cuts[-2:]:
        rest = read_or_reason("\n".join(lines[cut:]).encode())
        if isinstance(rest, LogReading):
            assert len(trials_of(rest)) == len(whole)
            for one, other in zip(whole, trials_of(rest), strict=True):
                agree(one, other)


def agree(whole: TrialReading, rest: TrialReading) -> None:
    assert rest.truncated == whole.truncated
    assert rest.throughput_ops_s == pytest.approx(whole.throughput_ops_s, rel=MOST_LOST)
    for lost, known in (
        (rest.operations, whole.operations),
        (rest.errors, whole.errors),
        *((getattr(rest.latency, name), getattr(whole.latency, name)) for name in ("mean", "p50", "p95", "p99", "max")),
    ):
        assert lost is None or lost == known


@pytest.mark.parametrize("path", TOOL_LOGS, ids=lambda path: path.name)
def test_a_run_without_a_summary_stays_truncated_without_its_head(path):
    lines = text_of(path).splitlines()
    has_summary = not any(trial.truncated for trial in trials_of(read_or_reason("\n".join(lines).encode())))

    for cut in range(1, 0 if has_summary else min(40, len(lines))):
        assert all(trial.truncated for trial in trials_of(read_or_reason("\n".join(lines[cut:]).encode())))
