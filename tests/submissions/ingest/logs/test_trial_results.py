"""Several clients of one trial, several trials of one submission: what may be added, what may not."""

import random

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Histogram, Latency, OperationReading, TrialReading
from submissions.ingest.logs.trial_results import TrialResult, from_clients, latency_headline

SERVICE, RESPONSE = LatencyKind.SERVICE_TIME, LatencyKind.RESPONSE_TIME


def client(**changes):
    return TrialReading(
        **{
            "throughput_ops_s": 1000.0,
            "operations": 10_000,
            "errors": 0,
            "duration_s": 10.0,
            "threads": 8,
            "latency_kind": SERVICE,
            "latency": Latency(mean=2.0, p50=1.5, p95=4.0, p99=8.0, p999=16.0, max=20.0),
            **changes,
        }
    )


def encoded(values_ms):
    histogram = HdrHistogram(1, 3_600_000_000_000, 3)
    for value in values_ms:
        histogram.record_value(int(value * 1_000_000))
    return histogram.encode().decode()


def test_one_client_is_the_trial():
    by_operation = (OperationReading("write", 10_000, 0, 1000.0),)

    trial = from_clients([client(by_operation=by_operation)])

    assert (trial.throughput_ops_s, trial.operations, trial.duration_s) == (1000.0, 10_000, 10.0)
    assert (trial.client_count, trial.threads) == (1, 8)
    assert trial.latency == client().latency
    assert trial.by_operation == by_operation
    assert trial.is_mergeable


def test_a_histogram_beside_the_log_tells_what_the_log_does_not_print():
    histogram = Histogram("total", SERVICE, encoded([1.0] * 98 + [9.0] * 2))

    trial = from_clients([client(latency=Latency(mean=2.0))], [(histogram,)])

    assert trial.latency.mean == 2.0
    assert (trial.latency.p50, trial.latency.p99) == pytest.approx((1.0, 9.0), rel=0.001)


def test_no_percentile_of_a_histogram_is_above_the_exact_maximum_of_the_log():
    """918.015 ms is in a counter that ends at 918.028 ms: the trial was once refused for it."""
    histogram = Histogram("total", SERVICE, encoded([1.0] * 98 + [918.015] * 2))

    trial = from_clients([client(latency=Latency(mean=2.0, max=918.015))], [(histogram,)])

    assert (trial.latency.p99, trial.latency.p999, trial.latency.max) == (918.015, 918.015, 918.015)
    assert trial.latency.p50 == pytest.approx(1.0, rel=0.001)


def test_a_histogram_with_larger_values_than_the_log_is_not_made_to_fit():
    histogram = Histogram("total", SERVICE, encoded([1.0] * 98 + [930.0] * 2))

    trial = from_clients([client(latency=Latency(mean=2.0, max=918.015))], [(histogram,)])

    assert trial.latency.p999 == pytest.approx(930.0, rel=0.001)


def test_clients_rates_and_operations_are_added_and_the_longest_time_kept():
    trial = from_clients([client(), client(throughput_ops_s=500.0, operations=6_000, errors=3, duration_s=12.0)])

    assert (trial.throughput_ops_s, trial.operations, trial.errors) == (1500.0, 16_000, 3)
    assert (trial.duration_s, trial.client_count) == (12.0, 2)


def test_an_unknown_part_makes_the_sum_unknown():
    trial = from_clients([client(), client(operations=None, errors=None)])

    assert (trial.operations, trial.errors, trial.throughput_ops_s) == (None, None, 2000.0)


def test_percentiles_of_summaries_are_a_range_ranked_by_its_maximum():
    slow = Latency(mean=5.0, p50=3.0, p95=6.0, p99=9.0, p999=10.0, max=11.0)

    trial = from_clients([client(), client(latency=slow, operations=30_000)])

    assert trial.ranges == (
        ("p50", 1.5, 3.0),
        ("p95", 4.0, 6.0),
        ("p99", 8.0, 9.0),
        ("p999", 10.0, 16.0),
    )
    # the mean is exact: (2 x 10,000 + 5 x 30,000) / 40,000
    assert trial.latency == Latency(mean=4.25, p50=3.0, p95=6.0, p99=9.0, p999=16.0, max=20.0)
    assert not trial.is_mergeable


def test_a_percentile_that_one_client_lacks_is_unknown():
    trial = from_clients([client(), client(latency=Latency(p50=1.0, p99=3.0))])

    assert [name for name, _, _ in trial.ranges] == ["p50", "p99"]
    assert (trial.latency.p95, trial.latency.max, trial.latency.mean) == (None, None, None)


