"""Clusters as they were priced, and at another date and on another basis."""

from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from types import SimpleNamespace

import pytest

from submissions.choices import PricingModel
from submissions.pricing.book.quotes import DatedPrice, PriceBook, PriceKey
from submissions.pricing.clusters import cluster_of, cost_at, frozen_cost, price_keys
from submissions.pricing.cost import LineItem
from submissions.pricing.terms import PriceTerms
from tests.factories import SubmissionFactory

OLD, NEW = date(2015, 6, 1), date(2025, 3, 2)


def dated(sku, usd, valid_from, model="on_demand", unit="hour"):
    return DatedPrice("aws", "us-east-1", sku, unit, model, Decimal(usd), valid_from, f"list of {valid_from.year}")


BOOK_PRICES = [
    dated("m3.2xlarge", "0.532", OLD),
    dated("m3.2xlarge", "0.500", NEW),
    dated("m3.2xlarge", "0.120", NEW, model="spot"),
    dated("gp2", "0.10", OLD, unit="gib_month"),
]
BOOK = PriceBook(BOOK_PRICES)


@dataclass
class Row:
    """The columns of a NodeGroup that prices depend on."""

    role: str = "database"
    count: int = 3
    instance_type: str = "m3.2xlarge"
    disks: list = field(default_factory=list)
    pricing_model: str = "on_demand"
    node_hourly_usd: Decimal | None = Decimal("0.532")
    storage_hourly_usd: Decimal | None = Decimal(0)
    is_price_stated: bool = False
    price_source: str | None = "list of 2015"
    price_date: date | None = OLD
    price_last_seen: date | None = OLD


CLIENT = Row(role="client", count=1, instance_type="c3.4xlarge", node_hourly_usd=None, storage_hourly_usd=None)


def priced(*rows, on=NEW, basis=None, provider="aws", region="us-east-1"):
    return cost_at(cluster(rows, provider, region), PriceTerms(on, basis), BOOK)


def cluster(rows, provider="aws", region="us-east-1", measured_at=None):
    return cluster_of(SimpleNamespace(provider=provider, region=region, measured_at=measured_at), rows)


@pytest.mark.parametrize(
    ("on", "basis", "hourly"),
    [
        (date(2015, 9, 1), None, "1.596"),
        (date(2025, 3, 1), PricingModel.ON_DEMAND, "1.596"),
        (date(2025, 3, 2), PricingModel.ON_DEMAND, "1.5"),
        (date(2025, 4, 2), PricingModel.SPOT, "0.36"),
    ],
)
def test_a_system_has_the_cost_of_any_day_and_basis(on, basis, hourly):
    assert priced(Row(), CLIENT, on=on, basis=basis).hourly_usd == Decimal(hourly)


def test_without_a_basis_each_group_keeps_its_own():
    assert priced(Row(pricing_model="spot"), on=date(2025, 3, 9)).hourly_usd == Decimal("0.36")


def test_each_line_has_the_date_of_its_price():
    cost = priced(Row(disks=[{"kind": "gp2", "count": 1, "size_gib": 730.0}]))

    assert [(item.label, item.usd, item.price_date) for item in cost.items] == [
        ("3× m3.2xlarge (database)", Decimal("1.500"), NEW),
        ("3× 1× gp2 capacity (database)", Decimal("0.30"), OLD),
    ]
    assert cost.price_date == OLD


def test_a_spot_price_counts_for_31_days_after_it_was_last_seen():
    cost = priced(Row(), on=date(2025, 4, 3), basis=PricingModel.SPOT)

    assert cost.hourly_usd is None
    assert cost.missing == (
        "No price of m3.2xlarge (spot) in AWS us-east-1 for 2025-04-03:"
        " last seen on 2025-03-02, and counts for 31 days."
    )


