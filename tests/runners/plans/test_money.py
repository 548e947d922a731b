"""Decimals in JSON."""

from decimal import Decimal

import pytest

from runners.plans.money import as_text


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
def test_every_digit_that_matters_and_no_exponent(value, text):
    assert as_text(value) == text
