"""At which prices a cost is given: of which day, under which pricing model, less which discount."""

from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from typing import Any, ClassVar

from django import forms
from django.utils import timezone

from submissions.api.currency import CurrencyField
from submissions.api.forms import DayField, QuestionForm
from submissions.choices import PricingModel
from submissions.facts import PRICING_MODEL
from submissions.formatting import currency
from submissions.pricing.discounts import Discount, DiscountField, Discounts, discount_of, discount_text, discount_words

AS_MEASURED = ("as_measured", "as measured")


class PriceDay(StrEnum):
    """The ways to choose the day of the prices; the values of the parameter `prices`."""

    THEN = "then"
    TODAY = "today"
    ON = "on"

    @property
    def label(self) -> str:
        return _DAY_LABELS[self]

    @classmethod
    def pairs(cls) -> list[tuple[str, str]]:
        """The one of today says which day that is."""
        return [
            (choice.value, f"{choice.label} ({_today()})" if choice is cls.TODAY else choice.label) for choice in cls
        ]


_DAY_LABELS = {PriceDay.THEN: "when measured", PriceDay.TODAY: "today", PriceDay.ON: "on a date"}


@dataclass(frozen=True, slots=True)
class PriceTerms:
    """`day` None: each cluster at the prices of its measurement date. `basis` None: as each group was bought."""

    day: date | None = None
    basis: PricingModel | None = None
    discounts: Discounts = ()

    @property
    def are_stored(self) -> bool:
        """Whether these are the prices that were stored with every submission."""
        return self.is_as_measured and not self.discounts

    @property
    def is_as_measured(self) -> bool:
        """Whether they are the stored ones, or those less a discount."""
        return self.day is None and self.basis is None

    @property
    def at_list(self) -> "PriceTerms":
        """The same without a discount."""
        return replace(self, discounts=())

    @property
    def are_usual(self) -> bool:
        """Whether they are what a page shows of itself: today's, on demand, in USD."""
        is_usual = self.is_today and self.basis == PricingModel.ON_DEMAND and not self.discounts
        return is_usual and currency.current().is_usd

    def discount_of(self, provider: str) -> Discount:
        return discount_of(self.discounts, provider)

    @property
    def is_today(self) -> bool:
        return self.day == _today()

    def takes_stated(self, bought: str) -> bool:
        """Whether a price that the uploader stated answers, of nodes that were bought so: it is the price on demand of
        what was bought on demand, and no other one; without a pricing model that of the purchase.
        """
        return self.basis is None or self.basis == PricingModel.ON_DEMAND == bought

    @property
    def basis_label(self) -> str:
        return self.basis.label if self.basis else AS_MEASURED[1]

    @property
    def words(self) -> str:
        """ "at the prices of 2026-11-20, reserved, 1 year"; "at today's prices, 2026-11-22, less 25 % on AWS"."""
        when = "at the prices of the measurement date" if self.day is None else f"at the prices of {self.day}"
        if self.is_today:
            when = f"at today's prices, {self.day}"
        basis = self.basis.label if self.basis else ""
        return ", ".join(filter(None, (when, basis, discount_words(self.discounts), _rate_words())))


def _rate_words() -> str:
    """ "in EUR at the rate of 2026-10-30"; "" in USD."""
    own = currency.current()
    return "" if own.is_usd else f"in {own.code} at the rate of {own.day}"


def _today() -> date:
    return timezone.now().date()


def _not_in_the_future(day: date) -> None:
    if day > _today():
        raise forms.ValidationError("Prices for future dates are not known.")


def price_day_field(
    label: str = "Prices of",
    help_text: str = "USD prices in force on this day; without it, on the day of each measurement",
) -> DayField:
    """An optional day that is not in the future."""
    return DayField(
        label=label,
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        validators=[_not_in_the_future],
        help_text=help_text,
    )


class ReaderPricesForm(QuestionForm):
    """What a reader pays, of every question with money: the same results cost each reader something else."""

    discount = DiscountField()
    currency = CurrencyField()

    def address(self, **changes: object) -> str:
        discounts = self.cleaned_data.get("discount", ())
        return super().address(**{"discount": discount_text(discounts), **changes})


class PriceTermsForm(ReaderPricesForm):
    """The parameters of a question that can be answered at other prices; `terms` once it is valid.

    A form that calls its day otherwise sets `prices_on = None` and names its own field in `day_parameter`.
    """

    day_parameter: ClassVar[str] = "prices_on"
    default_basis: ClassVar[PricingModel | None] = None  # None: as each group was bought

    prices_on = price_day_field()
    basis = forms.ChoiceField(
        label=PRICING_MODEL.label, required=False, choices=[("", AS_MEASURED[1]), *PricingModel.pairs()]
    )

    @property
    def terms(self) -> PriceTerms:
        return PriceTerms(self.price_day, self._basis, self.cleaned_data["discount"])

    @property
    def price_day(self) -> date | None:
        day: date | None = self.cleaned_data[self.day_parameter]
        return day

    @property
    def _basis(self) -> PricingModel | None:
        basis = self.cleaned_data["basis"]
        if basis == AS_MEASURED[0]:
            return None
        return PricingModel(basis) if basis else self.default_basis


class PriceDayForm(PriceTermsForm):
    """As PriceTermsForm, with the choice between the measurement date, today and another day.

    A day alone means its prices; without both it is `default_prices`.
    """

    default_prices: ClassVar[PriceDay] = PriceDay.THEN

    prices_on = price_day_field(help_text="USD prices in force on this day; without `prices` it means `on`")
    prices = forms.ChoiceField(label="Prices", required=False, choices=PriceDay.pairs)

    def clean(self) -> dict[str, Any]:
        given = super().clean()
        if given.get("prices") == PriceDay.ON and "prices_on" in given and given["prices_on"] is None:
            self.add_error("prices_on", "Choose a date.")
        return given

    @property
    def chosen_day(self) -> PriceDay:
        if self.cleaned_data["prices"]:
            return PriceDay(self.cleaned_data["prices"])
        return PriceDay.ON if self.cleaned_data["prices_on"] else self.default_prices

    @property
    def price_day(self) -> date | None:
        if self.chosen_day == PriceDay.THEN:
            return None
        return _today() if self.chosen_day == PriceDay.TODAY else super().price_day


class RepriceForm(PriceTermsForm):
    """One submission at other prices: none without parameters; a basis without a day means today (UTC).

    A discount alone is one on its stored prices.
    """

    @property
    def requested(self) -> PriceTerms | None:
        terms = self.terms
        if terms.are_stored:
            return None
        return replace(terms, day=terms.day or (_today() if terms.basis else None))
