"""Value at the prices of today, from counts by cluster and machine: recomputed here from rows and prices."""

from datetime import date, timedelta
from decimal import Decimal
from random import Random

import pytest
from django.utils import timezone

from submissions.choices import Trust
from submissions.questions.value import clusters, pareto
from tests.factories import PriceFactory, SubmissionFactory, WorkloadFactory
from tests.pages import faults, text

pytestmark = pytest.mark.django_db

URL = "/value/"
API = "/api/v1/value/"
REGIONS = {"aws": "us-east-1", "gce": "us-central1", "azure": "eastus", "vultr": "ewr", "upcloud": None}
LISTED = ("aws", "gce", "azure")


@pytest.fixture
def measured():
    """One result a machine type of five clouds, as of the packed Redis results: three have prices, which changed."""
    random = Random(33)
    workload = WorkloadFactory(title="Redis SET, pipeline 16", service="redis")
    rows = []
    for number in range(60):
        provider = list(REGIONS)[number % 5]
        is_priced = provider in LISTED and number % 11 > 0
        usd = Decimal(random.randint(5_000, 900_000)) / 100_000 if is_priced else None
        row = SubmissionFactory(
            workload=workload, service="redis", provider=provider, region=REGIONS[provider],
            instance_type=f"type-{number}", machine_family=f"family-{number % 7}", node_count=1,
            hourly_usd=usd and usd * 3,
            architecture=("arm64", "x86_64")[number % 2], vcpus=2 ** (number % 6 + 1), node_groups__disks=[],
            throughput_ops_s=float(random.randint(300_000, 177_000_000)), latency_p99_ms=None,
        )  # fmt: skip
        if usd is not None:
            of_type = {"provider": provider, "region": REGIONS[provider], "sku": row.instance_type}
            PriceFactory(**of_type, usd=usd * 3, valid_from=date(2015, 1, 1))
            PriceFactory(**of_type, usd=usd, valid_from=timezone.now().date() - timedelta(days=9))
        rows.append((row, usd))
    # another workload, and one whose rows have no log: neither is in the answer
    SubmissionFactory(workload=WorkloadFactory(title="Redis SET, pipeline 1", service="redis"))
    SubmissionFactory(workload=workload, trust=Trust.UPLOADED, throughput_ops_s=1e9)
    return workload, rows


def brute_force(rows):
    """(machine type, operations per dollar) by the definition: operations of an hour over its price today."""
    values = [
        (row.instance_type, (Decimal(str(row.throughput_ops_s)) * 3600 / usd).quantize(Decimal("1E-4")))
        for row, usd in rows
        if usd is not None
    ]
    return sorted(values, key=lambda pair: -pair[1])


def test_which_machine_gives_most_sets_per_dollar_today_is_two_choices_on_the_page(client, measured):
    workload, rows = measured
    opened = client.get(URL)
    assert workload.fingerprint in {one.fingerprint for one in opened.context["workloads"]}  # the first choice ...
    assert "instance_type" in dict(opened.context["by_choices"])  # ... and the second

    page = client.get(URL, {"workload": workload.fingerprint, "by": "instance_type"})
    body = client.get(API, {"workload": workload.fingerprint, "by": "instance_type"}).json()

    expected = brute_force(rows)
    shown = [(one.group.best.instance_type, one.group.best_ops_per_usd) for one in page.context["ranked"]]
    assert shown[:10] == expected[:10]
    answered = [(group["instance_type"], Decimal(group["best_ops_per_usd"])) for group in body["groups"]]
    assert answered == expected
    assert body["unpriced"] == len(rows) - len(expected)
    assert "24 results of clouds without a price list are not ranked: 12 of UpCloud and 12 of Vultr." in text(page)
    assert faults(page) == []


def test_the_page_reads_the_groups_that_it_shows_and_the_api_all(client, measured, monkeypatch):
    workload, rows = measured
    monkeypatch.setattr("submissions.questions.value.page.MOST_RANKED", 5)
    monkeypatch.setattr("submissions.questions.value.page.SHOWN_ROWS", 5)

    page = client.get(URL, {"workload": workload.fingerprint, "by": "instance_type"})
    everything = client.get(URL, {"workload": workload.fingerprint, "by": "instance_type", "rows": "all"})

    priced = brute_force(rows)
    assert len(page.context["ranked"]) == 5
    assert f"All {len(priced)} groups" in text(page)
    assert len(everything.context["ranked"]) == len(priced)


def test_the_chart_has_every_priced_result_whatever_has_a_name(client, measured, monkeypatch):
    workload, rows = measured
    monkeypatch.setattr(clusters, "CHART_ROWS", 4)

    systems = client.get(URL, {"workload": workload.fingerprint}).context["result"].systems

    best = {name for name, _ in brute_force(rows)[:4]}
    assert best <= {row.instance_type for row in systems.shown}
    assert systems.drawn == len(brute_force(rows))
    assert {mark.pk for mark in systems.others}.isdisjoint(row.pk for row in systems.shown)
    values = {row.pk: value for row, usd in rows if usd for name, value in brute_force([(row, usd)])}
    assert all(mark.ops_per_usd == values[mark.pk] for mark in systems.others)


def test_a_chart_that_leaves_results_out_says_how_many(client, measured, monkeypatch):
    workload, rows = measured
    monkeypatch.setattr(clusters, "CHART_ROWS", 4)
    monkeypatch.setattr(clusters, "MOST_MARKS", 20)

    page = client.get(URL, {"workload": workload.fingerprint})

    assert page.context["result"].systems.drawn == 20
    assert f"The chart has 20 of {len(brute_force(rows))} results" in text(page)


@pytest.mark.parametrize(
    "prices", [{"prices": "then"}, {"basis": "as_measured"}, {"prices": "then", "max_p99_ms": "9"}]
)
def test_at_other_prices_the_chart_has_what_is_not_named_too(client, monkeypatch, prices):
    for module in ("pareto", "valuation", "repriced"):
        monkeypatch.setattr(f"submissions.questions.value.{module}.CHART_ROWS", 2)
    monkeypatch.setattr(pareto.value_rows, "__defaults__", (2,))
    PriceFactory(usd=Decimal("0.532"), valid_from=date(2015, 1, 1))
    rows = [
        SubmissionFactory(throughput_ops_s=1000.0 * number, hourly_usd=Decimal("1.596"), latency_p99_ms=4.0)
        for number in range(1, 6)
    ]

    systems = client.get(URL, prices).context["result"].systems

    assert systems.drawn in (len(rows), len(systems.shown) + 1, len(systems.shown))
    assert not {mark.pk for mark in systems.others} & {row.pk for row in systems.shown}
