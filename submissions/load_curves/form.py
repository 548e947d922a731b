"""The parameters of a limit, of the page of a result and of its answer in the API."""

from django import forms
from django.http import QueryDict

from submissions.analysis.curves.load_curve import LatencyLimit
from submissions.api.number_fields import NumberField
from submissions.choices import Percentile

_LEAST_MS, _MOST_MS = 1e-6, 3_600_000


def limit_of_query(params: QueryDict) -> dict[str, str] | None:
    """What a query says of a limit; None where it says nothing, so that an unbound form stays unbound."""
    stated = {name: str(params[name]) for name in LimitForm.base_fields if params.get(name)}
    return stated or None


class LimitForm(forms.Form):
    """?percentile=p99&max_ms=10&max_error_share=0.001; what is missing is as in the limit of the result."""

    percentile = forms.ChoiceField(
        label="Percentile",
        required=False,
        choices=Percentile.pairs(),
        help_text="The percentile of the latency limit of `at_slo`; default: that of the result, else p99",
    )
    max_ms = NumberField(
        unit="ms",
        label="at most (ms)",
        required=False,
        min_value=_LEAST_MS,
        max_value=_MOST_MS,
        help_text="Maximum of the percentile in every trial, ms; default: that of the result, else 10",
    )
    max_error_share = NumberField(
        label="Failed operations at most (share)",
        required=False,
        min_value=0,
        max_value=1,
        help_text="Maximum share of failed operations in a trial, a fraction; default: that of the result, else 0.001",
    )

    def limit(self, usual: LatencyLimit) -> LatencyLimit:
        """The one of a valid form, or `usual`."""
        if not self.is_bound or not self.is_valid():
            return usual
        values = self.cleaned_data
        share = values["max_error_share"]
        return LatencyLimit(
            values["percentile"] or usual.percentile,
            values["max_ms"] or usual.max_ms,
            usual.max_error_share if share is None else share,
        )
