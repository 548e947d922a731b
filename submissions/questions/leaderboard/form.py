"""The parameters of a leaderboard; its page has the workload in its path."""

from typing import Any

from django import forms
from django.utils import timezone

from submissions.api.number_fields import NumberField
from submissions.choices import LatencyKind
from submissions.ingest.document.types import MAX_LATENCY_MS, MAX_OPS_S, MIN_OPS_S
from submissions.metrics import LATENCY_P99, METRICS, THROUGHPUT
from submissions.pricing.terms import PriceTerms, ReaderPricesForm
from submissions.questions.boards.grouping import GroupBy
from submissions.questions.boards.trust_filter import trust_field, trust_of
from submissions.questions.leaderboard.query import KNOWN_KINDS, RANKED_METRICS, LeaderboardParams
from submissions.records.age_filter import exclude_age_field, exclusion_of


class LeaderboardForm(ReaderPricesForm):
    workload = forms.RegexField(r"^[0-9a-f]{16}$", help_text="A workload's fingerprint")
    by = forms.ChoiceField(
        required=False, choices=GroupBy.pairs, initial=GroupBy.INSTANCE_TYPE.value, help_text="What is ranked"
    )
    metric = forms.ChoiceField(
        required=False, choices=[(metric.key, metric.label) for metric in RANKED_METRICS], initial=THROUGHPUT.key
    )
    latency_kind = forms.ChoiceField(
        required=False,
        choices=[(kind.value, kind.label) for kind in KNOWN_KINDS],
        help_text="The latency kind of a p99 and of `max_p99_ms`; default: the most common known kind",
    )
    max_p99_ms = NumberField(
        unit="ms",
        required=False,
        min_value=0,
        max_value=MAX_LATENCY_MS,
        help_text="Excludes a higher or unknown p99; a load curve is ranked at its highest load that keeps it",
    )
    rate = NumberField(
        unit="ops/s",
        required=False,
        min_value=MIN_OPS_S,
        max_value=MAX_OPS_S,
        help_text="Ranks by p99 among results at this rate (ops/s, within 5 %), including those limited to it",
    )
    trust = trust_field()
    exclude_age = exclude_age_field()

    def clean(self) -> dict[str, Any]:
        """A rate ranks latencies: the throughput is the same for all."""
        if self.cleaned_data.get("rate"):
            if self.cleaned_data.get("metric") not in ("", None, LATENCY_P99.key):
                raise forms.ValidationError({"rate": f"ranks by {LATENCY_P99.key} only"})
            if self.cleaned_data.get("max_p99_ms") is not None:
                raise forms.ValidationError({"rate": "cannot be combined with max_p99_ms"})
            self.cleaned_data["metric"] = LATENCY_P99.key
        return super().clean()

    @property
    def params(self) -> LeaderboardParams:
        """Once the form is valid."""
        values = self.cleaned_data
        return LeaderboardParams(
            workload=values["workload"],
            by=GroupBy(values["by"]),
            metric=METRICS[values["metric"]],
            latency_kind=LatencyKind(values["latency_kind"]) if values["latency_kind"] else None,
            rate_ops_s=values["rate"],
            max_p99_ms=values["max_p99_ms"],
            trust=trust_of(values["trust"]),
            left_out=exclusion_of(values["exclude_age"], timezone.now().date()),
            terms=PriceTerms(discounts=values["discount"]),
        )
