"""The bench: its arithmetic, its table, and one whole run at a tiny size."""

import os
import re
import subprocess
import sys
from pathlib import Path

from bench.measures import Measure
from bench.table import table
from bench.timing import Timing, timed_beside

ROOT = Path(__file__).resolve().parents[2]


def measure(what, size, median_ms, p95_ms, floor_ms):
    return Measure(what, size, Timing(median_ms, p95_ms, 20), Timing(floor_ms, floor_ms, 20))


def test_a_timing_is_the_median_and_the_95th_percentile_of_its_calls():
    assert Timing.of([float(n) for n in range(20, 0, -1)]) == Timing(median_ms=10.5, p95_ms=19.0, n=20)
    assert Timing.of([3.0]) == Timing(median_ms=3.0, p95_ms=3.0, n=1)


def test_a_timing_of_many_lines_is_divided_among_them():
    assert Timing(100.0, 200.0, 20).per(50) == Timing(2.0, 4.0, 20)


def test_calls_and_floor_take_turns_and_the_warm_up_is_not_counted():
    done = []

    timing, floor = timed_beside(lambda: done.append("call"), lambda: done.append("floor"), 7, warm_up=3)

    assert done == ["call", "floor"] * 10
    assert (timing.n, floor.n) == (7, 7)


def test_the_table_has_a_row_for_each_thing_and_columns_for_each_size():
    measures = [
        measure("list page", 1_000, 12.0, 15.5, 2.0),
        measure("POST one submission", 1_000, 9.0, 11.25, 1.5),
        measure("list page", 100_000, 18.0, 20.0, 2.0),
        measure("POST one submission", 100_000, 9.9, 30.0, 1.5),
    ]

    assert table(measures) == "\n".join(
        [
            "median / p95 ms (x floor)  1,000 submissions  floor  ratio  100,000 submissions  floor  ratio  100k : 1k",
            "-" * 104,
            "list page                        12.0 / 15.5   2.00  6.0 x          18.0 / 20.0   2.00  9.0 x     1.50 x",
            "POST one submission              9.00 / 11.2   1.50  6.0 x          9.90 / 30.0   1.50  6.6 x     1.10 x",
        ]
    )


def test_the_table_of_one_size_compares_with_no_other():
    assert table([measure("detail", 50, 4.0, 5.0, 2.0)]).splitlines()[0] == (
        "median / p95 ms (x floor)  50 submissions  floor  ratio"
    )


def printed_by_a_run(folder):
    """What a run over 50 and 60 submissions prints, from a real server on its own data."""
    foreign = {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/not-this-one"}
    environment = {**os.environ, **foreign, "STATIC_MANIFEST": "0", "WEB_WORKERS": "1"}
    command = [sys.executable, "-m", "bench", "--sizes", "50,60", "--requests", "2", "--data-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_run_prints_every_measure_at_every_size_and_says_what_it_measures(tmp_path):
    output = printed_by_a_run(tmp_path)

    rows = [line for line in output.splitlines() if re.search(r"[\d.]+ / [\d.]+ .* x", line)]

    assert [re.split(r"  +", row)[0] for row in rows] == [
        "home",
        "list page",
        "list page, filtered",
        "list page, by ops per dollar",
        "detail",
        "value page",
        "value page, today's prices",
        "workload page",
        "compare page, six",
        "grid page",
        "scaling page",
        "sizing page",
        "history page",
        "embedded chart",
        "data page",
        "feed",
        "API list",
        "API list, by p99",
        "API detail",
        "API leaderboard",
        "POST one submission",
        "POST bulk, a line of 200",
    ]
    assert all(len(re.findall(r"[\d.]+ / [\d.]+", row)) == 2 for row in rows)
    assert "50 submissions made, measuring at 50" in output
    assert "10 submissions made, measuring at 60" in output
    assert "2 requests each" in output
