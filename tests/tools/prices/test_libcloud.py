"""Reading apache-libcloud's price tables, errors included."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from submissions.pricing.book.quotes import DatedPrice, PriceBook
from tools.prices.libcloud import history_of, prices_of, release_of


def release(day, compute, version="3.2.0"):
    updated = int(datetime(day.year, day.month, day.day, 17, 0, tzinfo=UTC).timestamp())
    return release_of(json.dumps({"updated": updated, "compute": compute, "storage": {}}).encode(), version)


def gce_part(price, sku, region="us-central1", model="on_demand"):
    return {"description": "x", model: {region: {"price": price, "sku": sku}}}


def gce_tables(**changed):
    empty = {"cpu": {}, "ram": {}}
    names = ("n1", "n1_custom", "n2", "n2_custom", "n2d", "n2d_custom", "e2", "c2", "m1", "f1", "g1")
    return {**dict.fromkeys(names, empty), **changed}


NO_DISKS = {"Standard": {}, "SSD": {}, "Local SSD": {}}


def simple(found):
    return [(p.provider, p.region, p.sku, p.unit, p.pricing_model, p.usd) for p in found]


def test_zero_in_a_table_is_not_a_price():
    compute = {
        "ec2_linux": {"m5.large": {"us-east-1": 0.096, "us-west-2": 0.0, "eu-west-1": "n/a"}},
        "ec2_us_east": {"m5.large": 9},  # left over from the format before
    }

    assert list(prices_of(release(date(2020, 8, 30), compute), {}, PriceBook())) == [
        DatedPrice(
            "aws",
            "us-east-1",
            "m5.large",
            "hour",
            "on_demand",
            Decimal("0.096"),
            date(2020, 8, 30),
            "apache-libcloud 3.2.0 pricing.json of 2020-08-30",
        )
    ]


def test_the_tables_by_region_of_older_releases_are_read():
    compute = {
        "ec2_us_east": {"m1.xlarge": "0.35", "old": 0.0},
        "ec2_ap_northeast": {"m1.xlarge": 0.4},  # Tokyo and Seoul in one
        "google_us": {"n1-standard-8": 0.4},
        "rackspace": {"2": 0.03},
    }

    assert simple(prices_of(release(date(2016, 6, 28), compute), {}, PriceBook())) == [
        ("aws", "us-east-1", "m1.xlarge", "hour", "on_demand", Decimal("0.35")),
        ("gce", "us-central1", "n1-standard-8", "hour", "on_demand", Decimal("0.4")),
    ]


def test_releases_without_a_reliable_date_are_excluded():
    assert list(prices_of(release(date(2014, 4, 10), {"ec2_us_east": {"m1.xlarge": 0.35}}), {}, PriceBook())) == []


def test_the_rates_and_disks_of_gce_are_read_with_their_basis():
    compute = {
        "ec2_linux": {},
        "gce_instances": gce_tables(
            n1={
                "cpu": {
                    **gce_part(0.031611, "A"),
                    "preemptible": {"us-central1": {"price": 0.006655, "sku": "B"}},
                },
                "ram": gce_part(0.004237, "C"),
            },
            c2={"cpu": gce_part(0.021409, "D", model="1yr_commitment"), "ram": gce_part(0, "E")},
            f1={"cpu": gce_part(0.0076, "F")},
        ),
        # of a month of 720 hours: 0.17 and 0.048 USD
        "gce_disks": {
            **NO_DISKS,
            "SSD": gce_part(0.00023611111111111112, "G"),
            "Local SSD": gce_part(6.666666666666667e-05, "H", model="preemptible"),
        },
    }

    assert simple(prices_of(release(date(2020, 8, 30), compute), {}, PriceBook())) == [
        ("gce", "us-central1", "f1-micro", "hour", "on_demand", Decimal("0.0076")),
        ("gce", "us-central1", "n1-vcpu", "hour", "on_demand", Decimal("0.031611")),
        ("gce", "us-central1", "n1-vcpu", "hour", "spot", Decimal("0.006655")),
        ("gce", "us-central1", "n1-memory-gib", "hour", "on_demand", Decimal("0.004237")),
        ("gce", "us-central1", "c2-vcpu", "hour", "reserved_1y", Decimal("0.021409")),
        ("gce", "us-central1", "pd-ssd", "gib_month", "on_demand", Decimal("0.17")),
        ("gce", "us-central1", "local-ssd", "gib_month", "spot", Decimal("0.048")),
    ]


def test_a_rate_under_two_families_belongs_to_neither():
    compute = {
        "ec2_linux": {},
        "gce_instances": gce_tables(
            n1_custom={"cpu": {}, "ram": gce_part(0.00108, "SHARED", model="preemptible")},
            n2_custom={
                "cpu": gce_part(0.033174, "OWN"),
                "ram": gce_part(0.00108, "SHARED", model="preemptible"),
            },
        ),
        "gce_disks": NO_DISKS,
    }

    assert simple(prices_of(release(date(2020, 8, 30), compute), {}, PriceBook())) == [
        ("gce", "us-central1", "n2-custom-vcpu", "hour", "on_demand", Decimal("0.033174")),
    ]


def linux(**prices):
    return {"ec2_linux": {name.replace("_", "."): {"us-east-1": usd} for name, usd in prices.items()}}


@pytest.mark.parametrize("order", [1, -1])
def test_a_history_has_only_the_changes_oldest_first(order):
    releases = [
        release(date(2020, 8, 30), linux(m4_large=0.123, m5_large=0.096)),
        release(date(2021, 11, 6), linux(m4_large=0.105, m5_large=0.096), "3.4.1"),
    ][::order]

    assert [(p.sku, p.usd, p.valid_from) for p in history_of(releases, {})] == [
        ("m4.large", Decimal("0.123"), date(2020, 8, 30)),
        ("m5.large", Decimal("0.096"), date(2020, 8, 30)),
        ("m4.large", Decimal("0.105"), date(2021, 11, 6)),
    ]


def test_a_dedicated_price_in_a_later_release_is_not_a_change():
    releases = [
        release(date(2022, 3, 24), linux(i3_large=0.156, i3_xlarge=0.312, i3_2xlarge=0.624, i3_4xlarge=1.248)),
        release(date(2025, 3, 2), linux(i3_large=0.156, i3_xlarge=0.0, i3_2xlarge=0.686, i3_4xlarge=1.248), "3.9.1"),
    ]

    assert {p.valid_from for p in history_of(releases, {})} == {date(2022, 3, 24)}
