"""The dates of a price in words."""

from datetime import date

from submissions.pricing.book.confirmation import PriceDates
from submissions.pricing.book.dating import price_words

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
