"""The lines that pgbench logs become a histogram."""

import pytest

from tests.runners.load_tools.scripts.running import run


def latencies(folder, *arguments):
    """What the histogram that the script writes says, and what is left beside it."""
    from submissions.ingest.parsers.hdr_log import PARSER

    assert run("pgbench_latencies.py", "log", "made.hdr", *arguments, cwd=folder) == (0, "", "")
    with (folder / "made.hdr").open() as file:
        return PARSER.parse(file), sorted(path.name for path in folder.iterdir())


def test_the_lines_of_all_threads_become_one_histogram(tmp_path):
    from submissions.analysis.curves.histograms import percentiles

    lines = [f"0 {n} {n * 10} 0 1763798400 {n}" for n in range(1, 1001)]
    (tmp_path / "log.77").write_text("\n".join(lines[:600]) + "\n")
    (tmp_path / "log.77.1").write_text(
        "\n".join([*lines[600:], "1 7 failed 0 1763798400 5", "1 8 skipped 0 1 5", "1 9"])
    )

    reading, left = latencies(tmp_path, "tpcb-like-st")

    assert left == ["made.hdr"]
    by_name = {histogram.operation: histogram for histogram in reading.histograms}
    assert list(by_name) == ["tpcb-like", "total"]
    assert {histogram.kind for histogram in reading.histograms} == {"service_time"}
    found = percentiles(by_name["total"].encoded)
    assert (found.p50, found.p99, found.max) == pytest.approx((5.0, 9.9, 10.0), rel=0.001)
    assert found.mean == pytest.approx(5.005, rel=0.001)
    assert reading.warnings == ()


def test_extreme_latencies_and_a_sample(tmp_path):
    from submissions.analysis.curves.histograms import percentiles

    (tmp_path / "log.1").write_text(f"0 1 0 0 1 1\n0 2 1 0 1 1\n0 3 {10**15} 0 1 1\n")

    reading, _ = latencies(tmp_path, "select-only-rt", "0.0533333")

    assert percentiles(reading.histograms[0].encoded).max == pytest.approx(24 * 3600 * 1000, rel=0.001)
    assert reading.histograms[0].kind == "response_time"
    assert reading.warnings == ("the histogram has 5.33 % of the operations, chosen at random",)
