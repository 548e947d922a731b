"""Load curves compared: at their peaks, and under a maximum p99 at the highest load that keeps it."""

import pytest

from tests.factories import SubmissionFactory
from tests.load_curves import LOADS, curve
from tests.measured import measured
from tests.pages import text

pytestmark = pytest.mark.django_db

API, PAGE = "/api/v1/compare/", "/compare/"
STATED = {"nodes/0/hourly_usd": "1.00", "nodes/0/price_source": "a test"}  # $3 an hour
OTHER = {**STATED, "provider": "gce", "region": "us-east1"}


@pytest.fixture
def rows(db):
    # three trials of each load; the second system peaks higher, and does less under the limit
    first = [(threads, rate * share, p99) for threads, rate, p99 in LOADS for share in (0.99, 1, 1.01)]
    return curve(first, STATED), curve([(threads, rate * 1.2, p99 * 3) for threads, rate, p99 in first], OTHER)


def ask(client, *rows, **params):
    answer = client.get(API, {"a": rows[0].pk, "b": rows[1].pk, **params})
    assert answer.status_code == 200, answer.content
    return answer.json()


def page(client, *rows, **params):
    return client.get(PAGE, {"s": [row.pk for row in rows], **params})


def test_a_limit_compares_the_loads_that_keep_it_and_not_the_peaks(client, rows):
    at_peak, at_limit = ask(client, *rows), ask(client, *rows, max_p99_ms=10)

    assert at_peak["throughput"]["ratio"] == pytest.approx(1.2)
    assert at_limit["throughput"]["ratio"] == pytest.approx(48_000 / 110_000)
    assert at_limit["ops_per_usd"]["ratio"] == pytest.approx(48_000 / 110_000)
    assert at_limit["latency_p99"]["ratio"] == pytest.approx(6 / 9)
    assert (at_limit["a_load"]["threads"], at_limit["b_load"]["threads"]) == (200, 50)
    assert (at_peak["a_load"], at_peak["max_p99_ms"]) == (None, None)
    assert at_limit["sentence"].startswith(f"At p99 ≤ 10 ms: #{rows[1].pk} (")


def test_the_interval_of_the_trials_is_that_of_the_load(client, rows):
    # each load has the shares 0.99, 1 and 1.01: the same spread at all of them
    assert ask(client, *rows, max_p99_ms=10)["throughput"]["in_these_runs"] == pytest.approx(
        [each * (48_000 / 110_000) / 1.2 for each in ask(client, *rows)["throughput"]["in_these_runs"]], rel=1e-6
    )


def test_a_curve_that_never_keeps_the_limit_is_not_compared(client, rows):
    answer = ask(client, *rows, max_p99_ms=5)

    assert (answer["throughput"], answer["ops_per_usd"], answer["latency_p99"]) == (None, None, None)
    assert f"no load of #{rows[1].pk} keeps p99 ≤ 5 ms" in answer["sentence"]


def test_a_result_of_one_load_counts_where_it_keeps_the_limit(client):
    keeps, too, breaks, unknown = (
        measured(1000.0, latency_p99_ms=p99, latency_kind="service_time") for p99 in (4.0, 9.0, 40.0, None)
    )

    assert ask(client, keeps, breaks)["throughput"] is not None
    assert ask(client, keeps, too, max_p99_ms=10)["throughput"] is not None
    assert f"#{breaks.pk} does not keep p99 ≤ 10 ms" in ask(client, keeps, breaks, max_p99_ms=10)["sentence"]
    assert "is unknown" in ask(client, keeps, unknown, max_p99_ms=10)["sentence"]


def test_limits_of_two_kinds_of_latency_are_not_compared(client):
    service = measured(1000.0, latency_p99_ms=4.0, latency_kind="service_time")
    response = measured(1000.0, latency_p99_ms=4.0, latency_kind="response_time")

    answer = ask(client, service, response, max_p99_ms=10)

    assert answer["throughput"] is None
    assert "is of another kind (response time)" in answer["sentence"]


def test_the_page_has_what_curves_do_and_cost_at_the_limit_and_their_loads(client, rows):
    usual, limited = page(client, *rows), page(client, *rows, max_p99_ms=5)

    # 110,000 and 48,000 ops/s for $3 an hour
    assert "At p99 ≤ 10 ms" in text(usual)
    assert "$2,190.00 a month, $0.0076 per million" in text(usual)
    assert "$2,190.00 a month, $0.017 per million" in text(usual)
    assert "At p99 ≤ 5 ms" in text(limited)
    assert "no measured load is known to keep it" in text(limited)
    assert "its peak: no load is known to keep the limit" in text(limited)
    assert "50 threads" in text(limited)  # of the first


def test_curves_are_drawn_together_with_the_limit(client, rows):
    charts = {chart.key: chart for chart in page(client, *rows, max_p99_ms=7).context["charts"]}
    first, second, limit = charts["load-curves"].figure["data"]

    assert (list(first["x"]), list(first["y"])) == ([40_000, 75_000, 110_000, 130_000], [2, 6, 9, 25])
    assert list(second["y"]) == [6, 18, 27, 75]
    assert list(limit["y"]) == [7, 7]
    assert charts["comparison"].figure["data"][0]["x"] == [75_000, 48_000]


def test_without_a_curve_nothing_of_curves_is_on_the_page(client):
    words = text(page(client, SubmissionFactory(), SubmissionFactory()))

    assert "Maximum p99" not in words
    assert "one load only" not in words


@pytest.mark.parametrize("limit", ["x", "-1", "nan"])
def test_a_bad_limit_is_named(client, rows, limit):
    assert page(client, *rows, max_p99_ms=limit).status_code == 400
    assert client.get(API, {"a": rows[0].pk, "b": rows[1].pk, "max_p99_ms": limit}).status_code == 400
