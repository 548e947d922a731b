"""Value at other prices: another day's, another basis."""

from datetime import UTC, date, datetime
from decimal import Decimal
from random import Random

import pytest
from django.utils import timezone

from submissions.choices import Flag, PricingModel, Role, Trust
from submissions.models import Price
from tests.factories import NodeGroupFactory, PriceFactory, SubmissionFactory, WorkloadFactory
from tests.pages import faults, links, text

pytestmark = pytest.mark.django_db

URL = "/value/"
API = "/api/v1/value/"


@pytest.fixture
def book():
    """m3.2xlarge: 0.532 on demand since 2015, 0.5 since 2020; 0.3 reserved since 2016. n1 is dearer since 2020."""
    PriceFactory(usd=Decimal("0.532"), valid_from=date(2015, 6, 1))
    PriceFactory(usd=Decimal("0.5"), valid_from=date(2020, 1, 1))
    PriceFactory(usd=Decimal("0.3"), valid_from=date(2016, 1, 1), pricing_model=PricingModel.RESERVED_1Y)
    gce = {"provider": "gce", "region": "us-central1", "sku": "n9-standard-8"}
    PriceFactory(usd=Decimal("0.304"), valid_from=date(2015, 6, 1), **gce)
    PriceFactory(usd=Decimal("0.9"), valid_from=date(2020, 1, 1), **gce)


@pytest.fixture
def pair(book):
    aws = SubmissionFactory(throughput_ops_s=90748.0, hourly_usd=Decimal("1.596"))
    gce = SubmissionFactory(
        provider="gce",
        region="us-central1",
        instance_type="n9-standard-8",
        throughput_ops_s=111394.0,
        hourly_usd=Decimal("0.912"),
        node_groups__disks=[],
    )
    return aws, gce


def shown(response):
    return [
        (group.best.pk, str(group.best.hourly_usd), str(group.best_ops_per_usd), str(group.best.price_date))
        for group in response.context["result"].groups
    ]


def test_another_day_changes_who_gives_most_and_its_dates_stand_beside_it(client, pair):
    aws, gce = pair

    response = client.get(URL, {"prices_on": "2020-06-30"})

    # 90,748 x 3,600 / 1.5; 111,394 x 3,600 / 2.7
    assert shown(response) == [
        (aws.pk, "1.50000000", "217795200.0000", "2020-01-01"),
        (gce.pk, "2.70000000", "148525333.3333", "2020-01-01"),
    ]
    words = text(response)
    assert (
        "AWS offers the best value: 218 M ops/$, 1.47× Google Cloud (at the prices of 2020-06-30, on demand)." in words
    )
    assert [row.pk for row in response.context["result"].systems.front] == [aws.pk, gce.pk]
    assert faults(response) == []


def test_the_chosen_day_stays_in_its_field(client, pair):
    page = client.get(URL, {"prices": "on", "prices_on": "2016-11-20"}).content.decode()

    assert ' value="2016-11-20"></label>' in page  # what a date field of a browser reads, not a localized date


def test_then_is_the_stored_price_whatever_day_stands_beside_it(client, pair):
    aws, gce = pair

    response = client.get(URL, {"prices": "then", "prices_on": "2020-06-30"})

    assert shown(response) == [
        (gce.pk, "0.91200000", "439713157.8947", "2015-06-01"),
        (aws.pk, "1.59600000", "204694736.8421", "2015-06-01"),
    ]
    assert response.context["state"]["prices_on"] is None


def test_today_is_a_day_too(client, pair):
    response = client.get(URL, {"prices": "today"})

    assert [date for *_, date in shown(response)] == ["2020-01-01", "2020-01-01"]
    assert shown(client.get(URL)) == shown(response)
    assert "prices" not in response.context["address"]


