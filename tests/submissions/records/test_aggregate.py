"""Counts of lists, databases and places equal plain counts, whatever was added, changed or taken back before."""

import time
from collections import Counter
from datetime import timedelta
from random import Random

import pytest
from django.db.models import Count, Max
from django.http import QueryDict
from django.utils import timezone

from submissions.age.conditions import marks_in
from submissions.choices import AgeMark
from submissions.home.query import Totals, totals
from submissions.ingest.changes.retract import retract
from submissions.models import Submission
from submissions.questions.recommend.aggregate import RECOMMEND
from submissions.questions.recommend.offers import Offers, offers
from submissions.records import cache
from submissions.records.ages import ages_of
from submissions.records.databases.services import ServiceSummary, service_counts, service_summaries
from submissions.records.list.counts import list_counts
from submissions.records.list.facet_counts import facet_counts
from submissions.records.list.facet_order import FACET_COLUMNS
from submissions.records.list.facets import facets_of
from submissions.records.list.filters import SubmissionFilter
from submissions.tasks import refresh_figures
from tests.factories import SubmissionFactory, WorkloadFactory
from tests.pages import text

pytestmark = pytest.mark.django_db

LISTS = (
    "",
    "provider=aws",
    "provider=aws&provider=gce&jdk_vendor=unknown",
    "flag=short&min_throughput=50",
    "age=unmarked",
    f"workload={'0' * 15}1&workload={'0' * 15}2",
    f"workload={'0' * 15}2&provider=aws",
)


def filterset(query):
    made = SubmissionFilter(QueryDict(query), Submission.objects.listed())
    assert made.is_valid()
    return made


def plain_facet(query, name):
    """Rows by value under all other choices, counted one by one."""
    others = [pair for pair in query.split("&") if not pair.startswith(f"{name}=")]
    rows = filterset("&".join(others)).qs
    if name == "age":
        return Counter(mark for age in ages_of(rows, filterset(query).today).values() for mark in marks_of(age))
    values = rows.values_list(FACET_COLUMNS[name], flat=True)
    if name == "flag":
        return Counter(flag for flags in values for flag in flags)
    return Counter("unknown" if value is None else str(value) or "none" for value in values)


def marks_of(age):
    """Without today's price, which is a facet of a single workload."""
    return map(str, marks_in(",".join(mark for mark in age.marks if mark != AgeMark.PRICE_DRIFT)))


def plain_services():
    rows = Submission.objects.published().order_by().values_list("service")
    numbers = {"n": Count("pk"), "workloads": Count("workload", distinct=True)}
    return {
        ServiceSummary(*row)
        for row in rows.annotate(**numbers, providers=Count("provider", distinct=True), newest=Max("measured_at"))
    }


def check_all():
    for query in LISTS:
        plain = facet_counts(filterset(query))
        assert plain.by_facet == {name: plain_facet(query, name) for name in FACET_COLUMNS}
        counts = list_counts(filterset(query))
        assert counts.total == plain.total == filterset(query).qs.count()
        assert counts.workloads == filterset(query).qs.order_by().values("workload").distinct().count()
        assert counts.facets == facets_of(plain, filterset(query)).facets
    published = Submission.objects.published()
    assert set(service_summaries()) == plain_services()
    numbers = service_counts("cassandra")
    of_service = published.filter(service="cassandra")
    assert dict(numbers.versions) == Counter(of_service.values_list("service_version", flat=True))
    assert dict(numbers.workloads) == Counter(of_service.values_list("workload", flat=True))
    services, providers = (set(published.values_list(name, flat=True)) for name in ("service", "provider"))
    here = frozenset(published.filter(provider="local").values_list("service", flat=True))
    assert totals() == Totals(published.count(), len(services), len(providers), here)
    assert offers() == plain_offers()


