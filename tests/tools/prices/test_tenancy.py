"""Shared and dedicated tenancy, in tables that confuse them."""

from decimal import Decimal

import pytest

from tools.prices.tenancy import normalised_size, shared_tenancy

VCPUS = {
    "m6.large": 2,
    "m6.xlarge": 4,
    "m6.2xlarge": 8,
    "m6.metal": 96,
    "x9.large": 2,
    "x9.xlarge": 4,
    "y9.large": 2,
    "y9.xlarge": 4,
}
R = "us-east-1"
# shared: 0.1 a large; dedicated: 6 % more. The licence costs 0.06 up to 4 vCPUs, 0.13 above.


def table(**prices):
    return {(name.replace("_", "."), R): Decimal(usd) for name, usd in prices.items()}


def shared(linux, *licensed, earlier=None):
    return shared_tenancy(linux, licensed, earlier=earlier or {}, vcpus=VCPUS)


def test_a_dedicated_price_among_shared_ones_is_dropped():
    linux = table(m6_large="0.1", m6_xlarge="0.212", m6_2xlarge="0.4")
    red_hat = table(m6_large="0.16", m6_xlarge="0.26", m6_2xlarge="0.53")

    assert shared(linux, red_hat) == table(m6_large="0.1", m6_2xlarge="0.4")


def test_other_tables_show_that_all_prices_of_a_family_are_dedicated():
    # the other families tell the licences: 0.06 and 0.095
    linux = table(m6_large="0.106", x9_large="0.2", y9_large="0.3", m6_xlarge="0.212", x9_xlarge="0.4", y9_xlarge="0.6")
    red_hat = table(
        m6_large="0.16", x9_large="0.26", y9_large="0.36", m6_xlarge="0.26", x9_xlarge="0.46", y9_xlarge="0.66"
    )
    with_ha = table(
        m6_large="0.195", x9_large="0.295", y9_large="0.395", m6_xlarge="0.295", x9_xlarge="0.495", y9_xlarge="0.695"
    )

    # 0.16 - 0.06 = 0.195 - 0.095 = 0.1, which unmasks 0.106
    assert shared(linux, red_hat, with_ha) == {key: linux[key] for key in linux if not key[0].startswith("m6")}


def test_a_licence_is_what_most_types_pay():
    # two types and two differences: neither is told to be the licence
    linux = table(m6_large="0.106", m6_xlarge="0.2", x9_large="0.2")
    red_hat = table(m6_large="0.16", m6_xlarge="0.26", x9_large="0.26")

    assert shared(linux, red_hat) == {}


def test_a_single_draw_is_not_convincing():
    assert shared(table(m6_large="0.1", m6_xlarge="0.2")) == {}


def test_an_earlier_shared_price_reveals_a_dedicated_one():
    linux = table(m6_large="0.106", m6_xlarge="0.212", m6_2xlarge="0.424")
    earlier = table(m6_large="0.1", m6_xlarge="0.2", m6_2xlarge="0.4")

    assert shared(linux, earlier=earlier) == {}


def test_an_earlier_price_confirms_the_same_one():
    prices = table(m6_large="0.1", m6_xlarge="0.2", m6_2xlarge="0.4")

    assert shared(prices, earlier=prices) == prices


def test_a_size_without_a_proportion_is_dropped():
    prices = table(m6_large="0.1", m6_xlarge="0.2", m6_2xlarge="0.4", m6_metal="4.8")

    assert ("m6.metal", R) not in shared(prices, earlier=prices)


def test_draws_of_another_region_do_not_count():
    linux = {("m6.large", region): Decimal("0.1") for region in ("a", "b", "c", "d", "e")}

    assert shared(linux) == {}


@pytest.mark.parametrize(
    ("instance_type", "size"),
    [("t3.nano", "0.25"), ("t3.micro", "0.5"), ("m5.large", "4"), ("m5.xlarge", "8"), ("m5.12xlarge", "96")],
)
def test_normalised_sizes_are_those_of_aws(instance_type, size):
    assert normalised_size(instance_type) == Decimal(size)


@pytest.mark.parametrize("instance_type", ["m5.metal", "u-6tb1", "c7i.metal-48xl"])
def test_other_sizes_have_no_normalised_size(instance_type):
    assert normalised_size(instance_type) is None
