"""The sentences of a history: the changes, what changed at the same point, what is excluded."""

from datetime import UTC, datetime, timedelta

import pytest

from submissions.choices import LatencyKind, Trust
from submissions.metrics import LATENCY_P99, THROUGHPUT
from submissions.models import Submission
from submissions.questions.boards.choice import WorkloadChoice
from submissions.questions.boards.counts import Counts
from submissions.questions.boards.reasons import Reason
from submissions.questions.history.query import HistoryResult, metric_history
from submissions.questions.history.sentences import chart_caveats, chart_label, fact_changes, finding, notes
from submissions.records.lines import LINE_FACTS, Line

START = datetime(2015, 1, 1, tzinfo=UTC)
LINE = Line(tuple({"provider": "aws", "instance_type": "m5.xlarge", "node_count": 3}.get(name) for name in LINE_FACTS))


def submissions(*rates, version="2.1", first=0, **facts):
    return [
        Submission(
            pk=first + number,
            measured_at=START + timedelta(days=first + number),
            throughput_ops_s=rate,
            service_version=version,
            trials_count=3,
            **facts,
        )
        for number, rate in enumerate(rates)
    ]


def result(points, excluded=None, with_p99=()):
    return HistoryResult(
        workload=WorkloadChoice("0" * 16, "writes", len(points)),
        line=LINE,
        points=tuple(points),
        counts=Counts(len(points), LatencyKind.SERVICE_TIME, {}, excluded or {}),
        throughput=metric_history(THROUGHPUT, points),
        latency=metric_history(LATENCY_P99, list(with_p99)),
    )


STEP = [*submissions(*[100.0, 101.0] * 5), *submissions(*[150.0, 151.0] * 5, version="2.2", first=10)]


def test_the_finding_has_the_change_the_levels_and_what_changed_with_it():
    assert finding(result(STEP)) == (
        "Throughput of 3× m5.xlarge · AWS changed once in 20 measurements (2015-01-01 to 2015-01-20): "
        "by +49.8 % on 2015-01-11, from 100 to 150 ops/s, together with database version 2.1 → 2.2."
    )


def test_of_several_changes_the_finding_has_the_most_recent():
    back = submissions(*[100.0, 101.0] * 5, version="2.2", first=20)

    assert "changed 2 times in 30 measurements" in finding(result([*STEP, *back]))
    assert "most recently by −33.2 % on 2015-01-21" in finding(result([*STEP, *back]))


def test_without_a_change_and_with_too_few_points_the_finding_is_plain():
    assert finding(result(STEP[:10])) == (
        "Throughput of 3× m5.xlarge · AWS: no change beyond noise in 10 measurements, 2015-01-01 to 2015-01-10."
    )
    assert finding(result(STEP[:8])) == (
        "8 measurements of 3× m5.xlarge · AWS: too few to tell a change from noise. At least 10 are needed."
    )


def test_a_fact_that_is_not_stated_on_both_sides_is_no_change():
    before, after = submissions(*[100.0, 101.0] * 5, version=None), STEP[10:]

    (change,) = result([*before, *after]).throughput.changes
    assert fact_changes(change) == []


def test_the_notes_have_what_is_excluded_and_what_has_no_p99():
    excluded = {Reason.FLAGGED: 3, Reason.UNDATED: 1}

    assert notes(result(STEP, excluded)) == [
        "Excluded: 3 with a data-quality flag and 1 without a measurement date.",
        "There is no history of latency: no p99 has a known latency kind.",
    ]
    some = submissions(*[100.0] * 5, latency_p99_ms=4.0)
    assert notes(result(STEP, with_p99=some)) == ["15 of 20 results have no p99 service time."]


@pytest.mark.parametrize(
    ("points", "label"),
    [
        (STEP[:1], "Throughput: 1 result; at least 10 are needed to detect changes."),
        (STEP[:10], "Throughput: no change beyond noise in 10 results."),
        (STEP, "Throughput: 1 change in 20 results: +49.8 % at #10."),
    ],
)
def test_the_chart_is_labelled_with_its_changes(points, label):
    assert chart_label("Throughput", result(points).throughput) == label


def test_the_chart_states_single_trials_and_articles():
    points = submissions(1.0, 2.0, trust=Trust.HISTORICAL)
    points[0].trials_count = 1

    assert chart_caveats(result(points).throughput) == [
        "1 of 2 results has a single trial, and therefore no interval.",
        "Both results come from articles, without a raw log.",
    ]
