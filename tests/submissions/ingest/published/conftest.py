"""The published results in the database, at the prices of their time.

Imports stand in the fixtures: this file is read before Django is set up.
"""

from datetime import date

import pytest


@pytest.fixture
def price_book(db):
    """The prices of the articles' time."""
    from submissions.pricing import book
    from submissions.pricing.sources import snapshot

    book.record(price for price in snapshot.read_prices() if price.valid_from < date(2016, 1, 1))


@pytest.fixture
def published(price_book):
    from submissions.ingest.published import load_published

    load_published()
