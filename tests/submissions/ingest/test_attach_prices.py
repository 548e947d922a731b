"""Freezing prices at ingest: from the book of the day, or as stated, or unknown with the reason."""

import json
from datetime import date
from decimal import Decimal

import pytest

from submissions.ingest.attach_prices import GroupPrice, attach_prices, load_book, price_keys
from submissions.ingest.document.submission import SubmissionDocument
from submissions.models import Price
from submissions.pricing.book.quotes import DatedPrice, PriceBook, PriceKey
from tests.queries import queries_of

SEEN = date(2015, 8, 1)
LIST = "a price list"


def dated(provider, region, sku, usd, unit="hour", model="on_demand", valid_from=SEEN):
    return DatedPrice(provider, region, sku, unit, model, Decimal(usd), valid_from, LIST)


BOOK = PriceBook(
    [
        dated("aws", "us-east-1", "m3.2xlarge", "0.532"),
        dated("aws", "us-east-1", "m3.2xlarge", "0.10", model="spot"),
        dated("aws", "us-east-1", "c3.4xlarge", "0.84"),
        dated("aws", "us-east-1", "gp2", "0.10", "gib_month"),
        dated("gce", "us-central1", "n1-vcpu", "0.03"),
        dated("gce", "us-central1", "n1-memory-gib", "0.004"),
        dated("gce", "us-central1", "local-ssd", "0.073", "gib_month", valid_from=date(2015, 8, 20)),
        dated("gce", "europe-west1", "n1-vcpu", "0.04"),
    ]
)


def document(*nodes, **facts):
    body = {
        "service": {"name": "cassandra", "version": "2.1.8"},
        "measured_at": "2015-09-01T12:00:00Z",
        "provider": "aws",
        "region": "us-east-1",
        "nodes": list(nodes),
        "workload": {"tool": "cassandra-stress", "operations": {"write": 1.0}},
        "trials": [{"throughput_ops_s": 90748}],
        **facts,
    }
    return SubmissionDocument.model_validate_json(json.dumps(body))


def database(instance_type="m3.2xlarge", count=3, **facts):
    return {"role": "database", "count": count, "instance_type": instance_type, **facts}


CLIENT = {"role": "client", "count": 1, "instance_type": "c3.4xlarge"}


def test_the_price_in_force_on_the_day_is_frozen_for_every_group():
    priced = attach_prices(document(database(disks=[{"kind": "local-ssd", "count": 2}]), CLIENT), BOOK)

    assert priced.groups == (
        GroupPrice(Decimal("0.532"), Decimal(0), False, LIST, SEEN, SEEN),
        GroupPrice(Decimal("0.84"), Decimal(0), False, LIST, SEEN, SEEN),
    )
    assert priced.cost.hourly_usd == Decimal("1.596")  # the client is no part of the system
    assert priced.cost.price_date == SEEN
    assert priced.cost.missing == ""


def test_volumes_are_frozen_beside_their_node():
    priced = attach_prices(document(database(disks=[{"kind": "gp2", "count": 2, "size_gib": 365}])), BOOK)

    # 730 GiB x 0.10 / 730 h
    assert priced.groups == (GroupPrice(Decimal("0.532"), Decimal("0.1"), False, LIST, SEEN, SEEN),)
    assert priced.cost.hourly_usd == Decimal("1.896")
    assert [(item.label, item.quantity, item.usd) for item in priced.cost.items] == [
        ("3× m3.2xlarge (database)", Decimal(3), Decimal("1.596")),
        ("3× 2× gp2 capacity (database)", Decimal(2190), Decimal("0.3")),
    ]


def test_a_machine_of_gce_is_composed_of_its_vcpus_and_memory():
    nodes = database("n1-standard-8", disks=[{"kind": "local-ssd", "size_gib": 375}])

    priced = attach_prices(document(nodes, provider="gce", region="us-central1"), BOOK)

    # 8 x 0.03 + 30 x 0.004 = 0.36; 375 x 0.073 / 730 = 0.0375
    assert priced.groups == (GroupPrice(Decimal("0.360"), Decimal("0.0375"), False, LIST, SEEN, SEEN),)
    assert priced.cost.hourly_usd == Decimal("1.1925")


def test_a_newer_list_price_of_the_type_itself_wins_over_its_parts():
    listed = dated("gce", "us-central1", "n1-standard-8", "0.304", valid_from=date(2015, 9, 1))
    older = dated("gce", "us-central1", "n1-standard-8", "0.504", valid_from=date(2014, 1, 1))
    nodes = database("n1-standard-8", count=1)
    parts = [dated("gce", "us-central1", "n1-vcpu", "0.03"), dated("gce", "us-central1", "n1-memory-gib", "0.004")]

    def cost(*prices):
        gce = document(nodes, provider="gce", region="us-central1")
        return attach_prices(gce, PriceBook([*parts, *prices])).cost.hourly_usd

    assert cost(listed) == Decimal("0.304")
    assert cost(older) == Decimal("0.360")


