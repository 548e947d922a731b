"""Which submissions a list shows: one filter set for the API, the pages and the exports."""

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from operator import or_
from typing import Any

import django_filters
from django import forms
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.functional import cached_property

from benchsite.http.pagination import Last, Ordering
from submissions import facts
from submissions.age.conditions import has_any
from submissions.api.facet_field import NONE, member_of
from submissions.api.filters import FacetFilter
from submissions.api.number_fields import NumberFilter, WholeNumberFilter
from submissions.choices import DOUBTFUL_FLAGS, AgeMark, Flag
from submissions.facts import Fact
from submissions.ingest.document.types import MAX_LATENCY_MS, MAX_OPS_S
from submissions.metrics import HOURLY_USD, OPS_PER_USD, THROUGHPUT, Metric
from submissions.models import Submission, Workload, field_of, is_whole
from submissions.records.age_filter import EXCLUDED, ONE_WORKLOAD, conditions_on, is_small
from submissions.vocabulary import slug

# Each has an index (models/results/submission.py), which the reverse order reads from its end.
_BY_COLUMN = (
    Ordering("throughput_ops_s"),
    Ordering("ops_per_usd"),
    Ordering("latency_p99_at_most_ms", descending=False, parameter="latency_p99_ms"),
    Ordering("hourly_usd", descending=False),
    Ordering("usd_per_million_ops", descending=False),
    Ordering("node_count", descending=False),
    Ordering("measured_at"),
)
# Every order of a list; the id makes each of them total.
ORDERINGS: Mapping[str, Ordering] = {
    order.name: order
    for best_first in _BY_COLUMN
    for order in sorted(
        (best_first, best_first._replace(descending=not best_first.descending, newest_first=False)),
        key=lambda order: not order.descending,
    )
} | {
    # ids are given in the order of creation, and are indexed
    "-created_at": Ordering("id", descending=True),
    "created_at": Ordering("id", descending=False),
}
DEFAULT_ORDERING = "-created_at"
_DOUBTFUL = Last(
    condition=Q(flags__overlap=DOUBTFUL_FLAGS),
    has=lambda row: not set(DOUBTFUL_FLAGS).isdisjoint(row.flags),
)
SEARCHED = ("title", "service", "provider", "region", "instance_type", "cpu_model")


# Of facts, behind the others
_LAST = ("client_placement", "node_count", "pricing_model", "latency_kind", "license", "pack", "trust")


def last_under(flags: Iterable[str]) -> Last | None:
    """What comes last in every order: doubtful results, unless the list is filtered by such flags."""
    return _DOUBTFUL if set(DOUBTFUL_FLAGS).isdisjoint(flags) else None


def _whole(highest: int) -> Callable[[str], int]:
    def convert(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:12]) <= highest:
            raise ValueError(f"must be a whole number from 1 to {highest}")
        return int(text)

    return convert


def _text_or_none(text: str) -> str:
    return "" if text == NONE else text


def _yes_or_no(**kwargs: Any) -> django_filters.TypedChoiceFilter:
    return django_filters.TypedChoiceFilter(
        choices=(("true", "yes"), ("false", "no")), coerce=lambda text: text == "true", **kwargs
    )


def _facet(fact: Fact) -> FacetFilter:
    """Of the fact's column."""
    field = field_of(fact)
    convert: Callable[[str], Any] = str
    if fact.choices:
        convert = member_of(fact.choices)
    elif fact.is_slug:
        convert = slug
    elif is_whole(fact):
        convert = _whole(fact.most)
    elif field.blank:
        convert = _text_or_none
    return FacetFilter(field_name=fact.column, label=fact.label_with_unit, convert=convert, is_nullable=field.null)


def _minimum(metric: Metric, highest: float) -> NumberFilter:
    return _bound(metric.key, metric.unit, "gte", highest, f"Minimum {_noun(metric)} ({metric.unit})")


def _maximum(metric: Metric, highest: float, of: str = "") -> NumberFilter:
    return _bound(metric.key, metric.unit, "lte", highest, f"Maximum {_noun(metric)} ({metric.unit}){of}")


def _noun(metric: Metric) -> str:
    return f"{metric.label[:1].lower()}{metric.label[1:]}"


def _bound(column: str, unit: str, lookup: str, highest: float, label: str) -> NumberFilter:
    return NumberFilter(
        field_name=column,
        unit=unit,
        lookup_expr=lookup,
        label=label,
        min_value=0,
        max_value=highest,
        max_digits=30,
    )


def _node_count(lookup: str, label: str) -> WholeNumberFilter:
    return WholeNumberFilter(field_name="node_count", lookup_expr=lookup, label=label, min_value=0, max_value=10**6)


class FilterForm(forms.Form):
    """What several parameters say together."""

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or self.cleaned_data
        for name in ("age", "exclude_age"):
            if AgeMark.PRICE_DRIFT in given.get(name, ()) and len(given.get("workload", ())) != 1:
                self.add_error(name, ONE_WORKLOAD)
        return given


