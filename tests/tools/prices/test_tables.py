"""Dated tables, each known by its columns."""

from datetime import date
from decimal import Decimal

import pytest

from submissions.pricing.book.quotes import DatedPrice
from tools.prices.tables import as_shared_tenancy, read_table


def rows(prices):
    return [
        (price.region, price.sku, price.pricing_model, str(price.usd), str(price.valid_from), str(price.last_seen))
        for price in prices
    ]


def test_ec2_of_one_day_has_four_bases_and_missing_ones_are_left_out(tmp_path):
    path = tmp_path / "ec2-prices-2025-05-28.csv"
    path.write_text(
        "region,instance_type,on_demand_usd_h,reserved_1y_standard_no_upfront,reserved_1y_standard_all_upfront,"
        "reserved_3y_standard_no_upfront,reserved_3y_standard_all_upfront,spot_avg,spot_min,spot_max\n"
        "us-east-1,m5.large,0.096,0.06,0.056393,,0.036111,0.031680,0.0315,0.0383\n"
        "us-east-1,mac1.metal,1.083,,,,,,,\n"
    )

    assert rows(read_table(path)) == [
        ("us-east-1", "m5.large", "on_demand", "0.096", "2025-05-28", "2025-05-28"),
        ("us-east-1", "m5.large", "reserved_1y", "0.06", "2025-05-28", "2025-05-28"),
        ("us-east-1", "m5.large", "reserved_3y", "0.036111", "2025-05-28", "2025-05-28"),
        ("us-east-1", "m5.large", "spot", "0.031680", "2025-05-28", "2025-05-28"),
        ("us-east-1", "mac1.metal", "on_demand", "1.083", "2025-05-28", "2025-05-28"),
    ]


def test_what_did_not_change_is_confirmed_by_the_last_snapshot(tmp_path):
    path = tmp_path / "gce.csv"
    path.write_text(
        "seen_on,region,machine_type,basis,usd_h\n"
        "2026-05-05,us-central1,c4-standard-4,on_demand,0.19\n"
        "2026-05-05,us-central1,c4-standard-4,spot,0.07\n"
        "2026-06-01,us-central1,n4-standard-4,spot,0.05\n"
        "2026-08-03,us-central1,c4-standard-4,spot,0.08\n"
    )

    assert rows(read_table(path)) == [
        ("us-central1", "c4-standard-4", "on_demand", "0.19", "2026-05-05", "2026-08-03"),
        ("us-central1", "c4-standard-4", "spot", "0.07", "2026-05-05", "2026-06-01"),
        ("us-central1", "c4-standard-4", "spot", "0.08", "2026-08-03", "2026-08-03"),
        ("us-central1", "n4-standard-4", "spot", "0.05", "2026-06-01", "2026-08-03"),
    ]


def test_the_changes_of_ec2_are_confirmed_in_the_same_way(tmp_path):
    path = tmp_path / "ec2.csv"
    path.write_text(
        "seen_on,region,instance_type,on_demand_usd_h\n"
        "2023-12-11,us-east-1,m5.large,0.096\n2026-07-20,us-east-1,c9g.large,0.08\n"
    )

    assert rows(read_table(path)) == [
        ("us-east-1", "m5.large", "on_demand", "0.096", "2023-12-11", "2026-07-20"),
        ("us-east-1", "c9g.large", "on_demand", "0.08", "2026-07-20", "2026-07-20"),
    ]


def test_a_table_of_azure_is_known_by_its_name_and_0_ends_a_price(tmp_path):
    path = tmp_path / "azure-on-demand-history.csv"
    path.write_text(
        "seen_on,region,instance_type,on_demand_usd_h\n"
        "2023-10-27,eastus,Standard_D2s_v5,0.096\n2023-10-27,eastus,Standard_G4,3\n"
        "2025-05-16,eastus,Standard_G4,0\n2026-06-18,eastus,Standard_D2s_v6,0.1\n"
    )

    prices = read_table(path)

    assert rows(prices) == [
        ("eastus", "Standard_D2s_v5", "on_demand", "0.096", "2023-10-27", "2026-06-18"),
        ("eastus", "Standard_G4", "on_demand", "3", "2023-10-27", "2023-10-27"),
        ("eastus", "Standard_D2s_v6", "on_demand", "0.1", "2026-06-18", "2026-06-18"),
    ]
    assert {price.provider for price in prices} == {"azure"}
    assert prices[0].source == "karpenter-provider-azure, prices seen on 2023-10-27"


def test_a_price_of_azure_with_a_licence_of_windows_becomes_that_of_linux(tmp_path):
    path = tmp_path / "azure.csv"
    path.write_text(
        "seen_on,region,instance_type,on_demand_usd_h\n"
        "2023-10-27,eastus,Standard_D2as_v5,0.178\n2024-12-13,eastus,Standard_D2as_v5,0.086\n"
        "2026-04-02,eastus,Standard_D2as_v5,0.178\n2026-06-18,eastus,Standard_D2as_v5,0.19\n"
        "2023-10-27,eastus,Standard_B2ts_v2,0.0196\n2025-06-03,eastus,Standard_B2ts_v2,0.0104\n"
    )

    assert [(price.sku, str(price.usd)) for price in read_table(path)] == [
        ("Standard_D2as_v5", "0.086"),
        ("Standard_D2as_v5", "0.086"),
        ("Standard_D2as_v5", "0.086"),
        ("Standard_D2as_v5", "0.19"),  # neither
        ("Standard_B2ts_v2", "0.0104"),
        ("Standard_B2ts_v2", "0.0104"),
    ]


@pytest.mark.parametrize(
    ("name", "columns", "reason"),
    [
        ("x.csv", "a,b", "x.csv is not a table of prices: its columns are a, b"),
        ("x.csv", "", "its columns are missing"),
        ("x.csv", "region,instance_type,on_demand_usd_h,spot_avg", "no day in its name"),
    ],
)
def test_an_unknown_table_is_refused_with_the_reason(tmp_path, name, columns, reason):
    path = tmp_path / name
    path.write_text(f"{columns}\n")

    with pytest.raises(ValueError, match=reason):
        read_table(path)


def metal(usd, day, source="a list", name="c6g.metal"):
    return DatedPrice("aws", "us-east-1", name, "hour", "on_demand", Decimal(usd), day, source)


def test_bare_metal_has_the_price_of_shared_tenancy():
    dedicated = metal("2.3066", date(2023, 12, 11), "karpenter")
    shared = [metal("2.176", date(2025, 5, 28))]

    [price] = as_shared_tenancy([dedicated], [shared])

    assert (price.usd, price.valid_from) == (Decimal("2.176"), date(2023, 12, 11))
    assert price.source == "karpenter; shared tenancy by a list"


@pytest.mark.parametrize("usd", ["2.176", "1.9", "3.1"])
def test_another_price_of_bare_metal_stays(usd):
    price = metal(usd, date(2023, 12, 11))

    assert as_shared_tenancy([price], [[metal("2.176", date(2025, 5, 28))]]) == [price]
