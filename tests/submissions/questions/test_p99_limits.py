"""Every page and parameter with a limit on the p99 keeps the same results: those of a plain scan of their trials."""

import re
from collections import Counter
from datetime import date
from decimal import Decimal
from statistics import median

import pytest
from django.urls import reverse

from benchsite.http.from_data import declaration_of
from submissions import api_urls, urls
from submissions.choices import LatencyKind
from submissions.models import Submission
from submissions.pricing.book.quotes import DatedPrice
from submissions.pricing.terms import AS_MEASURED

pytestmark = pytest.mark.django_db

KNOWN = (LatencyKind.SERVICE_TIME, LatencyKind.RESPONSE_TIME)
SOURCE = "mongodb-vs-cassandra-blog"


def price(sku, unit, usd):
    day, seen = date(2017, 4, 4), date(2026, 10, 15)
    return DatedPrice("aws", "eu-central-1", sku, unit, "on_demand", Decimal(usd), day, "a list", seen)


GP2 = price("gp2", "gib_month", "0.119")


@pytest.fixture(scope="module")
def of_site(django_db_setup, django_db_blocker):
    """The results that come with the site, once for this module; rolled back at its end.

    Of the published runs those of one source: the logs of all take a minute to read.
    """
    from django.db import transaction

    from submissions.ingest.published import load_published
    from submissions.packs.load import load_waiting
    from submissions.packs.public_runs.pack import PUBLIC_RUNS
    from submissions.pricing.book import book
    from submissions.pricing.sources import snapshot
    from tests.public_pack import only

    with django_db_blocker.unblock(), transaction.atomic():
        book.record(snapshot.read_prices(until=date(2015, 12, 31)))
        book.record([price("i3.xlarge", "hour", "0.372"), price("i3.2xlarge", "hour", "0.744"), GP2])
        load_published()
        only(*(entry.key for entry in PUBLIC_RUNS.entries() if entry.key.startswith(SOURCE)))
        load_waiting(PUBLIC_RUNS)
        yield
        transaction.set_rollback(True)


@pytest.fixture
def scans(of_site, clear_cache):
    return scanned()