def test_half_the_parts_of_a_machine_are_no_price():
    priced = attach_prices(document(database("n1-standard-8"), provider="gce", region="europe-west1"), BOOK)

    assert priced.cost.hourly_usd is None
    assert priced.cost.missing == "No price of n1-standard-8 (on demand) in Google Cloud europe-west1 is known."


def test_a_stated_price_stands_for_the_node_and_its_storage():
    nodes = database(hourly_usd="0.40", disks=[{"kind": "gp2"}])

    priced = attach_prices(document(nodes), BOOK)

    assert priced.groups == (
        GroupPrice(Decimal("0.40"), Decimal(0), True, "stated by the submitter", date(2015, 9, 1), None),
    )
    assert priced.cost.hourly_usd == Decimal("1.20")
    assert priced.cost.is_stated


def test_a_stated_price_needs_no_date():
    priced = attach_prices(document(database(hourly_usd="0.40"), measured_at=None), BOOK)

    assert priced.cost.hourly_usd == Decimal("1.20")
    assert priced.cost.price_date is None


def test_the_pricing_model_chooses_the_price():
    assert attach_prices(document(database(pricing_model="spot")), BOOK).cost.hourly_usd == Decimal("0.30")


@pytest.mark.parametrize(
    ("nodes", "facts", "missing"),
    [
        (
            database(),
            {"measured_at": None},
            "No price of m3.2xlarge: the measurement date (measured_at) is not stated.",
        ),
        (
            database(),
            {"measured_at": "2015-07-31T23:59:59Z"},
            "No price of m3.2xlarge (on demand) in AWS us-east-1 for 2015-07-31: the oldest is from 2015-08-01.",
        ),
        (
            database(),
            {"region": "us-west-2"},
            "No price of m3.2xlarge (on demand) in AWS us-west-2 is known.",
        ),
        (database(), {"region": None}, "No price of m3.2xlarge: the region is not stated."),
        (
            database(pricing_model="reserved_1y"),
            {},
            "No price of m3.2xlarge (reserved, 1 year) in AWS us-east-1 is known.",
        ),
        (
            database("rack-7"),
            {"provider": "on-premises", "region": None},
            "No price known for rack-7: its hourly cost is not stated.",
        ),
        (
            database(disks=[{"kind": "gp2"}]),
            {},
            "The size of the gp2 disks is not stated.",
        ),
        (
            database("m9.huge", disks=[{"kind": "san"}, {"kind": "ebs"}]),
            {},
            "No price of m9.huge (on demand) in AWS us-east-1 is known, and 2 more.",
        ),
    ],
)
def test_an_unknown_price_is_named_and_leaves_the_cost_unknown(nodes, facts, missing):
    priced = attach_prices(document(nodes, **facts), BOOK)

    assert priced.cost.hourly_usd is None
    assert priced.cost.missing == missing


def test_the_reason_fits_its_column_whatever_the_names():
    nodes = [database("x" * 100, pricing_model="reserved_3y", disks=[{"kind": "y" * 50}] * 50) for _ in range(20)]
    old = dated("z" * 50, "r" * 50, "x" * 100, "1", model="reserved_3y", valid_from=date(2016, 1, 1))

    priced = attach_prices(document(*nodes, provider="z" * 50, region="r" * 50), PriceBook([old]))

    assert priced.cost.hourly_usd is None
    assert len(priced.cost.missing) <= 300


def test_the_keys_are_everything_that_pricing_may_look_at():
    gce = document(
        database("n1-standard-8", disks=[{"kind": "local-ssd", "size_gib": 375}]),
        CLIENT,
        provider="gce",
        region="us-central1",
    )

    assert price_keys(gce) == {
        PriceKey("gce", "us-central1", sku)
        for sku in ("n1-standard-8", "n1-vcpu", "n1-memory-gib", "local-ssd", "c3.4xlarge")
    }


@pytest.mark.django_db
def test_a_batch_of_thirty_documents_takes_the_queries_of_one():
    types = [f"t{n}.large" for n in range(31)]
    Price.objects.bulk_create(
        Price(
            provider="aws",
            region=f"region-{n % 7}",
            sku=name,
            unit="hour",
            pricing_model="on_demand",
            usd=Decimal(n + 1),
            valid_from=SEEN,
            last_seen=SEEN,
            source=LIST,
        )
        for n, name in enumerate(types)
    )
    documents = [document(database(name, count=1), region=f"region-{n % 7}") for n, name in enumerate(types)]

    costs = []

    def price(batch):
        book = load_book(batch)
        costs.extend(attach_prices(each, book).cost.hourly_usd for each in batch)

    assert queries_of(lambda: price(documents[:1])) == queries_of(lambda: price(documents[1:]))
    assert costs == [Decimal(n + 1) for n in range(31)]


@pytest.mark.django_db
def test_prices_are_found_without_a_book():
    priced = attach_prices(document(database(), CLIENT))

    assert priced.cost.missing == "No price of m3.2xlarge (on demand) in AWS us-east-1 is known."
