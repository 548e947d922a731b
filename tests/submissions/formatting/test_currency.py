"""The currency of amounts: reference rates of one day, and figures converted where they are shown."""

from datetime import date
from decimal import Decimal

from submissions.formatting import numbers
from submissions.formatting.currency import FILE, USD, currencies, current, read_rates, shown_in


def test_the_rates_are_those_of_the_european_central_bank_on_their_day():
    table = read_rates(FILE)

    assert table.day == date(2026, 10, 30)
    assert "European Central Bank" in table.source
    assert (table.per_eur["USD"], table.per_eur["GBP"]) == (Decimal("1.1172"), Decimal("0.8338"))


def test_an_amount_is_converted_by_both_rates_and_not_rounded():
    assert currencies()["GBP"].of_usd(Decimal("1.1172")) == Decimal("0.8338")
    assert currencies()["EUR"].per_unit(Decimal(100)) == Decimal("111.72")


def test_dollars_are_left_as_they_are():
    assert current() is USD
    assert USD.of_usd(Decimal("0.10")) == Decimal("0.10")
    assert USD.note == ""


def test_an_unknown_code_is_shown_in_dollars():
    with shown_in("XYZ") as own:
        assert own is USD


def test_the_currency_ends_with_its_answer():
    with shown_in("EUR"):
        assert numbers.hourly(Decimal("1.1172")) == "€1.00/h"

    assert numbers.hourly(Decimal("1.1172")) == "$1.12/h"


def test_figures_have_the_sign_and_the_unit_of_their_currency():
    with shown_in("CHF"):
        assert numbers.monthly(Decimal(1000)) == "CHF 823/month"
        assert numbers.ops_per_usd(Decimal(440_000_000)) == "535 M ops/CHF"
        assert numbers.value_unit() == "M ops/CHF"


def test_a_budget_stays_in_dollars():
    with shown_in("EUR"):
        assert numbers.monthly_budget(Decimal(2000)) == "$2,000/month"


def test_a_converted_figure_is_rounded_once():
    """1,095.219 USD are 980.3249 EUR; 1,095.22, as it is shown, would be 980.33."""
    with shown_in("EUR"):
        assert numbers.precise_amount(Decimal("1095.219")) == "980.32"
        assert numbers.precise_amount(Decimal("1095.22")) == "980.33"


def test_the_whole_amount_names_the_dollars_and_the_day_of_the_rate():
    with shown_in("EUR"):
        assert numbers.exact_amount(Decimal("1.596")) == "€1.42857, $1.596 at the rate of 2026-10-30"


def test_the_note_says_the_rate_and_its_day():
    note = currencies()["EUR"].note

    assert note == "EUR at the ECB's reference rate of 2026-10-30: 1 USD = 0.8951 EUR"
