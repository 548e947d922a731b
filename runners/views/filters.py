"""Which runs a list shows, for the page and the API, and what they cost together."""

from dataclasses import dataclass
from decimal import Decimal

import django_filters
from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, DecimalField, Q, QuerySet, Sum
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from runners.choices import RunStatus
from runners.load_tools import MODULES as TOOLS
from runners.load_tools import workload_of
from runners.models import Run
from runners.providers.registry import MODULES as PROVIDERS
from runners.providers.registry import offered
from submissions import facts
from submissions.api.facet_field import member_of
from submissions.api.filters import FacetFilter
from submissions.formatting.names import provider_name, service_name

_USD: "DecimalField[Decimal, Decimal]" = DecimalField(max_digits=14, decimal_places=4)


def services() -> list[str]:
    """The databases that runs know."""
    return sorted({workload.service for tool in TOOLS if (workload := workload_of(tool))})


class RunFilter(django_filters.FilterSet):
    """Each may be repeated, for any of the values."""

    status = FacetFilter(label="Status", convert=member_of(RunStatus), is_nullable=False)
    provider = FacetFilter(label=facts.PROVIDER.label, convert=member_of(PROVIDERS), is_nullable=False)
    service = FacetFilter(
        label=facts.SERVICE.label, field_name="plan__service__name", convert=member_of(services()), is_nullable=False
    )
    mine = django_filters.TypedChoiceFilter(
        label="Only your runs",
        choices=(("true", "yes"), ("false", "no")),
        coerce=lambda text: text == "true",
        method="filter_mine",
    )

    class Meta:
        model = Run
        fields: list[str] = []

    def filter_mine(self, queryset: QuerySet[Run], name: str, value: bool) -> QuerySet[Run]:
        user = self.request.user if self.request is not None else AnonymousUser()
        return queryset.filter(owner=user.pk) if value else queryset


def choices() -> dict[str, list[tuple[str, str]]]:
    """The values of each select of the page, with their labels."""
    return {
        "status": [(status.value, status.label) for status in RunStatus],
        "provider": [(slug, provider_name(slug)) for slug in PROVIDERS if slug != "fake" or slug in offered()],
        "service": [(slug, service_name(slug)) for slug in services()],
    }


@dataclass(frozen=True, slots=True)
class Totals:
    """Of all runs that match, on every page of the list."""

    runs: int
    usd: Decimal | None  # of the receipts; None where only runs of unknown cost match
    unknown: int  # receipts without a total, and runs whose machines cost money now


def totals_of(runs: QuerySet[Run]) -> Totals:
    """One query."""
    has_no_total = Q(receipt__isnull=False, receipt__total_usd=None)
    is_spending = Q(receipt__isnull=True, status__in=RunStatus.NODES_MAY_EXIST)
    figures = runs.order_by().aggregate(
        runs=Count("pk"),
        usd=Sum(Cast(KT("receipt__total_usd"), _USD)),
        unknown=Count("pk", filter=has_no_total | is_spending),
    )
    if figures["usd"] is None and not figures["unknown"]:
        figures["usd"] = Decimal(0)  # none of these runs has had a machine
    return Totals(**figures)
