"""Pages and answers are the same from totals as from the rows."""

import random
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from benchsite.cache import evictable_cache
from submissions.home.query import home_result
from submissions.models import Submission, WorkloadTotals, settle
from submissions.questions.leaderboard.query import RANKED_METRICS
from submissions.questions.workload.grouping import OF_SYSTEMS, GroupBy
from submissions.questions.workload.query import workload_counts
from tests.factories import PriceFactory, WorkloadFactory
from tests.submissions.summaries.rows import random_row

SHELVES = ("", "historical", "uploaded", "log_verified", "run_by_us", "reproduced")
LEADERBOARDS = [
    f"by={by}&metric={metric.key}&trust={trust}"
    for by in GroupBy
    for metric, trust in zip(RANKED_METRICS * 2, SHELVES, strict=True)
]
VALUES = [
    f"by={by}&trust={trust}&basis={basis}&max_p99_ms={limit}"
    for by, trust in zip(OF_SYSTEMS * 2, SHELVES, strict=False)
    for basis, limit in (("as_measured", ""), ("as_measured", 20), ("spot", ""), ("", ""))
]
ANSWERS = [
    *(f"/api/v1/leaderboard/?{query}" for query in LEADERBOARDS),
    "/api/v1/leaderboard/?metric=latency_p99_ms&latency_kind=response_time",
    *(f"/api/v1/value/?{query}" for query in VALUES),
]
PAGES = ["/", "/workloads/", "/value/?basis=as_measured", "/databases/cassandra/"]


@pytest.fixture
def workloads(db):
    """One with results of all levels, one of articles, one of results without logs."""
    dice = random.Random(1)
    workloads = [WorkloadFactory(title=f"workload {number}") for number in range(3)]
    for _ in range(60):
        random_row(dice, workloads)
    Submission.objects.filter(workload=workloads[1]).update(trust="historical")
    Submission.objects.filter(workload=workloads[2]).update(trust="uploaded")
    return workloads


@pytest.fixture
def both(workloads, clear_cache):
    """What a function answers from the totals, and from the rows."""
    settle()

    def _both(answer):
        evictable_cache.clear()
        assert WorkloadTotals.objects.current().count() == len(workloads)
        from_totals = answer()
        evictable_cache.clear()
        ends = dict(WorkloadTotals.objects.values_list("pk", "valid_until"))
        WorkloadTotals.objects.update(valid_until=timezone.now() - timedelta(days=1))
        from_rows = answer()
        for pk, end in ends.items():
            WorkloadTotals.objects.filter(pk=pk).update(valid_until=end)
        return from_totals, from_rows

    return _both


def rounded(value):
    """Noise from rows is a sum of floats, whose last digits depend on the order."""
    if isinstance(value, dict):
        return {key: rounded(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [rounded(entry) for entry in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def test_answers_of_the_api_are_the_same(both, workloads, client):
    def answers():
        return {
            (address, workload.pk): rounded(client.get(f"{address}&workload={workload.fingerprint}").json())
            for address in ANSWERS
            for workload in workloads
        }

    from_totals, from_rows = both(answers)
    for key, answer in from_totals.items():
        assert answer == from_rows[key], key
    assert any(answer.get("groups") for answer in from_totals.values())


def test_pages_are_the_same(both, client):
    from_totals, from_rows = both(lambda: [client.get(page).content.decode() for page in PAGES])
    for page, one, other in zip(PAGES, from_totals, from_rows, strict=True):
        assert one == other, page


def test_choices_and_numbers_of_workloads_are_the_same(both):
    from_totals, from_rows = both(lambda: (workload_counts(), home_result("").workloads))
    assert from_totals == from_rows
    assert from_totals[1]


def test_totals_are_read_whatever_the_number_of_rows(workloads, client, django_assert_max_num_queries):
    """No statement groups the rows of a workload, or counts them."""
    settle()
    address = f"/api/v1/leaderboard/?workload={workloads[0].fingerprint}"
    client.get(address)
    with django_assert_max_num_queries(14) as context:
        client.get(address)
    counted = [entry["sql"] for entry in context if 'COUNT("submissions_submission"' in entry["sql"]]
    # only runs of the configurations that are shown, and results that a load tool held to a rate
    assert [sql for sql in counted if "configuration" not in sql and "throttle_ops_s" not in sql] == []


@pytest.mark.django_db(transaction=True)
def test_values_at_other_prices_grow_with_new_results(client, clear_cache):
    dice = random.Random(3)
    workload = WorkloadFactory()
    for sku in ("m5.xlarge", "m5.large"):
        PriceFactory(sku=sku, usd=Decimal("0.2"), valid_from=date(2010, 1, 1), last_seen=date(2030, 1, 1))
    for _ in range(12):
        random_row(dice, [workload])
    for _ in range(3):
        grown = client.get("/api/v1/value/?by=instance_type").json()
        evictable_cache.clear()
        assert rounded(client.get("/api/v1/value/?by=instance_type").json()) == rounded(grown)
        random_row(dice, [workload])
    Submission.objects.filter(trust="log_verified").update(trust="uploaded")
    changed = client.get("/api/v1/value/?by=instance_type").json()
    evictable_cache.clear()
    assert rounded(client.get("/api/v1/value/?by=instance_type").json()) == rounded(changed)