def test_a_basis_that_was_not_sold_leaves_out_and_says_whom_and_why(client, pair):
    aws, _ = pair

    response = client.get(URL, {"prices_on": "2016-11-20", "basis": "reserved_1y"})

    # 90,748 x 3,600 / 0.9
    assert shown(response) == [(aws.pk, "0.90000000", "362992000.0000", "2016-01-01")]
    words = text(response)
    assert "Excluded: 1 without a known price." in words
    assert (
        "1 result cannot be priced at the prices of 2016-11-20, reserved, 1 year: "
        "No price of n9-standard-8 (reserved, 1 year) in Google Cloud us-central1 is known."
    ) in words
    assert faults(response) == []


def test_many_missing_prices_are_summed_up_and_stand_in_the_file(client, book):
    for number in range(5):
        SubmissionFactory(instance_type=f"t{number}", measured_at=None)
    SubmissionFactory(instance_type="t0", measured_at=None)

    params = {"prices_on": "2016-11-20"}
    words = text(client.get(URL, params))
    body = client.get(API, params).json()

    assert (
        "Excluded: 6 without a known price. "
        "2 results cannot be priced at the prices of 2016-11-20, on demand: No price of t0 (on demand)" in words
    )
    assert "2 results cannot be priced at the prices of 2016-11-20, on demand: 2 other prices are unknown." in words
    assert [one["submissions"] for one in body["missing_prices"]] == [2, 1, 1, 1, 1]


def test_a_basis_at_the_prices_then_is_that_of_each_ones_own_day(client, pair):
    later = SubmissionFactory(measured_at=datetime(2016, 2, 1, tzinfo=UTC), hourly_usd=Decimal("1.596"))

    response = client.get(URL, {"prices": "then", "basis": "reserved_1y"})

    assert shown(response) == [(later.pk, "0.90000000", "360000000.0000", "2016-01-01")]
    assert response.context["unpriced"] == 2  # none was known in 2015


def test_who_was_bought_on_the_basis_keeps_what_is_stored_at_its_own_day(client, book):
    stated = SubmissionFactory(hourly_usd=Decimal("1.2"), is_price_stated=True, node_groups__is_price_stated=True)

    response = client.get(URL, {"prices": "then", "basis": "on_demand"})

    assert shown(response) == [(stated.pk, "1.20000000", "270000000.0000", "2015-06-01")]


def test_your_own_hardware_keeps_the_price_that_was_stated(client, book):
    own = SubmissionFactory(
        provider="on-premises", hourly_usd=Decimal("0.9"), is_price_stated=True, node_groups__is_price_stated=True
    )

    response = client.get(URL, {"prices_on": "2020-06-30"})

    assert [(pk, usd) for pk, usd, *_ in shown(response)] == [(own.pk, "0.90000000")]
    assert "stated" in text(response)


def test_every_tier_of_the_system_counts_and_no_client(client, book):
    row = SubmissionFactory(cache_node_count=2)
    NodeGroupFactory(submission=row, position=2, role=Role.CACHE, count=2)

    response = client.get(URL, {"prices_on": "2020-06-30"})

    # 3 + 2 nodes at 0.5
    assert [(pk, usd) for pk, usd, *_ in shown(response)] == [(row.pk, "2.50000000")]


def test_a_day_unknown_has_no_prices_then(client, book):
    SubmissionFactory(measured_at=None)

    response = client.get(URL, {"prices": "then", "basis": "spot"})

    assert response.context["result"].groups == []
    assert "No price: the measurement date (measured_at) is not stated." in text(response)


