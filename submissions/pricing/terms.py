"""A stored submission at the prices of another day or basis: what is asked, and the answer."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from django import forms
from django.utils import timezone

from submissions.choices import PricingModel
from submissions.models import Submission
from submissions.pricing import book
from submissions.pricing.cost import SystemCost, ops_per_usd
from submissions.pricing.reprice import reprice, stored_keys

OWN_BASIS = ""


@dataclass(frozen=True, slots=True)
class Asked:
    on: date
    basis: PricingModel | None  # None: what each group was bought as


@dataclass(frozen=True, slots=True)
class Repriced:
    asked: Asked
    cost: SystemCost
    ops_per_usd: Decimal | None


class RepriceForm(forms.Form):
    """Nothing given asks for nothing; a basis without a day means today (UTC)."""

    prices_on = forms.DateField(label="Prices of", required=False, widget=forms.DateInput(attrs={"type": "date"}))
    basis = forms.ChoiceField(
        label="Bought as", required=False, choices=[(OWN_BASIS, "as it was"), *PricingModel.pairs()]
    )

    @property
    def asked(self) -> Asked | None:
        on, basis = self.cleaned_data["prices_on"], self.cleaned_data["basis"]
        if on is None and basis == OWN_BASIS:
            return None
        return Asked(on or timezone.now().date(), PricingModel(basis) if basis else None)


def repriced(submission: Submission, asked: Asked) -> Repriced:
    """One query for the prices; the node groups are prefetched."""
    groups = list(submission.node_groups.all())
    place = {"provider": submission.provider, "region": submission.region}
    prices = book.load(stored_keys(groups, **place))
    cost = reprice(groups, **place, on=asked.on, basis=asked.basis, book=prices)
    value = None
    if cost.hourly_usd is not None and submission.throughput_ops_s is not None:
        value = ops_per_usd(hourly_usd=cost.hourly_usd, throughput_ops_s=submission.throughput_ops_s)
    return Repriced(asked, cost, value)
