"""Prices in memory: a new one counts at once."""

from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.db import transaction

from submissions.models import Price
from submissions.pricing import book, recent
from submissions.pricing.quotes import DatedPrice, PriceKey
from tests.factories import PriceFactory

pytestmark = pytest.mark.django_db

DAY = date(2020, 1, 1)


def price(usd, day=DAY):
    return DatedPrice("aws", "us-east-1", "m3.2xlarge", "hour", "on_demand", Decimal(usd), day, "list")


KEY = PriceKey("aws", "us-east-1", "m3.2xlarge")
SERIES = price(1).series


def in_force(on):
    found = recent.load({KEY}).in_force(SERIES, on)
    return found and (found.usd, found.last_seen)


def test_known_prices_cost_one_query(django_assert_num_queries):
    book.record([price(1)])
    recent.load({KEY})

    with django_assert_num_queries(1):
        assert in_force(DAY) == (1, DAY)
    with django_assert_num_queries(0):
        recent.load(set())


def test_a_new_price_a_later_sight_and_a_deletion_count_at_once():
    later = DAY + timedelta(days=9)
    assert in_force(later) is None
    book.record([price(1)])
    assert in_force(later) == (1, DAY)
    book.record([price(1, later)])
    assert in_force(later) == (1, later)
    book.record([price(2, later + timedelta(days=1))])
    assert in_force(later + timedelta(days=1)) == (2, later + timedelta(days=1))
    Price.objects.all().delete()
    assert in_force(later) is None


def test_a_price_that_was_rolled_back_never_counted():
    with transaction.atomic():
        PriceFactory(
            provider="aws", region="us-east-1", sku="m3.2xlarge", usd=Decimal(7), valid_from=DAY, last_seen=DAY
        )
        assert in_force(DAY) == (7, DAY)
        transaction.set_rollback(True)

    assert in_force(DAY) is None
