"""The published results in the database, at the prices of their time.

Imports stand in the functions: this file is read before Django is set up.
"""

from datetime import date

import pytest


def _record_prices():
    from submissions.pricing.book import book
    from submissions.pricing.sources import snapshot

    book.record(snapshot.read_prices(until=date(2015, 12, 31)))


@pytest.fixture
def price_book(db):
    """The prices of the articles' time."""
    _record_prices()


@pytest.fixture(scope="module")
def published(django_db_setup, django_db_blocker):
    """All published results, once for a module that only reads them; rolled back at its end."""
    from django.db import transaction

    from submissions.ingest.published import load_published
    from tests.stored_rows import stored

    def store():
        _record_prices()
        load_published()

    with django_db_blocker.unblock(), transaction.atomic():
        stored("published at the prices of their time", store)
        yield
        transaction.set_rollback(True)