class SubmissionFilter(django_filters.FilterSet):
    """Facets may be repeated (any of the values) and `unknown` means null; the rest are limits."""

    workload = FacetFilter(
        is_nullable=False,
        field_name="workload__fingerprint",
        label=f"{facts.WORKLOAD.label} fingerprint",
        method="filter_workload",
    )
    flag = FacetFilter(is_nullable=False, label=facts.FLAG.label, convert=member_of(Flag), method="filter_flag")
    age = FacetFilter(is_nullable=False, label=facts.AGE.label, convert=member_of(AgeMark), method="filter_age")
    exclude_age = FacetFilter(
        is_nullable=False, label="Without note on age", convert=member_of(EXCLUDED), method="exclude_by_age"
    )
    is_flagged = _yes_or_no(label="Has flags", method="filter_is_flagged")
    is_priced = _yes_or_no(field_name="hourly_usd", lookup_expr="isnull", exclude=True, label="Has a price")
    min_throughput = _minimum(THROUGHPUT, MAX_OPS_S)
    max_throughput = _maximum(THROUGHPUT, MAX_OPS_S)
    # of what the row shows, as `min_throughput` beside it: limits at different loads of a curve would hold at none
    max_p99_ms = _bound(
        "latency_p99_at_most_ms", "ms", "lte", MAX_LATENCY_MS, "Maximum p99 (ms), load curves at their peak"
    )
    min_hourly_usd = _minimum(HOURLY_USD, 1e8)
    max_hourly_usd = _maximum(HOURLY_USD, 1e8)
    min_ops_per_usd = _minimum(OPS_PER_USD, 1e19)
    min_node_count = _node_count("gte", f"Minimum {facts.NODE_COUNT.noun}")
    max_node_count = _node_count("lte", f"Maximum {facts.NODE_COUNT.noun}")
    measured_after = django_filters.IsoDateTimeFilter(
        field_name="measured_at", lookup_expr="gte", label="Measured at or after"
    )
    q = django_filters.CharFilter(label="Search this list", method="filter_q", max_length=200)
    measured_before = django_filters.IsoDateTimeFilter(
        field_name="measured_at", lookup_expr="lt", label="Measured before"
    )

    class Meta:
        model = Submission
        fields: list[str] = []
        form = FilterForm

    @classmethod
    def get_filters(cls) -> dict[str, Any]:
        """Of each fact that is a filter, and those above, which need more than a fact's attributes say."""
        own: dict[str, Any] = super().get_filters()
        names = [name for name, fact in facts.FACTS.items() if fact.is_filter and name not in (*own, *_LAST)]
        return {**{name: _facet(facts.FACTS[name]) for name in (*names, *_LAST)}, **own}

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.today = timezone.now().date()  # ages are those of one day in all that is asked of this filter

    @cached_property
    def has_choices(self) -> bool:
        """Without any, statements are the same for all readers, and worth being prepared."""
        return any(value not in (None, "", []) for value in self.form.cleaned_data.values())

    @cached_property
    def age_conditions(self) -> Mapping[AgeMark, Q]:
        """Of the marks that can be chosen: that of the price in one workload, if it is chosen or cheap to find."""
        return conditions_on(self.today, self._priced_workload)

    @property
    def last(self) -> Last | None:
        return last_under(self.form.cleaned_data["flag"])

    @property
    def _priced_workload(self) -> int | None:
        chosen = self.form.cleaned_data
        workload = (
            Workload.objects.open().by_fingerprint(chosen["workload"][0]) if len(chosen["workload"]) == 1 else None
        )
        if workload is None:
            return None
        is_chosen = AgeMark.PRICE_DRIFT in (*chosen["age"], *chosen["exclude_age"])
        return workload.pk if is_chosen or is_small(workload.pk) else None

    def filter_age(self, queryset: QuerySet[Submission], name: str, value: list[AgeMark]) -> QuerySet[Submission]:
        return queryset.filter(has_any(self.age_conditions, value)) if value else queryset

    def exclude_by_age(self, queryset: QuerySet[Submission], name: str, value: list[AgeMark]) -> QuerySet[Submission]:
        return queryset.exclude(has_any(self.age_conditions, value)) if value else queryset

    def filter_flag(self, queryset: QuerySet[Submission], name: str, value: list[str]) -> QuerySet[Submission]:
        return queryset.filter(flags__overlap=value) if value else queryset

    def filter_workload(self, queryset: QuerySet[Submission], name: str, value: list[str]) -> QuerySet[Submission]:
        """By the fingerprints that workloads have or had."""
        if not value:
            return queryset
        return queryset.filter(Q(workload__fingerprint__in=value) | Q(workload__former_fingerprints__overlap=value))

    def filter_q(self, queryset: QuerySet[Submission], name: str, value: str) -> QuerySet[Submission]:
        """Each word is in one of the columns, in capitals or not."""
        for word in value.split():
            queryset = queryset.filter(reduce(or_, (Q(**{f"{column}__icontains": word}) for column in SEARCHED)))
        return queryset

    def filter_is_flagged(self, queryset: QuerySet[Submission], name: str, value: bool) -> QuerySet[Submission]:
        return queryset.exclude(flags=[]) if value else queryset.filter(flags=[])