def test_histograms_of_clients_are_pooled_not_averaged():
    rng = random.Random(7)
    fast = [rng.uniform(0.1, 2) for _ in range(9_000)]
    slow = [rng.uniform(50, 100) for _ in range(1_000)]
    clients = [client(histograms=(Histogram("total", SERVICE, encoded(values)),)) for values in (fast, slow)]

    trial = from_clients(clients)

    pooled = np.array(fast + slow)
    assert trial.is_mergeable
    for name, percent in (("p50", 50), ("p95", 95), ("p99", 99)):
        expected = np.percentile(pooled, percent, method="inverted_cdf")
        assert getattr(trial.latency, name) == pytest.approx(expected, rel=2e-3)
    assert trial.latency.max == pytest.approx(pooled.max(), rel=2e-3)


def test_a_histogram_that_one_client_lacks_is_not_taken_for_the_whole():
    with_one = client(histograms=(Histogram("total", SERVICE, encoded([1, 2])),))

    trial = from_clients([with_one, client()])

    assert trial.histograms == ()
    assert not trial.is_mergeable


def test_service_and_response_time_are_kept_apart():
    files = [
        (
            Histogram("total", SERVICE, encoded([1.0] * 100)),
            Histogram("total", RESPONSE, encoded([9.0] * 100)),
        )
    ]

    trial = from_clients([client(latency_kind=RESPONSE, latency=Latency(p99=9.0))], files)

    by_kind = dict(trial.by_kind)
    assert by_kind[SERVICE].p99 == pytest.approx(1.0, rel=2e-3)
    assert by_kind[RESPONSE].p99 == pytest.approx(9.0, rel=2e-3)
    assert (trial.latency_kind, trial.latency.p99) == (RESPONSE, 9.0)


def test_clients_of_different_kinds_have_no_common_kind():
    trial = from_clients([client(), client(latency_kind=RESPONSE)])

    assert trial.latency_kind == LatencyKind.UNKNOWN


def test_one_truncated_client_makes_a_truncated_trial():
    assert from_clients([client(), client(truncated=True)]).is_truncated


def test_trials_histograms_are_pooled_for_the_headline():
    trials = [
        from_clients([client(histograms=(Histogram("total", SERVICE, encoded(values)),))])
        for values in ([1.0] * 99 + [50.0], [1.0] * 100)
    ]

    assert latency_headline(trials).latency.p99 == pytest.approx(1.0, rel=2e-3)
    assert latency_headline(trials).latency.max == pytest.approx(50.0, rel=2e-3)


def test_without_histograms_the_headline_is_the_median_of_the_trials():
    trials = [
        TrialResult(
            throughput_ops_s=1.0,
            operations=operations,
            latency_kind=SERVICE,
            latency=Latency(mean=mean, p99=p99, max=p99),
        )
        for operations, mean, p99 in ((100, 1.0, 3.0), (100, 2.0, 100.0), (200, 4.0, 5.0))
    ]

    found = latency_headline(trials)

    assert (found.kind, found.latency) == (SERVICE, Latency(mean=2.75, p99=5.0, max=100.0))


def test_histograms_settle_a_kind_that_the_log_does_not_tell():
    files = [(Histogram("total", SERVICE, encoded([1.0] * 100)), Histogram("total", RESPONSE, encoded([9.0] * 100)))]

    trial = from_clients([client(latency_kind=LatencyKind.UNKNOWN)], files)

    assert trial.latency_kind == RESPONSE
    assert trial.latency.p99 == pytest.approx(9.0, rel=2e-3)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"duration_s": 9.9, "printed_ops_s": 1010.0}, 1010.0),
        ({"duration_s": 10.0, "printed_ops_s": 1010.0}, 1000.0),  # long enough: the tenth of a second is fine
        ({"duration_s": 9.9, "printed_ops_s": 1010.0, "errors": 1}, 1000.0),  # it may count the failed one
        ({"duration_s": 9.9, "printed_ops_s": 1010.0, "errors": None}, 1000.0),
        ({"duration_s": 9.9, "printed_ops_s": 1100.0}, 1000.0),  # a mismatch, and flagged
        ({"duration_s": 9.9}, 1000.0),
    ],
)
def test_a_short_run_without_errors_has_the_rate_that_the_tool_printed(changes, expected):
    assert from_clients([client(**changes)]).throughput_ops_s == expected


def test_a_trial_of_which_one_client_failed_is_a_failed_one():
    trial = from_clients([client(), client(failed=True)])

    assert (trial.is_failed, trial.is_truncated) == (True, False)


def test_a_trial_ended_by_time_when_all_its_clients_did():
    assert from_clients([client(ended_by_time=True), client(ended_by_time=True)]).ended_by_time
    assert not from_clients([client(ended_by_time=True), client()]).ended_by_time
