"""The parameters of the value question."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.utils import timezone

from submissions.api.facet_field import UNKNOWN, FacetField, member_of
from submissions.api.number_fields import NumberField
from submissions.choices import Architecture, LatencyKind, PricingModel
from submissions.facts import ARCHITECTURE, CPU_MODEL, MACHINE_FAMILY, PRICING_MODEL, PROVIDER, Fact
from submissions.ingest.document.types import MAX_LATENCY_MS
from submissions.pricing.terms import AS_MEASURED, PriceDay, PriceDayForm
from submissions.questions.boards.grouping import OF_SYSTEMS, GroupBy
from submissions.questions.boards.trust_filter import trust_field, trust_of
from submissions.questions.value.machines import FACETS, Chosen
from submissions.questions.value.valuation import ValueParams
from submissions.records.age_filter import exclude_age_field, exclusion_of
from submissions.vocabulary import slug

ALL_ROWS = "all"
MOST_VCPUS = 100_000


def _facet(fact: Fact, convert: Callable[[str], Any] = str, *, is_nullable: bool = True) -> FacetField:
    return FacetField(
        label=fact.label,
        required=False,
        convert=convert,
        is_nullable=is_nullable,
        help_text=f"Only machines of these: may be repeated{f'; {UNKNOWN}: not stated' if is_nullable else ''}",
    )


def _vcpus(which: str) -> forms.IntegerField:
    return forms.IntegerField(
        label=f"{which} vCPUs",
        required=False,
        min_value=1,
        max_value=MOST_VCPUS,
        help_text=f"{which} of one database node; leaves out an unknown number",
    )


class ValueForm(PriceDayForm):
    """By default all are priced today, on demand: prices of other days and pricing models do not compare."""

    page_only = ("rows",)  # an API answer has all

    default_basis = PricingModel.ON_DEMAND
    default_prices = PriceDay.TODAY

    basis = forms.ChoiceField(
        label=PRICING_MODEL.label,
        required=False,
        choices=[*PricingModel.pairs(), AS_MEASURED],
        initial=PricingModel.ON_DEMAND.value,
        help_text=f"Results without a price on it are left out; {AS_MEASURED[0]}: each as it was bought",
    )
    workload = forms.CharField(
        required=False,
        max_length=16,
        help_text=(
            "A workload's fingerprint; without it the newest with raw logs (several machine types before one), else "
            "the one with the most priced submissions"
        ),
    )
    provider = _facet(PROVIDER, slug, is_nullable=False)
    architecture = _facet(ARCHITECTURE, member_of(Architecture))
    machine_family = _facet(MACHINE_FAMILY)
    cpu_model = _facet(CPU_MODEL)
    min_vcpus = _vcpus("Minimum")
    max_vcpus = _vcpus("Maximum")
    by = forms.ChoiceField(
        required=False,
        choices=[(by.value, by.label) for by in OF_SYSTEMS],
        initial=GroupBy.PROVIDER.value,
        help_text="What submissions are grouped by",
    )
    trust = trust_field()
    max_p99_ms = NumberField(
        unit="ms",
        required=False,
        min_value=0,
        max_value=MAX_LATENCY_MS,
        help_text="Excludes a higher or unknown p99",
    )
    latency_kind = forms.ChoiceField(
        required=False,
        choices=LatencyKind.pairs,
        help_text="The latency kind of `max_p99_ms`; default: the most common known kind",
    )

    exclude_age = exclude_age_field()
    rows = forms.ChoiceField(required=False, choices=[(ALL_ROWS, "all")])  # of the tables; without it the best ones

    @property
    def params(self) -> ValueParams:
        """Once the form is valid."""
        values = self.cleaned_data
        return ValueParams(
            workload=values["workload"],
            by=GroupBy(values["by"]),
            terms=self.terms,
            trust=trust_of(values["trust"]),
            max_p99_ms=values["max_p99_ms"],
            latency_kind=LatencyKind(values["latency_kind"]) if values["latency_kind"] else None,
            chosen=self.chosen,
            left_out=exclusion_of(values["exclude_age"], timezone.now().date()),
        )

    @property
    def chosen(self) -> Chosen:
        """Machines."""
        values = self.cleaned_data
        facets = {name: tuple(dict.fromkeys(values[name])) for name in FACETS}
        return Chosen(**facets, min_vcpus=values["min_vcpus"], max_vcpus=values["max_vcpus"])

    @property
    def state(self) -> dict[str, Any]:
        """The values of the form's fields on the page; a day only where it counts."""
        day = self.chosen_day
        return {
            **self.cleaned_data,
            "basis": self.cleaned_data["basis"] or self.default_basis.value,
            "prices": day.value,
            "prices_on": self.cleaned_data["prices_on"] if day == PriceDay.ON else None,
        }

    def page_address(self, workload: str, **changes: object) -> str:
        """The query of the page with the workload that it chose, and `changes`."""
        state = self.state
        defaults = {
            "prices": "" if state["prices"] == self.default_prices else state["prices"],
            "prices_on": state["prices_on"],
            "basis": "" if state["basis"] == self.default_basis else state["basis"],
            "rows": "",
        }
        return self.address(workload=workload, **{**defaults, **changes})
