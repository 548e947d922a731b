"""The shipped files: their content and how they are made."""

import json
from datetime import date
from decimal import Decimal
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command

from submissions.pricing.quotes import DatedPrice, PriceBook, Unit
from submissions.pricing.sources import snapshot

WHEN = date(2026, 11, 20)


@pytest.fixture(scope="module")
def book():
    return PriceBook(snapshot.read_prices())


def hourly(book, provider, region, sku, on=WHEN, model="on_demand", unit="hour"):
    quote = book.quote(provider=provider, region=region, sku=sku, unit=unit, pricing_model=model, on=on)
    return quote and (quote.usd, quote.valid_from)


def test_the_files_are_small():
    assert sum(file.stat().st_size for file in snapshot.FOLDER.iterdir()) < 2_000_000


def test_every_price_is_above_zero_and_of_a_known_unit():
    prices = list(snapshot.read_prices())

    assert [price for price in prices if not price.usd > 0 or price.unit not in list(Unit)] == []
    assert max(len(price.source) for price in prices) <= 200


@pytest.mark.parametrize(
    ("region", "sku", "usd", "since"),
    [
        ("us-east-1", "m5.large", "0.096", date(2019, 11, 13)),
        ("us-west-2", "m5.large", "0.096", date(2019, 11, 13)),  # later lists: 0.102, dedicated
        ("us-east-1", "i3.2xlarge", "0.624", date(2017, 4, 4)),  # later lists: 0.686, dedicated
        ("us-east-1", "g4dn.16xlarge", "4.352", date(2020, 8, 30)),  # later lists: 4.613, dedicated
        ("us-east-1", "m7g.2xlarge", "0.3264", date(2023, 8, 6)),
        ("us-east-1", "i4i.2xlarge", "0.686", date(2022, 10, 2)),
        ("ap-south-1", "m4.xlarge", "0.21", date(2019, 11, 13)),
    ],
)
def test_machines_of_aws_have_the_price_of_shared_tenancy(book, region, sku, usd, since):
    assert hourly(book, "aws", region, sku) == (Decimal(usd), since)


@pytest.mark.parametrize(
    ("sku", "unit", "model", "usd"),
    [
        ("n1-vcpu", "hour", "on_demand", "0.031611"),
        ("n1-memory-gib", "hour", "on_demand", "0.004237"),
        ("n2-vcpu", "hour", "on_demand", "0.031611"),
        ("e2-memory-gib", "hour", "on_demand", "0.00292353"),
        ("c2-vcpu", "hour", "reserved_3y", "0.013593"),
        ("pd-ssd", "gib_month", "on_demand", "0.17"),
        ("pd-standard", "gib_month", "on_demand", "0.04"),
        ("local-ssd", "gib_month", "on_demand", "0.08"),
    ],
)
def test_gce_has_its_rates(book, sku, unit, model, usd):
    assert hourly(book, "gce", "us-central1", sku, model=model, unit=unit) == (Decimal(usd), date(2020, 8, 30))


@pytest.mark.parametrize(
    ("provider", "region", "sku", "on", "usd"),
    [
        ("aws", "us-east-1", "m1.xlarge", date(2011, 11, 2), "0.68"),
        ("aws", "us-east-1", "m2.4xlarge", date(2011, 11, 2), "2.00"),
        ("aws", "us-east-1", "m2.4xlarge", date(2012, 7, 19), "1.80"),
        ("aws", "us-east-1", "m2.xlarge", date(2012, 7, 19), "0.45"),
        ("aws", "us-east-1", "hi1.4xlarge", date(2012, 7, 19), "3.10"),
        ("aws", "us-east-1", "m3.2xlarge", date(2015, 9, 1), "0.532"),
        ("gce", "us-central1", "n1-standard-8", date(2015, 9, 1), "0.304"),
    ],
)
def test_the_published_results_have_the_prices_of_their_articles(book, provider, region, sku, on, usd):
    assert hourly(book, provider, region, sku, on)[0] == Decimal(usd)


def test_traffic_between_zones_has_a_price_since_2011(book):
    assert hourly(book, "aws", "us-east-1", "cross-zone", unit="gb") == (Decimal("0.01"), date(2011, 11, 2))


def test_a_snapshot_is_read_as_it_was_written(tmp_path):
    price = DatedPrice("aws", "us-east-1", "m5.large", "hour", "on_demand", Decimal("0.0960"), WHEN, 'a "list", x')
    hardware = snapshot.Hardware("aws", "m5.large", 2, 8.0, None, "y")
    (tmp_path / snapshot.HISTORICAL).write_text(json.dumps({"prices": []}))

    snapshot.write_prices([price], tmp_path)
    snapshot.write_hardware([hardware], tmp_path)

    assert list(snapshot.read_prices(tmp_path)) == [price]
    assert list(snapshot.read_hardware(tmp_path)) == [hardware]


def make_wheel(folder, updated=1598745600):  # 2020-08-30
    wheel = folder / "apache_libcloud-3.2.0-py2.py3-none-any.whl"
    pricing = {"updated": updated, "compute": {"ec2_linux": {"m5.large": {"us-east-1": 0.096}}}}
    types = 'INSTANCE_TYPES = {"m5.large": {"extra": {"vcpu": "2", "memory": "8 GiB", "storage": "EBS only"}}}'
    with ZipFile(wheel, "w") as members:
        members.writestr("libcloud/data/pricing.json", json.dumps(pricing))
        members.writestr("libcloud/compute/constants/ec2_instance_types.py", types)
    return wheel


def test_the_same_wheels_make_the_same_files(tmp_path, capsys):
    wheel = make_wheel(tmp_path)

    made = []
    for name in ("one", "two"):
        call_command("make_price_snapshot", str(wheel), "--folder", str(tmp_path / name))
        made.append([(tmp_path / name / file).read_bytes() for file in (snapshot.PRICES, snapshot.HARDWARE)])

    assert made[0] == made[1]
    assert capsys.readouterr().out.startswith("1 prices, 153 instance types")


def test_a_file_that_is_not_a_wheel_is_refused(tmp_path):
    other = tmp_path / "apache_libcloud-3.2.0.whl"
    with ZipFile(other, "w") as members:
        members.writestr("readme", "")

    with pytest.raises(CommandError, match="not a wheel of apache-libcloud with prices"):
        call_command("make_price_snapshot", str(other), "--folder", str(tmp_path))
