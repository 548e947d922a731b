"""The parameters of scaling: page and API read the same form."""

from django import forms

from submissions.api.forms import QuestionForm
from submissions.api.number_fields import NumberField
from submissions.choices import LatencyKind
from submissions.ingest.document.types import MAX_LATENCY_MS
from submissions.questions.boards.trust_filter import trust_field, trust_of
from submissions.questions.scaling.query import ScalingParams


class ScalingForm(QuestionForm):
    workload = forms.CharField(
        required=False,
        max_length=16,
        help_text=(
            "A workload's fingerprint; without it the newest with raw logs of three cluster sizes (several machine "
            "types before one), else that with the most submissions of several cluster sizes"
        ),
    )
    provider = forms.CharField(required=False, max_length=50)
    instance_type = forms.CharField(
        required=False,
        max_length=100,
        help_text="The type of the database nodes; default: the series with the most sizes",
    )

    max_p99_ms = NumberField(
        unit="ms",
        required=False,
        min_value=0,
        max_value=MAX_LATENCY_MS,
        help_text="Excludes a higher or unknown p99; a load curve counts at its highest load that keeps it",
    )
    latency_kind = forms.ChoiceField(
        required=False,
        choices=LatencyKind.pairs,
        help_text="The latency kind of `max_p99_ms`; default: the most common known kind",
    )
    trust = trust_field()

    @property
    def params(self) -> ScalingParams:
        """Once the form is valid."""
        values = self.cleaned_data
        return ScalingParams(
            workload=values["workload"],
            provider=values["provider"],
            instance_type=values["instance_type"],
            trust=trust_of(values["trust"]),
            max_p99_ms=values["max_p99_ms"],
            latency_kind=LatencyKind(values["latency_kind"]) if values["latency_kind"] else None,
        )