def test_a_price_that_was_not_seen_for_a_year_says_so_and_a_confirmed_one_does_not():
    confirmed = PriceBook([replace(price, last_seen=date(2026, 10, 15)) for price in BOOK_PRICES])
    terms = PriceTerms(date(2026, 11, 22), None)

    def words(book):
        cost = cost_at(cluster([Row()]), terms, book)
        return cost.confirmed, cost.items[0].confirmed

    assert words(BOOK) == ("last confirmed 20 months ago", "last confirmed 20 months ago")
    assert words(confirmed) == ("", "")


def test_a_basis_without_a_price_makes_the_cost_unknown():
    cost = priced(Row(), basis=PricingModel.RESERVED_3Y)

    assert cost.hourly_usd is None
    assert cost.missing == "No price of m3.2xlarge (reserved, 3 years) in AWS us-east-1 is known."


def test_the_list_replaces_a_stated_price():
    cost = priced(Row(node_hourly_usd=Decimal("0.1"), is_price_stated=True))

    assert (cost.hourly_usd, cost.is_stated) == (Decimal("1.5"), False)


def test_without_a_price_list_the_stated_price_stays_and_is_marked_as_stated():
    row = Row(instance_type="rack-7", node_hourly_usd=Decimal("0.1"), is_price_stated=True)

    cost = priced(row, provider="on-premises", region=None, basis=PricingModel.ON_DEMAND)

    assert (cost.hourly_usd, cost.is_stated) == (Decimal("0.3"), True)


@pytest.mark.parametrize("basis", [PricingModel.SPOT, PricingModel.RESERVED_1Y, PricingModel.RESERVED_3Y])
def test_a_stated_price_is_no_spot_price_and_no_reserved_one(basis):
    row = Row(instance_type="M80_NVME", node_hourly_usd=Decimal("2.9"), is_price_stated=True)

    cost = priced(row, provider="mongodb-atlas", region=None, basis=basis)

    assert cost.hourly_usd is None
    assert cost.missing == f"No price of M80_NVME ({basis.label}): its only price was stated by the uploader."


def test_a_stated_spot_price_is_no_price_on_demand():
    row = Row(
        instance_type="M80_NVME", node_hourly_usd=Decimal("0.9"), is_price_stated=True, pricing_model=PricingModel.SPOT
    )
    cost = priced(row, provider="mongodb-atlas", region=None, basis=PricingModel.ON_DEMAND)
    assert cost.hourly_usd is None


def test_the_keys_of_a_cluster_are_all_that_pricing_it_needs():
    rows = [Row(disks=[{"kind": "gp2", "count": 1, "size_gib": 10}]), CLIENT]

    assert price_keys(cluster(rows)) == {
        PriceKey("aws", "us-east-1", sku) for sku in ("m3.2xlarge", "gp2", "c3.4xlarge")
    }
    assert price_keys(cluster(rows, region=None)) == set()


def test_the_frozen_cost_is_what_was_stored():
    cost = frozen_cost([Row(storage_hourly_usd=Decimal("0.1")), CLIENT], OLD)

    dated = {"price_date": OLD, "source": "list of 2015", "last_seen": OLD, "used_on": OLD}
    assert cost.items == (
        LineItem(
            "3× m3.2xlarge (database)", Decimal(3), "hour", Decimal("0.532"), Decimal("1.596"), is_machine=True, **dated
        ),
        LineItem("3× storage of m3.2xlarge (database)", Decimal(3), "hour", Decimal("0.1"), Decimal("0.3"), **dated),
    )
    assert cost.hourly_usd == Decimal("1.896")


def test_what_was_unknown_when_stored_stays_unknown():
    cost = frozen_cost([Row(storage_hourly_usd=None)], OLD)

    assert cost.hourly_usd is None
    assert cost.missing == "The price of the storage of m3.2xlarge was unknown when the submission was stored."


@pytest.mark.django_db
def test_rows_of_the_database_are_priced_as_they_are():
    submission = SubmissionFactory(node_count=3)
    groups = list(submission.node_groups.all())

    assert frozen_cost(groups, None).hourly_usd == submission.hourly_usd
    assert priced(*groups).hourly_usd == Decimal("1.5")
