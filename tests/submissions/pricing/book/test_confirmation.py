"""How long a price counts, and when a figure says how old its price is."""

from datetime import date

import pytest

from submissions.pricing.book.confirmation import confirmed_words, is_outdated


@pytest.mark.parametrize(
    ("last_seen", "used_on", "words"),
    [
        (date(2025, 11, 22), date(2026, 11, 22), ""),  # 12 months, not more
        (date(2025, 11, 21), date(2026, 11, 22), "last confirmed 12 months ago"),
        (date(2025, 9, 23), date(2026, 11, 22), "last confirmed 13 months ago"),
        (date(2025, 9, 22), date(2026, 11, 22), "last confirmed 14 months ago"),
        (date(2024, 11, 22), date(2026, 11, 22), "last confirmed 2 years ago"),
        (date(2011, 11, 2), date(2026, 11, 22), "last confirmed 15 years ago"),
        (date(2026, 12, 1), date(2026, 11, 22), ""),  # seen later, too
        (None, date(2026, 11, 22), ""),
        (date(2015, 1, 1), None, ""),
    ],
)
def test_a_price_that_was_not_seen_for_more_than_a_year_says_so(last_seen, used_on, words):
    assert confirmed_words(last_seen, used_on) == words


@pytest.mark.parametrize(
    ("model", "days", "outdated"), [("spot", 31, False), ("spot", 32, True), ("on_demand", 4000, False)]
)
def test_only_spot_prices_stop_to_count(model, days, outdated):
    last_seen = date(2015, 1, 1)
    assert is_outdated(model, last_seen, date.fromordinal(last_seen.toordinal() + days)) is outdated
