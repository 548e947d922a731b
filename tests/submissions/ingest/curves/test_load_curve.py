"""Trials at several loads are one curve, and the figures of its row are those of its peak."""

from copy import deepcopy

import pytest

from benchsite.http.refusals import Refusal
from submissions.aggregates.check import differences
from submissions.analysis.curves.load_curve import Confidence, LatencyLimit, at_limit
from submissions.choices import Flag, LatencyKind, LoadMode
from submissions.ingest.changes.change import change
from submissions.ingest.checks.noise import noise_books
from submissions.ingest.curves.load_curve import curve_of
from submissions.ingest.document.readings import Latency, OperationReading
from submissions.ingest.logs.trial_results import TrialResult
from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.store import store, store_all
from submissions.models import LoadPoint, Submission, Trial
from tests.documents import document
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def trial(rate, p99, *, threads=None, offered=None, **facts):
    return {
        "throughput_ops_s": rate,
        "operations": 1_000_000,
        "errors": 0,
        "duration_s": round(1_000_000 / rate, 3),
        "threads": threads,
        "offered_ops_s": offered,
        "latency_kind": "response_time" if offered else "service_time",
        "latency_ms": {"p50": p99 / 4, "p95": p99 / 2, "p99": p99},
        **facts,
    }


THREADS = [
    trial(8_000.0, 4.0, threads=50),
    trial(8_200.0, 4.4, threads=50),
    trial(12_000.0, 8.0, threads=100),
    trial(12_400.0, 9.0, threads=100),
    trial(11_000.0, 30.0, threads=200, errors=5_000),
]


def prepared(trials=THREADS, changes=None):
    return prepare_document(document({"trials": trials, "workload/threads": ..., **(changes or {})}))


def stored(trials=THREADS, changes=None, *, owner=None):
    made = store(prepared(trials, changes), submitted_by=owner).submission
    return Submission.objects.get(pk=made.pk)


def test_the_row_of_a_curve_shows_its_peak_and_not_the_mean_of_all_loads():
    row = stored()

    assert row.load_mode == LoadMode.CURVE
    assert row.throughput_ops_s == 12_200.0  # the mean of all five is 10,320
    assert row.trials_count == 2
    assert row.throughput_low_ops_s < 12_200 < row.throughput_high_ops_s
    assert row.latency_p99_ms == 8.5
    assert (row.operations, row.errors) == (2_000_000, 0)
    assert float(row.ops_per_usd) == pytest.approx(12_200 * 3600 / float(row.hourly_usd))
    assert Flag.ERRORS not in row.flags  # those beyond the peak are no fault of its figures
    assert [each.is_at_peak for each in row.trials.all()] == [False, False, True, True, False]


def test_its_points_are_rows_in_order_of_load():
    points = list(stored().load_points.all())

    assert [(point.threads, point.trials_count, point.throughput_ops_s) for point in points] == [
        (50, 2, 8_100.0),
        (100, 2, 12_200.0),
        (200, 1, 11_000.0),
    ]
    assert [(point.latency_p99_ms, point.worst_p99_ms) for point in points] == [(4.2, 4.4), (8.5, 9.0), (30.0, 30.0)]
    assert [point.is_peak for point in points] == [False, True, False]
    assert points[2].error_share == pytest.approx(5_000 / 1_005_000)
    assert (points[0].operations, points[0].fewest_operations) == (2_000_000, 1_000_000)
    assert at_limit(points, LatencyLimit("p99", 10)).bracket == (12_200.0, None)


def test_repetitions_of_one_load_are_no_curve():
    row = stored([trial(8_000.0, 4.0, threads=50), trial(8_200.0, 4.4, threads=50)])

    assert (row.load_mode, row.trials_count) == (LoadMode.THREADS, 2)
    assert not row.load_points.exists()
    assert all(each.is_at_peak for each in row.trials.all())


def test_a_curve_of_rates_that_were_all_reached_does_not_show_the_capacity():
    offered = [trial(rate, 2.0, offered=rate) for rate in (1_000.0, 2_000.0, 4_000.0)]

    assert Flag.THROTTLED in stored(offered).flags
    row = stored([*offered, trial(5_000.0, 90.0, offered=8_000.0)])
    assert Flag.THROTTLED not in row.flags
    assert (row.throughput_ops_s, row.trials_count) == (5_000.0, 1)


def test_many_curves_at_once_have_their_points_too():
    batch = [prepared(changes={"zones": [f"us-east-1{letter}"]}) for letter in "abcdefghijkl"]

    made = store_all(batch, submitted_by=None)

    assert LoadPoint.objects.filter(submission__in=[each.submission for each in made]).count() == 36
    assert Trial.objects.repetitions().filter(submission=made[7].submission.pk).count() == 2


