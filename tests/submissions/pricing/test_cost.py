"""The arithmetic of cost, against real bills."""

from datetime import date
from decimal import Decimal

import pytest

from submissions.pricing.cost import (
    BilledItem,
    Group,
    LineItem,
    MachineUse,
    Rate,
    RunCost,
    SystemCost,
    billed_seconds,
    exact,
    ops_per_usd,
    run_cost,
    system_cost,
    usd_per_million_ops,
)

NETFLIX_DAY = date(2011, 11, 2)
CROSS_ZONE = Rate(Decimal("0.01"), NETFLIX_DAY, "Netflix")


def machine(role, count, name, usd, *storage):
    rate = Rate(Decimal(usd), NETFLIX_DAY, "Netflix")
    return Group(role, count, BilledItem(name, Decimal(1), "hour", rate), storage)


def netflix_run(*, nodes, node_minutes, clients, client_minutes, gigabytes):
    return run_cost(
        [
            MachineUse(machine("database", nodes, "m1.xlarge", "0.68"), Decimal(60 * node_minutes)),
            MachineUse(machine("client", clients, "m2.4xlarge", "2.00"), Decimal(60 * client_minutes)),
        ],
        provider="aws",
        launched_on=NETFLIX_DAY,
        traffic_gb=Decimal(gigabytes),
        traffic=CROSS_ZONE,
    )


@pytest.mark.parametrize(
    ("nodes", "node_minutes", "clients", "gigabytes", "bill"),
    [
        (48, 15, 10, 833, "60.97"),
        (96, 22, 20, 1666, "121.94"),
        (288, 66, 60, 5018, "561.86"),
    ],
)
def test_the_bills_of_netflix_are_reproduced_to_the_cent(nodes, node_minutes, clients, gigabytes, bill):
    cost = netflix_run(nodes=nodes, node_minutes=node_minutes, clients=clients, client_minutes=60, gigabytes=gigabytes)

    assert cost.usd == Decimal(bill)


def test_a_bill_shows_each_of_its_lines():
    cost = netflix_run(nodes=288, node_minutes=66, clients=60, client_minutes=60, gigabytes=5018)

    dated = {"price_date": NETFLIX_DAY, "source": "Netflix"}
    machines = {**dated, "is_machine": True}
    assert cost == RunCost(
        items=(
            LineItem("288× m1.xlarge (database)", Decimal(576), "hour", Decimal("0.68"), Decimal("391.68"), **machines),
            LineItem("60× m2.4xlarge (client)", Decimal(60), "hour", Decimal("2.00"), Decimal(120), **machines),
            LineItem("traffic between zones", Decimal(5018), "gb", Decimal("0.01"), Decimal("50.18"), **dated),
        ),
        usd=Decimal("561.86"),
    )


def test_traffic_of_unknown_price_makes_a_bill_unknown():
    use = MachineUse(machine("database", 1, "m1.xlarge", "0.68"), Decimal(60))

    cost = run_cost([use], provider="aws", launched_on=NETFLIX_DAY, traffic_gb=Decimal(3))

    assert cost.usd is None
    assert cost.missing == "The price of traffic between zones is unknown."


@pytest.mark.parametrize(
    ("provider", "day", "used", "billed"),
    [
        ("aws", date(2017, 10, 1), 1, 3600),
        ("aws", date(2017, 10, 1), 3600, 3600),
        ("aws", date(2017, 10, 1), 3601, 7200),
        ("aws", date(2017, 10, 2), 1, 60),
        ("aws", date(2017, 10, 2), 61, 61),
        ("aws", date(2017, 10, 2), "61.2", 62),
        ("gce", date(2017, 9, 25), 1, 600),
        ("gce", date(2017, 9, 25), 601, 660),
        ("gce", date(2017, 9, 26), 1, 60),
        ("gce", date(2017, 9, 26), 601, 601),
        ("on-premises", date(2011, 1, 1), 1, 1),
    ],
)
def test_each_provider_rounds_machine_time_by_its_own_rule(provider, day, used, billed):
    assert billed_seconds(Decimal(used), provider=provider, launched_on=day) == Decimal(billed)


def test_negative_machine_time_is_refused():
    with pytest.raises(ValueError, match="-1 s of machine time"):
        billed_seconds(Decimal(-1), provider="aws", launched_on=NETFLIX_DAY)


@pytest.mark.parametrize(("provider", "storage_usd"), [("aws", "0.1"), ("gce", "0.01")])
def test_a_disk_is_billed_like_its_instance_on_aws_and_by_the_second_on_gce(provider, storage_usd):
    # 730 GiB x USD 0.10 a month = USD 0.1 an hour; of six minutes AWS billed the begun hour
    disk = BilledItem("disk", Decimal(730), "gib_month", Rate(Decimal("0.10")))
    use = MachineUse(machine("database", 1, "a-type", "1", disk), Decimal(360))

    cost = run_cost([use], provider=provider, launched_on=date(2016, 1, 1))

    assert cost.items[1].usd == Decimal(storage_usd)


