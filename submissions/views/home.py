"""The first page: the best value within one workload, what is new, and how the site is read."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from submissions import charts, queries
from submissions.models import Workload

NEWEST = 10
WORKLOAD_CHOICES = 8


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    workloads = queries.headline_workloads(WORKLOAD_CHOICES)
    workload = _chosen(workloads, request.GET.get("workload"))
    best = queries.best_value(workload) if workload else None
    rows = queries.value_rows(queries.comparable(workload)) if workload else []
    context = {
        "overview": queries.overview(),
        "workloads": workloads,
        "workload": workload,
        "best": best,
        "figure": charts.value_scatter(queries.systems(rows)) if rows else None,
        "rows": rows,
        "front": queries.front_of(rows),
        "newest": queries.newest(NEWEST),
    }
    return render(request, "submissions/home.html", context)


def _chosen(workloads: list[Workload], fingerprint: str | None) -> Workload | None:
    """The workload that the address names, else the one with most to compare."""
    for workload in workloads:
        if workload.fingerprint == fingerprint:
            return workload
    return workloads[0] if workloads else None