class Scan:
    """The results of a workload with the p99 that a reader would work out from the trials by hand."""

    def __init__(self, rows):
        self.rows = rows
        self.p99 = {row.pk: p99 for row in rows if (p99 := p99_by_hand(row)) is not None}
        self.ranked = [row for row in rows if row.pk in RANKED]
        kinds = Counter(row.latency_kind for row in self.ranked if row.pk in self.p99 and row.latency_kind in KNOWN)
        self.kind = max(KNOWN, key=lambda kind: kinds[kind])
        self.fingerprint = rows[0].workload.fingerprint

    def within(self, limit, rows=None):
        return {row.pk for row in (self.ranked if rows is None else rows) if self.keeps(row, limit)}

    def keeps(self, row, limit):
        return row.latency_kind == self.kind and self.p99.get(row.pk, limit + 1) <= limit

    @property
    def limits(self):
        """Nothing keeps the first, some keep the second."""
        known = sorted(self.p99[row.pk] for row in self.ranked if row.pk in self.p99)
        return known[0] / 2, known[len(known) // 2]


RANKED: set[int] = set()


def p99_by_hand(row):
    over_all = row.latency_p99_ms
    if over_all is not None:
        return over_all
    of_trials = []
    for trial in row.trials.all():
        types = [each["latency_ms"].get("p99") for each in trial.by_operation if each.get("operations") != 0]
        if not types or None in types:
            return None
        of_trials.append(max(types))
    return median(of_trials) if of_trials else None


def scanned():
    """The workloads of which a p99 of a ranked result is known."""
    RANKED.clear()
    every = Submission.objects.published().select_related("workload").prefetch_related("trials")
    of_workloads: dict[int, list[Submission]] = {}
    for row in every.exclude(throughput_ops_s=None).exclude(load_mode="curve"):
        of_workloads.setdefault(row.workload_id, []).append(row)
    for workload in of_workloads:
        RANKED.update(
            Submission.objects.rankable().trust_filtered(None).filter(workload=workload).values_list("pk", flat=True)
        )
    scans = [Scan(rows) for rows in of_workloads.values()]
    return [scan for scan in scans if any(row.pk in scan.p99 and row.latency_kind == scan.kind for row in scan.ranked)]


def answered(client, name, **parameters):
    response = client.get(reverse(f"api:{name}"), parameters)
    assert response.status_code == 200, response.content
    return response.json()


def leaderboard(client, scan, limit):
    answer = answered(client, "leaderboard", workload=scan.fingerprint, by="submission", max_p99_ms=limit)
    assert {group["submission"] for group in answer["groups"]} == scan.within(limit)
    assert answer["p99_unknown"] == sum(row.pk not in scan.p99 for row in scan.ranked)


def value(client, scan, limit):
    terms = {"basis": AS_MEASURED[0], "prices": "then"}
    answer = answered(client, "value", workload=scan.fingerprint, by="instance_type", max_p99_ms=limit, **terms)
    priced = [row for row in scan.ranked if row.ops_per_usd is not None]
    assert sum(group["n"] for group in answer["groups"]) == len(scan.within(limit, priced))
    assert {group["best_submission"] for group in answer["groups"]} <= scan.within(limit, priced)
    assert answer["p99_unknown"] == sum(row.pk not in scan.p99 for row in priced)


def scaling(client, scan, limit):
    answer = answered(client, "scaling", workload=scan.fingerprint, max_p99_ms=limit)
    plain = [row for row in scan.ranked if not row.cache_node_count]
    kept = [row for row in plain if row.pk in scan.within(limit)]
    sizes: dict[tuple[str, str], list[int]] = {}
    for row in kept:
        sizes.setdefault((row.provider, row.instance_type), []).append(row.node_count)
    assert {(each["provider"], each["instance_type"]): each["submissions"] for each in answer["series"]} == {
        key: len(nodes) for key, nodes in sizes.items() if len(set(nodes)) > 1
    }
    assert answer["p99_unknown"] == sum(row.pk not in scan.p99 for row in plain)


def size(client, scan, limit):
    answer = answered(client, "size", workload=scan.fingerprint, target_ops_s=1, max_p99_ms=limit)
    assert sum(each["n"] for each in answer["candidates"]) == len(scan.within(limit))
    assert answer["p99_unknown"] == sum(row.pk not in scan.p99 for row in scan.ranked)


def compare(client, scan, limit):
    """The pairs of the first result of that kind with each of the others."""
    first, *others = sorted((row for row in scan.rows if row.latency_kind == scan.kind), key=lambda row: row.pk)
    for other in others[:3]:
        answer = answered(client, "compare", a=first.pk, b=other.pk, max_p99_ms=limit)
        assert ("cannot be compared" not in answer["sentence"]) == (
            scan.keeps(first, limit) and scan.keeps(other, limit)
        )


def recommend(client, scan, limit):
    """It may answer by a result that no board ranks; every answer keeps the limit, of whichever kind."""
    answer = answered(client, "recommend", workload=scan.fingerprint, target_ops_s=1, max_p99_ms=limit)
    named = {each["submission"] for each in answer["answers"]}
    assert all(scan.p99[pk] <= limit for pk in named)
    assert bool(named) or not scan.within(limit)


def submissions(client, scan, limit):
    answer = answered(client, "submission-list", workload=scan.fingerprint, max_p99_ms=limit, page_size=200)
    listed = {row["id"] for row in answer["results"]}
    assert listed == {row.pk for row in scan.rows if scan.p99.get(row.pk, limit + 1) <= limit}


OF_API = {
    "leaderboard": leaderboard,
    "value": value,
    "scaling": scaling,
    "size": size,
    "compare": compare,
    "recommend": recommend,
    "submission-list": submissions,
}
# The pages that read the form of an address of the API.
PAGES = {
    "workload": "leaderboard",
    "value": "value",
    "scaling": "scaling",
    "size": "size",
    "compare": "compare",
    "recommend": "recommend",
    "home": "recommend",
    "list": "submission-list",
    "list_feed": "submission-list",
}


def with_limit(patterns):
    declared = {each.name: declaration_of(each.callback) for each in patterns}
    return {name for name, view in declared.items() if any("p99" in each for each in getattr(view, "parameters", ()))}


def test_every_address_with_a_limit_on_the_p99_is_walked_here():
    assert with_limit(api_urls.urlpatterns) == set(OF_API)
    assert with_limit(urls.urlpatterns) == set(PAGES)


@pytest.mark.parametrize("name", OF_API)
def test_each_keeps_the_results_that_a_plain_scan_keeps(name, scans, client):
    of_types = [row for scan in scans for row in scan.ranked if row.latency_p99_ms is None and row.pk in scan.p99]
    assert len(of_types) > 3, "no results whose p99 is known by type of operation only"

    for scan in scans:
        for limit in scan.limits:
            OF_API[name](client, scan, limit)


@pytest.mark.parametrize("name", ["workload", "value", "list"])
def test_the_page_has_the_results_of_its_api(name, scans, client):
    for scan in scans:
        for limit in scan.limits:
            kept = scan.within(limit)
            if name == "workload":
                address = reverse("submissions:workload", args=[scan.fingerprint])
                page = client.get(address, {"by": "submission", "max_p99_ms": limit})
                assert {group.best.pk for group in page.context["board"].groups} == kept
            elif name == "value":
                query = {"workload": scan.fingerprint, "basis": AS_MEASURED[0], "prices": "then", "max_p99_ms": limit}
                page = client.get(reverse("submissions:value"), query)
                priced = [row for row in scan.ranked if row.ops_per_usd is not None]
                assert sum(group.n for group in page.context["result"].groups) == len(scan.within(limit, priced))
            else:
                page = client.get(reverse("submissions:list"), {"workload": scan.fingerprint, "max_p99_ms": limit})
                listed = {int(pk) for pk in re.findall(r'name="s" value="(\d+)"', page.content.decode())}
                assert listed == {row.pk for row in scan.rows if scan.p99.get(row.pk, limit + 1) <= limit}