def test_a_system_is_its_database_and_cache_nodes_without_the_clients():
    # the cluster that Netflix replaced by SSD nodes: 48 x 1.80 + 36 x 0.45 = 102.60
    cost = system_cost(
        [
            machine("database", 48, "m2.4xlarge", "1.80"),
            machine("cache", 36, "m2.xlarge", "0.45"),
            machine("client", 10, "m2.4xlarge", "1.80"),
        ]
    )

    dated = {"price_date": NETFLIX_DAY, "source": "Netflix", "is_machine": True}
    assert cost == SystemCost(
        items=(
            LineItem("48× m2.4xlarge (database)", Decimal(48), "hour", Decimal("1.80"), Decimal("86.40"), **dated),
            LineItem("36× m2.xlarge (cache)", Decimal(36), "hour", Decimal("0.45"), Decimal("16.20"), **dated),
        ),
        hourly_usd=Decimal("102.60"),
    )
    assert cost.monthly_usd == Decimal(74898)
    assert cost.price_date == NETFLIX_DAY
    assert not cost.is_stated


def test_an_hour_of_monthly_storage_costs_a_730th_of_the_month():
    disk = BilledItem("gp3 capacity", Decimal(1460), "gib_month", Rate(Decimal("0.08")))

    cost = system_cost([machine("database", 3, "m5.large", "0.096", disk)])

    # 3 x 0.096 + 3 x 1460 x 0.08 / 730 = 0.288 + 0.48
    assert cost.hourly_usd == Decimal("0.768")
    assert cost.items[1].quantity == 4380


def test_one_unknown_price_makes_the_whole_cost_unknown():
    unknown = BilledItem("gp3", Decimal(1), "gib_month", Rate(None, missing="no price of gp3 is known"))

    cost = system_cost([machine("database", 3, "m5.large", "0.096", unknown), machine("cache", 1, "m5.large", "1")])

    assert cost.hourly_usd is None
    assert cost.monthly_usd is None
    assert cost.missing == "No price of gp3 is known."
    assert [item.usd for item in cost.items] == [Decimal("0.288"), None, Decimal(1)]


def test_each_unknown_price_is_counted_once():
    gp3 = BilledItem("gp3", Decimal(1), "gib_month", Rate(None, missing="no price of gp3 is known"))
    io2 = BilledItem("io2", Decimal(1), "gib_month", Rate(None, missing="no price of io2 is known"))

    cost = system_cost([machine("database", 3, "m5.large", "0.096", gp3, gp3, io2)])

    assert cost.missing == "No price of gp3 is known, and 1 more."


def test_the_price_of_a_client_may_be_unknown():
    client = Group("client", 1, BilledItem("c3.4xlarge", Decimal(1), "hour", Rate(None, missing="no price")))

    assert system_cost([machine("database", 1, "m5.large", "0.096"), client]).hourly_usd == Decimal("0.096")


def test_a_system_without_priced_nodes_is_not_free():
    cost = system_cost([])

    assert cost == SystemCost((), None, "The submission has no database or cache nodes.")


def test_operations_per_dollar_of_the_published_comparison():
    # 3 x 0.532 = 1.596 USD/h against 3 x 0.304 = 0.912
    aws = ops_per_usd(hourly_usd=Decimal("1.596"), throughput_ops_s=Decimal(90748))
    gce = ops_per_usd(hourly_usd=Decimal("0.912"), throughput_ops_s=Decimal(111394))

    assert round(aws) == 204694737  # 90,748 x 3600 / 1.596
    assert round(gce) == 439713158  # 111,394 x 3600 / 0.912
    assert round(gce / aws, 2) == Decimal("2.15")


def test_the_cost_of_a_million_operations_is_the_inverse():
    usd = usd_per_million_ops(hourly_usd=Decimal("3.6"), throughput_ops_s=1000)

    assert usd == 1  # 3.6 million operations an hour for 3.60 USD


@pytest.mark.parametrize(("usd", "ops"), [("0", 1), ("1", 0), ("-1", 1), ("NaN", 1)])
def test_a_ratio_to_zero_is_refused(usd, ops):
    with pytest.raises((ValueError, ArithmeticError)):
        ops_per_usd(hourly_usd=Decimal(usd), throughput_ops_s=ops)


def test_a_float_has_the_decimal_value_that_it_prints():
    assert exact(0.1) == Decimal("0.1")
