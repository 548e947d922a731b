"""Interval series for a chart: few points, sums and averages only of what may be averaged."""

import gzip
import hashlib
import json

import pytest

from submissions.charts import Series
from submissions.choices import ArtifactKind
from submissions.ingest.intervals import COLUMNS
from submissions.interval_series import IntervalView, interval_view, view_of
from tests.factories import ArtifactFactory


def row(elapsed, rate, p99, operation="total"):
    values = {"operation": operation, "elapsed_seconds": elapsed, "throughput_ops_s": rate, "p99_ms": p99}
    return [values.get(column) for column in COLUMNS]


def content(*trials):
    return {
        "columns": list(COLUMNS),
        "trials": [{"index": index, "clients": clients} for index, clients in enumerate(trials)],
    }


def test_each_client_of_each_trial_is_a_series_of_the_rows_over_all_types():
    one = [row(1.0, 100.0, 4.0), row(1.0, 60.0, 3.0, "write"), row(2.0, 120.0, None)]
    other = [row(1.0, 90.0, 5.0)]

    assert view_of(content([one], [one, other])) == IntervalView(
        series=(
            Series("trial 1", [1.0, 2.0], [100.0, 120.0], [4.0, None]),
            Series("trial 2, client 1", [1.0, 2.0], [100.0, 120.0], [4.0, None]),
            Series("trial 2, client 2", [1.0], [90.0], [5.0]),
        ),
        bin_seconds=None,
        left_out=0,
    )


def test_a_tool_that_names_its_only_type_has_a_series_too():
    view = view_of(content([[row(1.0, 100.0, 4.0, "write")]]))

    assert view.series == (Series("trial 1", [1.0], [100.0], [4.0]),)


def test_a_long_series_is_binned_by_mean_rate_and_highest_p99():
    rows = [row(float(second), 100.0 + second % 2, float(second % 10)) for second in range(1, 601)]

    view = view_of(content([rows]))

    assert view.bin_seconds == 2
    assert view.series[0].elapsed_seconds[:3] == [2.0, 4.0, 6.0]
    assert view.series[0].throughput_ops_s[:3] == [100.5, 100.5, 100.5]
    assert view.series[0].latency_p99_ms[:5] == [2.0, 4.0, 6.0, 8.0, 9.0]
    assert len(view.series[0].elapsed_seconds) == 300


def test_an_unknown_percentile_stays_unknown_in_a_bin():
    rows = [row(float(second), None, None) for second in range(1, 601)]

    view = view_of(content([rows]))

    assert set(view.series[0].throughput_ops_s) == {None}
    assert set(view.series[0].latency_p99_ms) == {None}


def test_series_beyond_the_most_are_counted_not_drawn():
    view = view_of(content(*([[row(1.0, 1.0, 1.0)]] for _ in range(15))))

    assert (len(view.series), view.left_out) == (12, 3)


def test_no_rows_are_no_chart():
    assert view_of(content([[]])) is None
    assert interval_view([]) is None


@pytest.mark.django_db
def test_a_stored_file_is_read_and_a_lost_one_is_no_error():
    data = gzip.compress(json.dumps(content([[row(1.0, 100.0, 4.0)]])).encode())
    artifact = ArtifactFactory(content=data, kind=ArtifactKind.INTERVALS, name="intervals.json.gz")
    lost = ArtifactFactory.build(sha256=hashlib.sha256(b"lost").hexdigest(), submission=artifact.submission)

    assert interval_view([artifact]).series == (Series("trial 1", [1.0], [100.0], [4.0]),)
    assert interval_view([lost]) is None
