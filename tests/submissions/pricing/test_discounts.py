"""Percent off list prices: what the parameter says, and what is left of a price."""

from decimal import Decimal

import pytest
from django.forms import ValidationError

from submissions.pricing.discounts import Discount, DiscountField, discount_of, discount_text, discount_words

BOTH = (Discount("aws", Decimal(25)), Discount("gce", Decimal("12.5")))


@pytest.mark.parametrize("text", ["aws:25,gce:12.5", " gce : 12.5% , AWS:25 ", "gce:12.50,aws:25.0"])
def test_it_is_read_however_it_is_written(text):
    assert DiscountField().clean(text) == BOTH


@pytest.mark.parametrize("text", ["", "aws:0", "aws:0,gce:0.0"])
def test_no_percent_is_no_discount(text):
    assert DiscountField().clean(text) == ()


@pytest.mark.parametrize("text", ["aws:25,", "25", ":25", "aws:25:1", "aws:1e400", "aws:infinity", "aws=25"])
def test_what_is_no_discount_is_refused(text):
    with pytest.raises(ValidationError):
        DiscountField().clean(text)


def test_it_is_written_as_it_is_read():
    assert discount_text(BOTH) == "aws:25,gce:12.5"
    assert DiscountField().clean(discount_text(BOTH)) == BOTH


def test_what_is_left_is_not_rounded():
    assert discount_of(BOTH, "gce").of(Decimal("0.000001")) == Decimal("0.000000875")
    assert discount_of(BOTH, "azure").of(Decimal("1.5")) == Decimal("1.5")


def test_it_has_words():
    assert discount_words(BOTH) == "less 25 % on AWS and 12.5 % on Google Cloud"
    assert discount_words(()) == ""
