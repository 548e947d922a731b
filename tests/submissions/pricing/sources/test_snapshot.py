"""The shipped files: their content and how they are made."""

import csv
import gzip
import json
import re
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from submissions.pricing.book.quotes import DatedPrice, PriceBook, Unit
from submissions.pricing.sources import snapshot

WHEN = date(2026, 11, 20)
LAST_SPOT_DAY, NEXT_DAY = date(2026, 9, 3), date(2026, 9, 4)  # 31 and 32 days after the last snapshot of GCE
DATA = Path(__file__).resolve().parents[3] / "data" / "prices"


@pytest.fixture(scope="module")
def book():
    return PriceBook(snapshot.read_prices())


def hourly(book, provider, region, sku, on=WHEN, model="on_demand", unit="hour"):
    quote = book.quote(provider=provider, region=region, sku=sku, unit=unit, pricing_model=model, on=on)
    return quote and (quote.usd, quote.valid_from)


def test_the_files_are_small():
    assert sum(file.stat().st_size for file in snapshot.FOLDER.iterdir()) < 3_000_000


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


def table(name):
    with gzip.open(DATA / name, "rt") as text:
        return list(csv.DictReader(text))


def test_every_ec2_type_of_july_2026_has_its_price_on_demand_and_its_history(book):
    """Bare metal has the shared price, which its table does not: that one is 6 or 10 % above."""
    wrong, dedicated = [], 0
    rows = sorted(table("ec2-us-east-1-on-demand.csv.gz"), key=lambda row: row["seen_on"])
    today = {row["instance_type"]: Decimal(row["on_demand_usd_h"]) for row in rows}
    checks = [(row["instance_type"], Decimal(row["on_demand_usd_h"]), row["seen_on"]) for row in rows]
    for name, usd, day in [*checks, *((name, usd, "2026-07-20") for name, usd in today.items())]:
        known, _ = hourly(book, "aws", "us-east-1", name, date.fromisoformat(day))
        if ".metal" in name and Decimal("1.05") < usd / known < Decimal("1.105"):
            dedicated += day == "2026-07-20"
        elif known != usd:
            wrong.append((name, day, usd, known))

    assert (len(today), wrong) == (1367, [])
    assert dedicated < 70


def test_every_gce_type_of_us_central1_has_its_price_on_demand_and_its_dated_spot_price(book):
    rows = table("gce-us-central1-2026-08-03.csv.gz")
    day = date(2026, 8, 3)

    def of(row, model):
        return hourly(book, "gce", "us-central1", row["machine_type"], day, model)

    assert len(rows) == 516
    assert [row for row in rows if of(row, "on_demand")[0] != Decimal(row["on_demand_usd_h"])] == []
    assert [
        row for row in rows if of(row, "spot") != (Decimal(row["spot_usd_h"]), date.fromisoformat(row["spot_seen_on"]))
    ] == []


def test_every_azure_type_of_eastus_has_its_price_on_demand_and_its_history(book):
    """Prices with a licence of Windows, which the table has of some types on some days, are those of Linux."""
    wrong, with_windows = [], set()
    rows = table("azure-eastus-on-demand.csv.gz")
    for row in rows:
        name, day, usd = row["instance_type"], date.fromisoformat(row["seen_on"]), Decimal(row["on_demand_usd_h"])
        known = hourly(book, "azure", "eastus", name, day)
        if usd and known and re.match(r"Standard_[BDEF]\d", name) and Decimal("1.08") < usd / known[0] < Decimal("2.3"):
            with_windows.add(name)
        elif usd and (known is None or known[0] != usd):
            wrong.append((row, known))

    assert (len({row["instance_type"] for row in rows}), wrong) == (1780, [])
    assert 60 < len(with_windows) < 120


@pytest.mark.parametrize(("name", "usd"), [("Standard_D2as_v5", "0.086"), ("Standard_E96as_v5", "5.424")])
def test_azure_has_the_price_of_linux_today(book, name, usd):
    assert hourly(book, "azure", "eastus", name, date(2026, 11, 27))[0] == Decimal(usd)


def test_what_azure_no_longer_lists_was_last_seen_before(book):
    series = ("azure", "eastus", "Standard_NC12s_v2", "hour", "on_demand")

    assert book.in_force(series, date(2026, 6, 18)).last_seen == date(2025, 6, 3)


def test_a_spot_price_is_unknown_32_days_after_it_was_last_seen(book):
    prices = [hourly(book, "gce", "us-central1", "c4-standard-8", day, "spot") for day in (LAST_SPOT_DAY, NEXT_DAY)]

    assert prices[0] is not None
    assert prices[1] is None


@pytest.mark.parametrize(
    ("model", "usd"),
    [("on_demand", "0.096"), ("reserved_1y", "0.06"), ("reserved_3y", "0.041"), ("spot", "0.03168")],
)
def test_ec2_has_four_bases_in_may_2025(book, model, usd):
    assert hourly(book, "aws", "us-east-1", "m5.large", date(2025, 5, 28), model)[0] == Decimal(usd)


