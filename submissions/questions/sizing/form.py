"""The parameters of a sizing: page and API read the same form."""

from django import forms

from submissions.api.forms import QuestionForm
from submissions.api.number_fields import NumberField, OrdinalField, WholeNumberField
from submissions.choices import LatencyKind, PricingModel
from submissions.ingest.document.types import MAX_LATENCY_MS, MAX_OPS_S
from submissions.models import MAX_ID
from submissions.pricing.terms import PriceTermsForm, price_day_field
from submissions.questions.boards.trust_filter import trust_field, trust_of
from submissions.questions.sizing.target import SizingParams

LEAST_TARGET_OPS_S = 1e-6
MOST_ZONES = 20
HIGHEST_REPLICATION_FACTOR = 10_000


class SizingForm(PriceTermsForm, QuestionForm):
    day_parameter = "at"
    default_basis = PricingModel.ON_DEMAND
    prices_on = None  # type: ignore[assignment]  # how Django removes an inherited field

    target_ops_s = NumberField(
        unit="ops/s",
        required=False,
        min_value=LEAST_TARGET_OPS_S,
        max_value=MAX_OPS_S,
        help_text="The throughput to reach; this or equal_to",
    )
    equal_to = OrdinalField(
        required=False, min_value=1, max_value=MAX_ID, help_text="The submission whose throughput to match"
    )
    workload = forms.CharField(
        required=False,
        max_length=16,
        help_text="A workload's fingerprint; without it the workload with the most submissions",
    )
    max_p99_ms = NumberField(
        unit="ms",
        required=False,
        min_value=0,
        max_value=MAX_LATENCY_MS,
        help_text="Only sizes measured within this p99 are used",
    )
    latency_kind = forms.ChoiceField(
        required=False,
        choices=LatencyKind.pairs,
        help_text="The latency kind of max_p99_ms; default: the most common known kind",
    )
    replication_factor = WholeNumberField(
        required=False,
        min_value=1,
        max_value=HIGHEST_REPLICATION_FACTOR,
        help_text="Must be that of the workload; without a workload it limits the choice",
    )
    zones = WholeNumberField(
        required=False, min_value=1, max_value=MOST_ZONES, help_text="Node counts are multiples of it; 1 without it"
    )
    basis = forms.ChoiceField(required=False, choices=PricingModel.pairs, initial=PricingModel.ON_DEMAND.value)
    at = price_day_field()
    trust = trust_field()

    @property
    def params(self) -> SizingParams:
        """Once the form is valid."""
        values = self.cleaned_data
        return SizingParams(
            target_ops_s=values["target_ops_s"],
            equal_to=values["equal_to"],
            workload=values["workload"],
            max_p99_ms=values["max_p99_ms"],
            latency_kind=LatencyKind(values["latency_kind"]) if values["latency_kind"] else None,
            replication_factor=values["replication_factor"],
            zones=values["zones"] or 1,
            terms=self.terms,
            trust=trust_of(values["trust"]),
        )