def test_the_noise_between_trials_is_that_of_one_load():
    row = stored()

    assert differences(row.workload_id) == []
    of_trials = (
        noise_books([row.workload_id], row.latency_kind)[row.workload_id].of_trust_filter(row.trust_filter).throughput
    )

    assert of_trials.of_trials.freedom == 1
    assert of_trials.of_trials.sd == pytest.approx(0.0232, rel=0.01)  # of 12,000 and 12,400


def test_a_curve_without_a_limit_has_the_content_it_always_had():
    assert "slo" not in prepared().content
    limit = {"percentile": "p95", "max_ms": 5, "max_error_share": 0.01}
    with_limit = prepared(changes={"slo": limit})

    assert with_limit.content_hash != prepared().content_hash
    assert stored(changes={"slo": limit}).at_slo.items() >= limit.items()


def test_an_added_thread_count_names_the_points_and_one_that_would_split_them_is_refused():
    owner = UserFactory()
    by_rate = [trial(rate, 2.0, offered=rate) for rate in (1_000.0, 2_000.0)]
    row = stored(by_rate, owner=owner)

    change(row, {"workload": {"threads": 64}}, by=owner)

    assert [point.threads for point in row.load_points.all()] == [64, 64]

    partly = [trial(1_000.0, 2.0, threads=50), trial(1_100.0, 2.0, threads=100), trial(1_200.0, 2.0)]
    with pytest.raises(Refusal, match="load points"):
        change(stored(partly, owner=owner), {"workload": {"threads": 100}}, by=owner)


@pytest.mark.parametrize("percentile", ["p50", "p99"])
def test_the_database_gives_the_same_highest_points(percentile):
    curves = [
        [trial(1_000.0 * n, p99, offered=1_000.0 * n) for n, p99 in enumerate(p99s, start=1)]
        for p99s in ([2, 4, 8, 16], [2, 16, 4, 8], [30, 2], [2, 4], [9, 10.0, 10.01])
    ]
    curves.append([trial(900.0, 2.0, offered=1_000.0), trial(1_900.0, 2.0, offered=2_000.0)])
    curves.append([trial(1_000.0, 2.0, offered=1_000.0), trial(5_000.0, 1.0, threads=9)])
    curves.append([{**trial(1_000.0, 2.0, offered=1_000.0), "errors": None}, trial(2_000.0, 1.0, offered=2_000.0)])
    rows = [stored(deepcopy(trials)) for trials in curves]
    limit = LatencyLimit(percentile, 10 if percentile == "p99" else 2.5)

    by_database = {
        point.submission_id: point.throughput_ops_s
        for point in LoadPoint.objects.highest_keeping(
            percentile=limit.percentile, max_ms=limit.max_ms, max_error_share=limit.max_error_share
        )
    }

    expected = {row.pk: at_limit(list(row.load_points.all()), limit).ops_s for row in rows}
    assert by_database == {pk: rate for pk, rate in expected.items() if rate is not None}
    assert len(by_database) in range(4, 8)


def test_where_percentiles_are_known_by_type_of_operation_only_each_type_is_limited():
    def by_type(rate, threads, *p99s):
        types = tuple(
            OperationReading(name, operations=500, latency=Latency(p99=p99))
            for name, p99 in zip(("read", "update"), p99s, strict=True)
        )
        counted = {"operations": 1_000, "errors": 0}
        return TrialResult(rate, threads=threads, latency_kind=LatencyKind.SERVICE_TIME, by_operation=types, **counted)

    trials = [by_type(900.0, 1, 4.0, 6.0), by_type(1_500.0, 2, 5.0, 14.0), by_type(1_600.0, 4, 9.0, None)]
    points = curve_of(prepared(THREADS[:1] + THREADS[2:]).document, trials)

    assert [point.worst_ms("p99") for point in points] == [6.0, 14.0, None]
    assert [point.is_of_slowest for point in points] == [True, True, False]
    found = at_limit(points, LatencyLimit("p99", 10.0, 0.01))
    assert found.bracket == (900.0, 1_500.0)
    assert Confidence.SLOWEST_OPERATION in found.confidence


def test_an_answer_that_a_record_is_not_there_is_no_error():
    counted = {"operations": 1_000, "errors": 500, "not_found": 500, "latency": Latency(p99=4.0)}
    trials = [TrialResult(900.0 * threads, threads=threads, **counted) for threads in (1, 2, 4)]

    points = curve_of(prepared(THREADS[:1] + THREADS[2:]).document, trials)

    assert [point.error_share for point in points] == [0.0, 0.0, 0.0]
