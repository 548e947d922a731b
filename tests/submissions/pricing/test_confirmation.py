"""How long a price counts, and when a figure says how old its price is."""

from datetime import date

import pytest

from submissions.pricing.confirmation import PriceDates, confirmed_words, is_outdated, price_words


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


SINCE, SEEN = date(2017, 4, 4), date(2026, 10, 15)


def test_a_price_is_dated_by_since_when_it_holds_and_when_it_was_last_seen():
    assert price_words([PriceDates("aws", SINCE, SEEN)]) == (
        "AWS list price, unchanged since 2017-04-04, seen 2026-10-15"
    )
    assert price_words([PriceDates("aws", SINCE, SINCE)]) == price_words([PriceDates("aws", SINCE, None)])
    assert price_words([PriceDates("aws", SINCE, None)]) == "AWS list price of 2017-04-04"


def test_several_prices_have_the_first_and_the_last_day_of_each():
    prices = [PriceDates("aws", SINCE, SEEN), PriceDates("gce", date(2022, 2, 24), date(2026, 8, 3))]

    assert price_words(prices) == (
        "AWS and Google Cloud list prices, unchanged since 2017-04-04 (oldest) to 2022-02-24 (newest), "
        "seen 2026-08-03 (oldest) to 2026-10-15 (newest)"
    )


def test_a_stated_price_is_the_uploaders_and_an_unknown_one_has_no_date():
    stated = PriceDates("mongodb-atlas", SINCE, None, is_stated=True)

    assert price_words([stated]) == "stated by the uploader"
    assert price_words([PriceDates("aws", SINCE, SINCE), stated]) == (
        "AWS list price of 2017-04-04; stated by the uploader"
    )
    assert price_words([PriceDates("aws", None, None)]) == price_words([]) == ""
