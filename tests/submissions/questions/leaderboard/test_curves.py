"""A leaderboard under a maximum p99: a load curve is ranked at the highest load that keeps it."""

from decimal import Decimal

import pytest
from django.urls import reverse

from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.store import store
from submissions.models import Submission
from tests.documents import document
from tests.load_curves import LOADS, curve
from tests.pages import text

pytestmark = pytest.mark.django_db

URL = "/api/v1/leaderboard/"
STATED = {"nodes/0/hourly_usd": "1.00", "nodes/0/price_source": "a test"}
OTHER = {**STATED, "provider": "gce", "region": "us-east1"}


def ask(client, row, **params):
    query = {"workload": row.workload.fingerprint, "trust": "uploaded", "by": "provider", **params}
    answer = client.get(URL, query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def figures(answer):
    return {group["name"]: group["figure"] for group in answer["groups"]}


@pytest.fixture
def rows(db):
    # three trials of each load; the second system peaks higher, and does less under the limit
    first = [(threads, rate * share, p99) for threads, rate, p99 in LOADS for share in (0.99, 1, 1.01)]
    return curve(first, STATED), curve([(threads, rate * 1.2, p99 * 3) for threads, rate, p99 in first], OTHER)


def test_a_limit_ranks_the_rates_that_keep_it_and_not_the_peaks(client, rows):
    peaks, limited = ask(client, rows[0]), ask(client, rows[0], max_p99_ms=10)

    assert figures(peaks) == {"gce": 156_000.0, "aws": 130_000.0}
    assert figures(limited) == {"aws": 110_000.0, "gce": 48_000.0}
    assert [group["load"]["threads"] for group in limited["groups"]] == [200, 50]
    assert all(group["load"] is None for group in peaks["groups"])
    assert limited["max_p99_ms"] == 10
    assert "(p99 service time of at most 10 ms)" in limited["sentence"]


def test_the_interval_and_the_trials_are_those_of_the_load(client, rows):
    (aws, _) = ask(client, rows[0], max_p99_ms=10)["groups"]

    assert aws["n"] == 3
    low, high = aws["interval"]
    # t-interval of 108,900, 110,000 and 111,100 ops/s
    assert (low, high) == (pytest.approx(107_267, abs=1), pytest.approx(112_733, abs=1))


def test_operations_per_dollar_are_those_of_the_load(client, rows):
    answer = ask(client, rows[0], max_p99_ms=10, metric="ops_per_usd")

    for group, row in zip(answer["groups"], rows, strict=True):
        wanted = Decimal(group["throughput_ops_s"]) * 3600 / row.hourly_usd
        assert Decimal(group["ops_per_usd"]) == pytest.approx(wanted, rel=Decimal("1e-9"))
        assert group["figure"] == pytest.approx(float(wanted))
    assert list(figures(answer)) == ["aws", "gce"]


def test_a_p99_is_that_of_the_load(client, rows):
    assert figures(ask(client, rows[0], max_p99_ms=10, metric="latency_p99_ms")) == {"gce": 6.0, "aws": 9.0}


def test_a_curve_that_never_keeps_the_limit_is_excluded_and_counted(client, rows):
    answer = ask(client, rows[0], max_p99_ms=5)

    assert list(figures(answer)) == ["aws"]
    assert answer["not_ranked"]["above_limit"] == 1
    assert figures(ask(client, rows[0], max_p99_ms=1)) == {}


def of_one_load(workload, **changes):
    """In the workload of the curves, although that of a document would say that it is no curve."""
    row = store(prepare_document(document({**STATED, **changes})), submitted_by=None).submission
    Submission.objects.filter(pk=row.pk).update(workload=workload)
    return row


def test_curves_and_results_of_one_load_are_ranked_together(client, rows):
    row = of_one_load(rows[0].workload)

    by_provider = ask(client, rows[0], max_p99_ms=1000)["groups"]
    by_result = ask(client, rows[0], max_p99_ms=1000, by="submission")

    assert {group["name"]: group["submissions"] for group in by_provider} == {"aws": 2, "gce": 1}
    assert [group["submission"] for group in by_result["groups"]] == [rows[1].pk, rows[0].pk, row.pk]
    assert by_result["groups_count"] == 3


def test_the_page_names_the_load_and_marks_results_of_one_load(client, rows):
    of_one_load(rows[0].workload, provider="azure", region="eastus")
    address = reverse("submissions:workload", args=[rows[0].workload.fingerprint])
    params = {"trust": "uploaded", "by": "provider"}

    page = text(client.get(address, {**params, "max_p99_ms": 10_000}))
    assert page.count("one load only") == 1
    assert "200 threads" in text(client.get(address, {**params, "max_p99_ms": 10}))
    assert "one load only" not in text(client.get(address, params))


def test_without_a_result_within_the_limit_the_page_offers_to_remove_it(client, rows):
    address = reverse("submissions:workload", args=[rows[0].workload.fingerprint])
    page = text(client.get(address, {"trust": "uploaded", "max_p99_ms": 1}))

    assert "No result of this workload has a p99 service time of at most 1 ms." in page
    assert "Remove the limit" in page


def test_a_limit_and_a_rate_exclude_each_other(client, rows):
    answer = client.get(URL, {"workload": rows[0].workload.fingerprint, "rate": 5000, "max_p99_ms": 5})

    assert answer.status_code == 400
    assert "max_p99_ms" in str(answer.json())
