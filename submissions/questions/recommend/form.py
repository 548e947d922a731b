"""The parameters of a recommendation: pages and API read the same form."""

from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from django import forms

from submissions.api.number_fields import AmountField, NumberField, NumberRange, RangeField, WholeNumberField, ends_of
from submissions.choices import PricingModel, Trust
from submissions.facts import (
    DATA_BYTES,
    PRICING_MODEL,
    PROVIDER,
    REGION,
    REPLICATION_FACTOR,
    SERVICE,
    VALUE_BYTES,
    ZONES,
)
from submissions.ingest.document.types import MAX_LATENCY_MS, MAX_OPS_S
from submissions.pricing.month.kinds import BACKUP_DAYS
from submissions.pricing.terms import PriceDay, PriceDayForm, PriceTerms
from submissions.questions.boards.trust_filter import trust_field, trust_of
from submissions.questions.recommend.work import Work
from submissions.vocabulary import SLUG

LEAST_TARGET_OPS_S = 1e-6
MOST_USD = 1_000_000_000
NO_LIMIT = "none"
USUAL_P99_MS = 10.0  # of the table that answers without a question
MOST_BYTES = 2**31 - 1
MOST_ZONES = 10
MOST_COPIES = 100
LEAST_DATA_GIB, MOST_DATA_GIB = 1e-6, 1e9
RANGES = ("target_ops_s", "data_gib", "value_bytes")  # may be a range


@dataclass(frozen=True, slots=True)
class RecommendParams:
    """None and "" are no restriction. `workload` is a fingerprint."""

    service: str = ""
    work: Work | None = None
    workload: str = ""
    value_bytes: int | None = None
    target_ops_s: float | None = None
    data_gib: float | None = None
    max_p99_ms: float | None = None
    budget_usd_month: Decimal | None = None
    provider: str = ""
    region: str = ""
    terms: PriceTerms = field(default_factory=PriceTerms)
    trust: Trust | None = None
    zones: int | None = None  # None: as measured
    replication_factor: int | None = None
    backup: bool = False


class _LimitField(NumberField):
    """A number, or "none"."""

    def to_python(self, value: Any) -> Any:
        is_none = isinstance(value, str) and value.strip().lower() == NO_LIMIT
        return None if is_none else super().to_python(value)


class RecommendForm(PriceDayForm):
    """At today's prices, on demand, if nothing else is chosen."""

    default_prices = PriceDay.TODAY

    service = forms.CharField(
        label=SERVICE.label,
        required=False,
        max_length=100,
        help_text="Without it and without a workload the answer is `grid`: what each database costs at usual rates",
    )
    work = forms.ChoiceField(
        label="Work",
        required=False,
        choices=Work.pairs,
        help_text="Reads as a share of all operations: at least 80 %, between, at most 20 %",
    )
    target_ops_s = RangeField(
        unit="ops/s",
        label="Operations per second",
        required=False,
        min_value=LEAST_TARGET_OPS_S,
        max_value=MAX_OPS_S,
        help_text="The throughput to sustain; a range such as 20k-60k is answered at its upper end, see `range`",
    )
    data_gib = RangeField(
        unit="GiB",
        label=DATA_BYTES.label,
        required=False,
        min_value=LEAST_DATA_GIB,
        max_value=MOST_DATA_GIB,
        help_text=(
            "One copy, without indexes, that the cluster must hold: GiB, or with a unit, such as 1 TB (10^12 bytes); "
            "a range such as 1TB-5TB, see `range`. Results measured with less than half as much for the memory of "
            "their cluster are no answer"
        ),
    )
    max_p99_ms = _LimitField(
        unit="ms",
        label="p99 under",
        required=False,
        min_value=0,
        max_value=MAX_LATENCY_MS,
        help_text=(
            "Service time or response time, whichever was measured; each answer says which. none: no limit. "
            "Without it there is no limit, but 10 ms in `grid`"
        ),
    )
    budget_usd_month = AmountField(
        unit="USD/month",
        label="Budget a month",
        required=False,
        min_value=0,
        max_value=MOST_USD,
        help_text="USD for 730 hours",
    )
    provider = forms.CharField(label=PROVIDER.label, required=False, max_length=50)
    region = forms.CharField(label=REGION.label, required=False, max_length=50)
    basis = forms.ChoiceField(
        required=False, choices=PricingModel.pairs, initial=PricingModel.ON_DEMAND.value, help_text=PRICING_MODEL.label
    )
    workload = forms.CharField(
        required=False, max_length=16, help_text="A workload's fingerprint; results of other workloads are left out"
    )
    value_bytes = WholeNumberField(
        unit="bytes",
        label=VALUE_BYTES.label,
        required=False,
        min_value=1,
        max_value=MOST_BYTES,
        help_text="Of one column, bytes; workloads of another or no stated size are left out",
    )
    zones = WholeNumberField(
        label=ZONES.label,
        required=False,
        min_value=1,
        max_value=MOST_ZONES,
        help_text=(
            "Zones that the cluster is spread over. With it the budget, and which cluster is the cheapest, are of the "
            "whole month (`month`); without it of nodes and disks, and the month has the zones as measured"
        ),
    )
    replication_factor = WholeNumberField(
        label=REPLICATION_FACTOR.label,
        required=False,
        min_value=1,
        max_value=MOST_COPIES,
        help_text="Copies of each row; workloads of another factor are left out",
    )
    backup = forms.BooleanField(
        label="Backup",
        required=False,
        initial=False,
        help_text=f"In the month a full copy and the writes of {BACKUP_DAYS} days, at the price of the object store",
    )
    prices = forms.ChoiceField(
        label="Prices", required=False, choices=PriceDay.pairs, help_text="today without it, or the date in prices_on"
    )
    trust = trust_field()

    def clean_service(self) -> str:
        service: str = self.cleaned_data["service"]
        if service and not SLUG.fullmatch(service):
            raise forms.ValidationError("Enter the name of a database in lower case, such as postgresql.")
        return service

    @property
    def is_asked(self) -> bool:
        """Whether it names a database or a workload, once it is valid."""
        return bool(self.cleaned_data["service"] or self.cleaned_data["workload"])

    @property
    def grid_params(self) -> RecommendParams:
        """As `params`, with the usual limit where nothing is said of it; of nodes and disks alone."""
        is_open = not str(self.data.get("max_p99_ms") or "").strip()
        params = replace(self.params, zones=None, backup=False)
        return replace(params, max_p99_ms=USUAL_P99_MS) if is_open else params

    @property
    def params(self) -> RecommendParams:
        """Once the form is valid; of ranges the upper ends."""
        return self._params({name: ends_of(value)[1] for name, value in self.cleaned_data.items()})

    @property
    def lower_params(self) -> RecommendParams | None:
        """With the lower ends; None without a range."""
        if not any(isinstance(self.cleaned_data[name], NumberRange) for name in RANGES):
            return None
        return self._params({name: ends_of(value)[0] for name, value in self.cleaned_data.items()})

    def _params(self, values: dict[str, Any]) -> RecommendParams:
        return RecommendParams(
            service=values["service"],
            work=Work(values["work"]) if values["work"] else None,
            workload=values["workload"],
            value_bytes=values["value_bytes"],
            target_ops_s=values["target_ops_s"],
            data_gib=values["data_gib"],
            max_p99_ms=values["max_p99_ms"],
            budget_usd_month=values["budget_usd_month"],
            provider=values["provider"],
            region=values["region"],
            terms=self.terms,
            trust=trust_of(values["trust"]),
            zones=values["zones"],
            replication_factor=values["replication_factor"],
            backup=values["backup"],
        )
