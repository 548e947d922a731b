"""The bench: its arithmetic, its tables, its goals, and one whole run at a tiny size."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench import report
from bench.__main__ import names_among, row_counts
from bench.cpu import Cpu, Processes, pss_mb, tree
from bench.goals import goals
from bench.timing import Timing

ROOT = Path(__file__).resolve().parents[2]


def cpu(python=0.0, postgres=0.0, redis=0.0):
    return {"python": python, "postgres": postgres, "redis": redis}


def page(cold, *, status=200, kept=1.0, gzip_bytes=12_000, unchanged=None):
    return {
        "status": status,
        "bytes": 100_000,
        "gzip_bytes": gzip_bytes,
        "cold": {"cpu": cpu(cold - 5, 5), "ms": cold * 1.5},
        "changed": {"cpu": cpu(cold, cold), "ms": cold * 2},
        "warm": {"cpu": cpu(cold / 2), "ms": cold},
        "kept": {"cpu": cpu(kept)},
        "unchanged": unchanged,
        "c8": {"per_second": 40.0, "ms": 180.0, "p99_ms": 300.0, "errors": 0},
    }


def of_rows(**pages):
    floors = {"table": cpu(10.0), "nothing": cpu(0.5), "loose scan": cpu(6.0)}
    return {"pages": pages, "floors": floors, "memory": {"fresh": {"web": 200.0}, "after": {"web": 300.0}}}


def run_of(**rows):
    return {"about": {"commit": "abc1234", "note": "", "time": "2026-11-22 20:00:00"}, "start": None, "rows": rows}


def verdicts(found):
    return {work: (found, met) for work, _, found, met in goals(found)}


def test_a_timing_is_the_median_and_two_percentiles_of_its_calls():
    assert Timing.of([float(n) for n in range(20, 0, -1)]) == Timing(10.5, p95_ms=19.0, n=20, p99_ms=20.0)
    assert Timing.of([3.0]) == Timing(3.0, p95_ms=3.0, n=1, p99_ms=3.0)


def test_the_cpu_of_a_process_grows_by_what_it_does():
    own = Processes(python=[os.getpid()])
    before = own.cpu()

    sum(range(300_000))
    spent = own.cpu() - before

    assert spent.python > 0
    assert (spent.postgres, spent.redis) == (0.0, 0.0)
    assert (spent + Cpu(1.0, 2.0, 3.0)).total == pytest.approx(spent.python + 6)
    assert spent.per(2).python == pytest.approx(spent.python / 2)


def test_memory_is_that_of_a_process_and_all_below_it():
    assert os.getpid() in tree(os.getpid())
    assert pss_mb([os.getpid()]) > 1
    assert pss_mb([2**22 + 1]) == 0.0


@pytest.mark.parametrize(("text", "sizes"), [("1k,100k,1M", [1_000, 100_000, 1_000_000]), ("50,40", [40, 50])])
def test_numbers_of_rows_have_units(text, sizes):
    assert row_counts(text) == sizes


@pytest.mark.parametrize("text", ["", "0", "many", "1k,"])
def test_a_number_of_rows_that_is_none_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError):
        row_counts(text)


def test_an_unknown_part_is_refused_with_the_known_ones():
    with pytest.raises(argparse.ArgumentTypeError, match="speed: choose from start, pages"):
        names_among(("start", "pages"))("pages,speed")


def test_a_table_of_pages_shows_cpu_in_floors():
    lines = report.pages("1000", of_rows(list=page(30.0))).splitlines()

    assert lines[0].startswith("1,000 rows: CPU ms of a request (Python + PostgreSQL); floors: table 10.0 ms")
    cells = "25.0 + 5.00 3.0 x 45.0 30.0 + 30.0 60.0 15.0 + 0.00 1.5 x 40 300 1.00 none 12.0"
    assert " ".join(lines[3].split()) == f"list {cells}"


def test_a_page_without_an_answer_says_so():
    table = report.pages("1000", of_rows(grid=page(20_000.0, status=503)))

    assert "answered 503" in table


def test_goals_are_met_missed_or_not_measured():
    unchanged = {"cpu": cpu(1.2), "share_304": 1.0}
    found = run_of(
        **{
            "1000": of_rows(list=page(20.0), home=page(20.0)),
            "1000000": of_rows(
                list=page(25.0, unchanged=unchanged), home=page(45.0, kept=3.0, gzip_bytes=41_000, unchanged=unchanged)
            ),
        }
    )

    said = verdicts(found)

    assert said["list, first reader after an upload"] == ("2.5 x", "met")
    assert said["home, first reader after an upload"] == ("4.5 x", "missed")
    assert said["grid, first reader after an upload"] == ("not measured", "")
    assert said["the same, most rows : fewest"] == ("2.25 x (home)", "missed")
    assert said["unchanged page (304), CPU"] == ("0.70 ms more than an empty answer", "met")
    assert said["anonymous page kept, CPU"] == ("2.50 ms more than an empty answer", "missed")
    assert said["largest page without a chart, gzip"] == ("41.0 kB (home)", "missed")
    assert said["whole local site, at the end, PSS"] == ("300 MB", "met")
    assert said["bulk"] == ("not measured", "")


def test_sizes_of_pages_are_judged_without_charts_and_the_library_of_charts_apart():
    with_chart = page(20.0, gzip_bytes=54_000) | {"has_chart": True}
    without = page(20.0, gzip_bytes=15_000) | {"has_chart": False}
    measured = of_rows(history=with_chart, list=without) | {"chart_bundle_bytes": 331_000}

    said = verdicts(run_of(**{"1000": measured}))

    assert said["largest page without a chart, gzip"] == ("15.0 kB (list)", "met")
    assert said["largest page with charts, gzip"] == ("54.0 kB (history)", "")
    assert said["library of the charts, brotli"] == ("331.0 kB", "missed")


def test_a_page_that_did_not_answer_meets_no_goal():
    said = verdicts(run_of(**{"1000000": of_rows(grid=page(20_000.0, status=503))}))

    assert said["grid, first reader after an upload"] == ("no answer", "missed")


def test_two_runs_are_compared_by_what_both_have():
    before = run_of(**{"1000": of_rows(list=page(60.0), grid=page(90.0))})
    now = run_of(**{"1000": of_rows(list=page(30.0), home=page(20.0))})

    text = report.compared(before, now)

    assert text.splitlines()[0] == "before: abc1234 , 2026-11-22 20:00:00"
    assert "1,000 rows: list, cold 6.00 3.00 0.50 x" in " ".join(text.split())
    assert "home" not in text
    assert "grid" not in text


def test_a_run_measures_a_real_site_and_leaves_its_figures(tmp_path):
    foreign = {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/not-this-one"}
    environment = {**os.environ, **foreign, "STATIC_MANIFEST": "0", "WEB_WORKERS": "1"}
    figures = tmp_path / "figures.json"
    command = [sys.executable, "-m", "bench", "--rows", "60", "--only", "pages", "--pages", "list,API list"]
    command += ["--repeat", "1", "--data-dir", str(tmp_path / "data"), "--json", str(figures)]

    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)

    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(figures.read_text())["rows"]["60"]
    assert set(found["pages"]) == {"list", "API list"}
    for measured in found["pages"].values():
        assert measured["status"] == 200
        assert measured["cold"]["cpu"]["python"] > 0
        assert measured["changed"]["cpu"]["python"] > 0
        assert measured["warm"]["cpu"]["postgres"] > 0
        assert measured["c8"]["errors"] == 0
    assert found["floors"]["table"]["python"] > found["floors"]["nothing"]["python"] > 0
    assert found["memory"]["fresh"]["web"] > 10
    assert found["memory"]["fresh"]["PostgreSQL"] > 1
    assert found["memory"]["after"]["web"] > 10
    assert list((tmp_path / "data/artifacts/datasets").iterdir())  # its first dump begins in no measurement
    assert "60 rows: CPU ms of a request" in done.stdout
    assert "list, first reader after an upload" in done.stdout
