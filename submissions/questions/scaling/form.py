"""The parameters of scaling: page and API read the same form."""

from django import forms

from submissions.api.forms import QuestionForm
from submissions.questions.scaling.query import ScalingParams


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

    @property
    def params(self) -> ScalingParams:
        """Once the form is valid."""
        return ScalingParams(**self.cleaned_data)