def test_limit_trust_and_doubt_hold_at_any_prices(client, pair):
    aws, _ = pair
    SubmissionFactory(throughput_ops_s=9e6, flags=[Flag.RATE_MISMATCH])
    SubmissionFactory(trust=Trust.HISTORICAL)
    SubmissionFactory(latency_p99_ms=50.0)
    SubmissionFactory(latency_p99_ms=None)
    SubmissionFactory(latency_kind="response_time")
    SubmissionFactory(throughput_ops_s=None, relative_throughput=1.0, relative_base="existing")
    SubmissionFactory(retracted_at="2026-01-01T00:00:00Z")
    SubmissionFactory(workload=WorkloadFactory(title="another"))

    params = {"workload": aws.workload.fingerprint, "prices_on": "2020-06-30", "trust": "uploaded", "max_p99_ms": "4"}
    response = client.get(URL, params)

    assert [group.n for group in response.context["result"].groups] == [1, 1]
    assert response.context["excluded"] == (
        "Excluded: 1 with a data-quality flag, 1 with a p99 not known to be service time and 1 with a p99 above 4 ms. "
        "Of 1 result the p99 is unknown."
    )
    assert response.context["flagged"] == 1


def test_what_was_never_priced_may_have_a_price_today(client, pair):
    SubmissionFactory(measured_at=None, hourly_usd=None, throughput_ops_s=200_000.0)

    response = client.get(URL, {"prices": "today"})

    assert [group.n for group in response.context["result"].groups] == [2, 1]
    assert response.context["unpriced"] == 0


def test_the_stored_prices_and_the_book_of_their_day_give_the_same_page(client, book):
    for number in range(12):
        SubmissionFactory(
            throughput_ops_s=1000.0 + number * 37 % 400,
            node_count=1 + number % 4,
            hourly_usd=Decimal("0.532") * (1 + number % 4),
            disk_kind=("local-ssd", "nvme")[number % 2],
            latency_p99_ms=float(number),
        )

    stored, again = (
        client.get(URL, {"by": "disk", "max_p99_ms": "9", **params}).context
        for params in ({"prices": "then"}, {"prices_on": "2015-09-01"})
    )

    assert [(g.name, g.n, g.best, g.best_ops_per_usd, g.worst_ops_per_usd) for g in stored["result"].groups] == [
        (g.name, g.n, g.best, g.best_ops_per_usd, g.worst_ops_per_usd) for g in again["result"].groups
    ]
    assert stored["result"].systems == again["result"].systems
    assert stored["excluded"] == again["excluded"]


def test_the_files_have_the_prices_and_their_day(client, pair):
    params = {"prices_on": "2020-06-30", "by": "instance_type"}

    body = client.get(API, params).json()
    lines = client.get(API, {**params, "format": "csv"}).getvalue().decode().splitlines()

    assert (body["prices_on"], body["basis"]) == ("2020-06-30", "on_demand")
    assert [group["hourly_usd"] for group in body["groups"]] == ["1.50000000", "2.70000000"]
    assert ",1.50000000,1.59600000,2020-01-01,2020-01-01," in lines[1]


@pytest.fixture
def bought_differently():
    """GCE on spot, AWS on demand, both of the same rate; a price on demand is known for each."""
    day = {"valid_from": date(2015, 1, 1), "last_seen": date(2015, 9, 1)}
    PriceFactory(provider="gce", region="us-central1", sku="n1-standard-8", usd=Decimal("0.5"), **day)
    gce = SubmissionFactory(
        provider="gce",
        region="us-central1",
        instance_type="n1-standard-8",
        hourly_usd=Decimal("0.3"),
        pricing_model=PricingModel.SPOT,
        node_groups__disks=[],
    )
    aws = SubmissionFactory(workload=gce.workload, hourly_usd=Decimal("1.5"))
    gce.node_groups.update(pricing_model=PricingModel.SPOT)
    return gce, aws


@pytest.mark.parametrize("address", ["/value/", "/api/v1/value/"])
def test_value_compares_on_demand_unless_as_measured_is_chosen(client, bought_differently, address):
    on_demand = client.get(address, {"prices": "then"}).content.decode()
    as_measured = client.get(address, {"prices": "then", "basis": "as_measured"}).content.decode()

    assert (
        "are statistically tied for the best value (216 M ops/$, at the prices of the measurement date, on demand)"
        in " ".join(on_demand.split())
    )
    assert "Google Cloud spot, AWS on demand" in as_measured