@pytest.mark.parametrize(
    ("provider", "region", "sku", "unit", "model", "usd"),
    [
        ("aws", "eu-central-1", "gp3", "gib_month", "on_demand", "0.0952"),
        ("aws", "eu-central-1", "gp3-iops", "iops_month", "on_demand", "0.006"),
        ("aws", "eu-central-1", "gp3-throughput", "mibps_month", "on_demand", "0.0476"),
        ("aws", "ap-south-1", "io1-iops", "iops_month", "on_demand", "0.068"),
        ("gce", "europe-west3", "pd-balanced", "gib_month", "on_demand", "0.12"),
        ("gce", "asia-east2", "pd-ssd", "gib_month", "on_demand", "0.187"),
        ("gce", "us-east1", "hyperdisk-extreme", "gib_month", "on_demand", "0.141"),
        ("gce", "us-central1", "local-ssd", "gib_month", "reserved_3y", "0.036"),
        ("gce", "us-central1", "n2-vcpu", "hour", "reserved_1y", "0.019915"),
        ("gce", "us-central1", "n2-memory-gib", "hour", "reserved_3y", "0.001907"),
    ],
)
def test_volumes_and_commitments_have_prices_by_region(book, provider, region, sku, unit, model, usd):
    assert hourly(book, provider, region, sku, model=model, unit=unit)[0] == Decimal(usd)


def test_a_price_that_is_old_and_still_right_was_last_seen_lately(book):
    quote = book.quote(
        provider="aws", region="us-east-1", sku="m5.large", unit="hour", pricing_model="on_demand", on=WHEN
    )

    assert (quote.valid_from, quote.last_seen) == (date(2019, 11, 13), date(2026, 10, 15))


def test_what_was_written_by_hand_is_in_the_snapshot(book):
    missing = [price for price in snapshot.read_historical() if book.in_force(price.series, price.valid_from) is None]
    other = [
        price
        for price in snapshot.read_historical()
        if price not in missing and book.in_force(price.series, price.valid_from).usd != price.usd
    ]

    assert (missing, other) == ([], [])


def test_the_catalogues_know_processors_memory_and_disks():
    types = {(item.provider, item.name): item for item in snapshot.read_hardware()}

    i3 = types["aws", "i3.2xlarge"]
    assert (i3.vcpus, i3.memory_gib, i3.arch, i3.local_disk_count, i3.local_disk_kind) == (8, 61, "x86_64", 1, "nvme")
    assert types["aws", "c7g.2xlarge"].arch == types["gce", "c4a-standard-8"].arch == "arm64"
    assert (types["gce", "c4-highmem-8"].vcpus, types["gce", "c4-highmem-8"].memory_gib) == (8, 62)


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


FIGURES = Path(__file__).resolve().parents[4] / "tools" / "prices" / "figures"


def test_the_figures_of_sources_that_are_no_table_are_in_the_book(book):
    for path in sorted(FIGURES.glob("*.csv")):
        for row in csv.DictReader(path.open(encoding="utf-8")):
            series = (row["provider"], row["region"], row["sku"], row["unit"], row["pricing_model"])
            price = book.in_force(series, date.fromisoformat(row["last_seen"]))
            assert price is not None, series
            assert (price.usd, price.last_seen) == (Decimal(row["usd"]), date.fromisoformat(row["last_seen"])), series


@pytest.mark.parametrize(
    ("provider", "region", "sku", "unit", "usd"),
    [
        ("aws", "eu-west-1", "cross-zone", "gb", "0.01"),
        ("aws", "sa-east-1", "cross-region", "gb", "0.138"),
        ("aws", "us-east-1", "egress", "gb", "0.09"),
        ("aws", "eu-central-1", "snapshot", "gib_month", "0.054"),
        ("gce", "us-central1", "cross-zone", "gb", "0.01"),
        ("gce", "europe-west6", "object-storage", "gib_month", "0.025"),
        ("gce", "us-central1", "hyperdisk-balanced", "gib_month", "0.08"),
        ("azure", "eastus", "premium-ssd-p10", "disk_month", "19.71"),
    ],
)
def test_traffic_copies_and_disks_have_prices_on_three_clouds(book, provider, region, sku, unit, usd):
    quote = hourly(book, provider, region, sku, unit=unit)

    assert quote is not None
    assert quote[0] == Decimal(usd)


def test_savings_plans_of_azure_are_dearer_than_reservations_and_cheaper_than_on_demand(book):
    def usd(model):
        return hourly(book, "azure", "eastus", "Standard_D2s_v5", model=model)[0]

    assert usd("on_demand") > usd("savings_1y") > usd("reserved_1y") > usd("savings_3y") > usd("reserved_3y")
