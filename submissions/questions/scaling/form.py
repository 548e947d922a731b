"""The parameters of scaling: page and API read the same form."""

from django import forms

from submissions.api.forms import QuestionForm
from submissions.questions.scaling.query import ScalingParams
from submissions.questions.workload.shelves import trust_field, trust_of


class ScalingForm(QuestionForm):
    workload = forms.CharField(
        required=False,
        max_length=16,
        help_text="A workload's fingerprint; without it that with the most submissions of several cluster sizes",
    )
    provider = forms.CharField(required=False, max_length=50)
    instance_type = forms.CharField(
        required=False,
        max_length=100,
        help_text="Of the database nodes; without it the series with the most sizes",
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
        )