def plain_offers():
    """Of the rows that recommendations count."""
    counted, places = Counter(), set()
    services = dict(Submission.objects.values_list("pk", "service"))
    for row in RECOMMEND.rows(Submission.objects.all()):
        state = {}
        RECOMMEND.add(state, row)
        pk, _, _, _, _, _, provider, region, *_ = row
        if state.get("n"):
            counted[services[pk]] += 1
            places.add((provider, region))
    having = {
        region: tuple(sorted({own for own, other in places if other == region})) for _, region in places if region
    }
    regions = {shared: tuple(sorted(one for one in having if having[one] == shared)) for shared in having.values()}
    return Offers(
        tuple(sorted(counted, key=lambda name: (-counted[name], name))),
        tuple(sorted({provider for provider, _ in places})),
        tuple(sorted(regions.items())),
    )


def change_one(chance, workloads):
    rows = Submission.objects.all()
    row = chance.choice(rows) if rows and chance.random() < 0.4 else None
    hour = timedelta(hours=1)
    if row is None:
        SubmissionFactory(
            workload=chance.choice(workloads),
            service=chance.choice(["cassandra", "cassandra", "scylladb"]),
            service_version=chance.choice(["4.1", "5.0", None]),
            provider=chance.choice(["aws", "gce", "local"]),
            region=chance.choice(["eu-west-1", "us-east-1", None]),
            jdk_vendor=chance.choice(["oracle", None]),
            flags=chance.choice([[], ["short"], ["short", "errors"], ["throttled"], ["stated_price_off"]]),
            unranked_until=chance.choice([None, None, timezone.now() + hour]),
            throughput_ops_s=chance.choice([10.0, 100.0]),
            latency_kind=chance.choice(["service_time", "response_time"]),
            visibility=chance.choice(["public", "public", "private"]),
            embargo_until=chance.choice([None, None, timezone.now() + hour]),
            supersedes=chance.choice([None, None, None, *rows]),
        )
    elif chance.random() < 0.3:
        retract(row, reason="throttled clients")
    else:
        changes = {
            "visibility": chance.choice(["public", "private"]),
            "hidden_at": chance.choice([None, timezone.now()]),
            "embargo_until": chance.choice([None, timezone.now() - hour]),
            "provider": chance.choice(["aws", "gce"]),
        }
        name = chance.choice(sorted(changes))
        Submission.objects.filter(pk=row.pk).update(**{name: changes[name]})


@pytest.mark.parametrize("seed", [1, 2])
def test_counts_equal_plain_counts_after_any_change(seed, clear_cache):
    chance = Random(seed)
    workloads = [WorkloadFactory(title=f"w{number}", fingerprint=f"{number:016}") for number in range(3)]

    for _ in range(4):
        for _ in range(chance.randint(2, 5)):
            change_one(chance, workloads)
        check_all()


def test_of_many_results_a_worker_counts_the_age_marks(monkeypatch):
    monkeypatch.setattr("submissions.records.list.counts.MANY", 0)
    now = float(int(time.time()))

    def marks(later):
        monkeypatch.setattr(cache.time, "time", lambda: now + later)
        counts = list_counts(filterset(""))
        both = (AgeMark.MARKED, AgeMark.UNMARKED)
        return sum(value.count for value in counts.of("age").values if value.value in both), counts.counted_seconds

    SubmissionFactory()
    assert marks(0) == (1, None)
    SubmissionFactory()
    assert marks(100) == (1, 100.0)
    refresh_figures()
    assert marks(100) == (2, None)


def test_of_many_results_counts_of_rows_are_taken_for_some_seconds_and_the_list_says_how_old_they_are(
    client, monkeypatch
):
    monkeypatch.setattr("submissions.records.list.counts.MANY", 0)
    now = float(int(time.time()))
    monkeypatch.setattr(cache.time, "time", lambda: now)
    SubmissionFactory()
    assert list_counts(filterset("provider=aws")).counted_seconds is None

    SubmissionFactory()

    of_rows, stored = list_counts(filterset("provider=aws")), list_counts(filterset(""))
    assert (of_rows.total, of_rows.counted_seconds is None) == (1, False)
    assert (stored.total, stored.counted_seconds) == (2, None)
    page = client.get("/submissions/", {"provider": "aws"})
    assert "Counted 0 seconds ago" in text(page)
    assert not page.has_header("ETag")  # the same data will have other counts