def test_what_has_no_price_on_demand_is_left_out_and_counted(client, bought_differently):
    Price.objects.all().delete()

    answer = client.get("/api/v1/value/", {"prices": "then"}).json()

    assert [group["provider"] for group in answer["groups"]] == ["aws"]
    assert answer["unpriced"] == 1


def test_the_price_of_today_is_the_default_and_the_one_when_measured_is_beside_it(client, pair):
    """The dearer price of GCE since 2020 makes AWS the better one."""
    response = client.get(URL)

    assert [(pk, usd) for pk, usd, *_ in shown(response)] == [(pair[0].pk, "1.50000000"), (pair[1].pk, "2.70000000")]
    words = text(response)
    assert "AWS offers the best value: 218 M ops/$, 1.47× Google Cloud." in words
    assert "$1.60 when measured" in words
    assert "$0.91 when measured" in words
    body = client.get(API).json()
    assert body["prices_on"] == str(timezone.now().date())
    assert [(group["hourly_usd"], group["hourly_usd_when_measured"]) for group in body["groups"]] == [
        ("1.50000000", "1.59600000"),
        ("2.70000000", "0.91200000"),
    ]
    then = client.get(API, {"prices": "then"}).json()
    assert [group["provider"] for group in then["groups"]] == ["gce", "aws"]
    assert {group["hourly_usd_when_measured"] for group in then["groups"]} == {None}


def test_without_a_price_today_the_page_leads_to_those_when_measured(client):
    row = SubmissionFactory()

    response = client.get(URL)

    address = f"{URL}?prices=then&workload={row.workload.fingerprint}"
    assert address in links(response)
    assert [pk for pk, *_ in shown(client.get(address))] == [row.pk]


@pytest.mark.parametrize("day", [{}, {"prices": "then"}, {"prices_on": "2020-06-30"}])
@pytest.mark.parametrize("basis", ["spot", "reserved_1y", "reserved_3y"])
def test_a_stated_price_is_left_out_of_spot_and_reserved_prices_and_counted(client, book, basis, day):
    facts = {"provider": "mongodb-atlas", "instance_type": "M80_NVME", "is_price_stated": True}
    bought = {"node_groups__is_price_stated": True, "node_groups__pricing_model": basis, "pricing_model": basis}
    SubmissionFactory(**facts, **bought)

    refused = client.get(API, {**day, "basis": basis}).json()
    answered = client.get(API, {**day, "basis": "as_measured"}).json()

    label = PricingModel(basis).label
    assert (refused["groups"], refused["unpriced"]) == ([], 1)
    assert refused["missing_prices"] == [
        {"submissions": 1, "why": f"No price of M80_NVME ({label}): its only price was stated by the uploader."}
    ]
    assert [group["provider"] for group in answered["groups"]] == ["mongodb-atlas"]


def test_counted_clusters_and_all_rows_give_the_same_answer(client, book):
    """A limit reads every row; without one the clusters are counted, and new results are added."""
    numbers = Random(32)
    for number in range(30):
        SubmissionFactory(
            throughput_ops_s=float(numbers.choice([900, 1000, 1100, 1200])),
            node_count=numbers.randint(1, 4),
            instance_type=numbers.choice(["m3.2xlarge", "m3.2xlarge", "unknown"]),
            disk_kind=numbers.choice(["local-ssd", "nvme"]),
            trust=numbers.choice([Trust.LOG_VERIFIED, Trust.RUN_BY_US, Trust.UPLOADED]),
        )
        if number == 20:
            client.get(URL, {"by": "disk"})

    counted, read = (
        client.get(URL, {"by": "disk", **params}).context for params in ({}, {"max_p99_ms": "1000", "rows": "all"})
    )

    assert counted["result"].groups == read["result"].groups
    assert counted["result"].systems == read["result"].systems
    assert counted["result"].counts.usable == read["result"].counts.usable
    assert counted["missing_prices"] == read["missing_prices"]
