"""Price terms: one form for value, sizing and detail, and their wording."""

from datetime import date, timedelta

import pytest
from django.utils import timezone

from submissions.choices import PricingModel
from submissions.pricing.terms import PriceDay, PriceDayForm, PriceTerms, PriceTermsForm, RepriceForm

DAY = date(2020, 6, 30)


def valid(form_class, **given):
    form = form_class(given)
    assert form.is_valid(), form.errors
    return form


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        (PriceTerms(), "at the prices of the measurement date"),
        (PriceTerms(DAY), "at the prices of 2020-06-30"),
        (PriceTerms(DAY, PricingModel.SPOT), "at the prices of 2020-06-30, spot"),
        (PriceTerms(None, PricingModel.RESERVED_1Y), "at the prices of the measurement date, reserved, 1 year"),
    ],
)
def test_terms_have_one_wording(terms, words):
    assert terms.words == words


def test_without_a_basis_each_group_keeps_its_own():
    assert PriceTerms().basis_label == "as measured"
    assert PriceTerms(basis=PricingModel.ON_DEMAND).basis_label == "on demand"


def test_without_day_and_basis_the_terms_are_the_stored_prices():
    assert PriceTerms().are_stored
    assert not PriceTerms(DAY).are_stored
    assert not PriceTerms(None, PricingModel.SPOT).are_stored


@pytest.mark.parametrize(
    ("given", "terms"),
    [
        ({}, PriceTerms()),
        ({"prices_on": "2020-06-30"}, PriceTerms(DAY)),
        ({"prices": "on", "prices_on": "2020-06-30", "basis": "spot"}, PriceTerms(DAY, PricingModel.SPOT)),
        ({"prices": "then", "prices_on": "2020-06-30"}, PriceTerms()),
    ],
)
def test_a_day_alone_means_its_prices(given, terms):
    assert valid(PriceDayForm, **given).terms == terms


class _TodayForm(PriceDayForm):
    default_prices = PriceDay.TODAY


@pytest.mark.parametrize(
    ("given", "is_today"),
    [({}, True), ({"prices": "then"}, False), ({"prices_on": "2020-06-30"}, False), ({"basis": "spot"}, True)],
)
def test_a_form_may_mean_today_where_neither_is_given(given, is_today):
    assert valid(_TodayForm, **given).terms.is_today is is_today


def test_a_stated_price_answers_on_demand_and_as_measured_only():
    of_on_demand, of_spot = (
        [basis for basis in (None, *PricingModel) if PriceTerms(DAY, basis).takes_stated(bought)]
        for bought in (PricingModel.ON_DEMAND, PricingModel.SPOT)
    )
    assert of_on_demand == [None, PricingModel.ON_DEMAND]
    assert of_spot == [None]


def test_today_is_the_day_in_utc():
    assert valid(PriceDayForm, prices="today").terms == PriceTerms(timezone.now().date())


def test_the_choice_of_a_date_needs_a_date():
    form = PriceDayForm({"prices": "on"})

    assert form.errors == {"prices_on": ["Choose a date."]}


def test_the_future_has_no_prices():
    form = PriceTermsForm({"prices_on": timezone.now().date() + timedelta(days=1)})

    assert form.errors == {"prices_on": ["Prices for future dates are not known."]}


@pytest.mark.parametrize(
    ("given", "terms"),
    [
        ({}, None),
        ({"prices_on": "2020-06-30"}, PriceTerms(DAY)),
        ({"basis": "spot"}, PriceTerms(timezone.now().date(), PricingModel.SPOT)),
    ],
)
def test_pricing_one_submission_again_needs_a_day_or_a_basis_which_means_today(given, terms):
    assert valid(RepriceForm, **given).requested == terms
