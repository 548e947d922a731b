"""Numbers as people read them."""

from decimal import Decimal

import pytest

from submissions.formatting import numbers as figures
from submissions.formatting.numbers import decimal_text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (90748, "90,700"),
        (1068.3760683760684, "1,070"),
        (194.6, "195"),
        (4.0, "4"),
        (2.148, "2.15"),
        (0.00487561, "0.00488"),
        (0, "0"),
        (1e21, "1,000,000,000,000,000,000,000"),
        (1.5e-7, "0.00000015"),
        (Decimal("439713157.8947"), "440,000,000"),
        (999.9, "1,000"),
    ],
)
def test_at_most_three_digits_count_and_none_is_an_exponent(value, shown):
    assert figures.significant(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (90748.25, "90,748.25"),
        (0.1, "0.1"),
        (30000, "30,000"),
        (Decimal("0.53200000"), "0.532"),
        (Decimal("1E+3"), "1,000"),
    ],
)
def test_the_exact_value_keeps_every_digit(value, shown):
    assert figures.exact(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Decimal("1.596"), "1.60"),
        (Decimal("561.86"), "561.86"),
        (Decimal("102.60"), "102.60"),
        (Decimal("1234567.8"), "1,234,567.80"),
        (Decimal("0.532"), "0.532"),
        (Decimal("0.3"), "0.30"),
        (Decimal("0.0048756"), "0.00488"),
        (Decimal("0"), "0.00"),
    ],
)
def test_dollars_have_cents_and_three_digits_below_one(value, shown):
    assert figures.dollars(value) == shown


def test_a_fraction_is_a_percentage_with_its_sign_where_it_is_a_change():
    assert figures.percent(0.04692) == "4.69 %"
    assert figures.signed_percent(0.2275) == "+22.8 %"
    assert figures.signed_percent(-0.05) == "−5 %"


@pytest.mark.parametrize(
    ("size_bytes", "shown"), [(16, "16 bytes"), (2048, "2 KiB"), (10_210, "9.97 KiB"), (300 * 2**20, "300 MiB")]
)
def test_sizes_are_in_binary_units(size_bytes, shown):
    assert figures.size(size_bytes) == shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        (Decimal("0E-23"), "0"),
        (Decimal("-0.00"), "0"),
        (Decimal("0.720000000"), "0.72"),
        (Decimal("1E+2"), "100"),
        (Decimal("100"), "100"),
        (Decimal("0.00000000000000000000123456789012345678901"), "0.00000000000000000000123456789012345678901"),
    ],
)
def test_a_decimal_in_json_has_every_digit_that_matters_and_no_exponent(value, text):
    assert decimal_text(value) == text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (111034.2, "111 k ops/s"),
        (90748, "90.7 k ops/s"),
        (1_099_837, "1.1 M ops/s"),
        (999_960, "1 M ops/s"),
        (2.5e9, "2.5 G ops/s"),
        (194.6, "195 ops/s"),
        (0, "0 ops/s"),
    ],
)
def test_a_rate_has_the_letter_of_its_scale(value, shown):
    assert figures.ops_s(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (3, "3.0 ms"),
        (4.04, "4.0 ms"),
        (12.345, "12.3 ms"),
        (0.5234, "0.52 ms"),
        (9.97, "10 ms"),
        (195.4, "195 ms"),
        (1234.5, "1,230 ms"),
        (0, "0 ms"),
    ],
)
def test_a_latency_has_two_digits_below_ten_milliseconds(value, shown):
    assert figures.latency(value) == shown


def test_what_money_buys_and_what_it_costs_are_short():
    assert figures.ops_per_usd(Decimal("439713157.8947")) == "440 M ops/$"
    assert figures.ops_per_usd(Decimal("1150000000")) == "1,150 M ops/$"
    assert figures.hourly(Decimal("0.912")) == "$0.91/h"
    assert figures.hourly(Decimal("195.84")) == "$195.84/h"
    assert figures.monthly(Decimal("1373.93")) == "$1,374/month"
    assert figures.monthly(Decimal("19.5")) == "$19.50/month"
    assert figures.usd_per_million_ops(Decimal("0.002274")) == "$0.0023 per M ops"
    assert figures.usd_per_million_ops(Decimal("0")) == "$0.00 per M ops"
