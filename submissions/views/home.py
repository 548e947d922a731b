"""The first page: the best value within one workload, what is new, and how the site is read."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from submissions import charts, queries
from submissions.queries import WorkloadCount

NEWEST = 10
WORKLOAD_CHOICES = 8


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    summary = queries.summary(WORKLOAD_CHOICES)
    workload = _chosen(summary.workloads, request.GET.get("workload"))
    best = queries.best_value(workload.pk) if workload else None
    rows = queries.value_rows(queries.comparable(workload.pk)) if workload else []
    context = {
        "overview": summary.totals,
        "workloads": summary.workloads,
        "workload": workload,
        "best": best,
        "figure": charts.value_scatter(queries.systems(rows)) if rows else None,
        "rows": rows,
        "front": queries.front_of(rows),
        "newest": queries.newest(NEWEST),
    }
    return render(request, "submissions/home.html", context)


def _chosen(workloads: Sequence[WorkloadCount], fingerprint: str | None) -> WorkloadCount | None:
    """The workload that the address names, else the one with most to compare."""
    for workload in workloads:
        if workload.fingerprint == fingerprint:
            return workload
    return workloads[0] if workloads else None
