"""The first page: the best value within one workload, what is new, and how the site is read."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from submissions.formatting.chart_style import Figure, with_caveats
from submissions.home.query import WorkloadCount, comparable, newest, summary
from submissions.models import Submission
from submissions.questions.value.chart import value_scatter
from submissions.questions.value.front import chart_systems, front_of, value_rows
from submissions.questions.value.lead import value_lead
from submissions.records import caveats

NEWEST = 10
WORKLOAD_CHOICES = 8


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    counts = summary(WORKLOAD_CHOICES)
    workload = _chosen(counts.workloads, request.GET.get("workload"))
    best = value_lead(workload.pk) if workload else None
    rows = value_rows(comparable(workload.pk)) if workload else []
    front = front_of(rows)
    context = {
        "overview": counts.totals,
        "workloads": counts.workloads,
        "workload": workload,
        "best": best,
        "figure": _figure(rows) if rows else None,
        "chart_finding": _chart_finding(len(rows), len(front)),
        "rows": rows,
        "front": front,
        "newest": newest(NEWEST),
    }
    return render(request, "submissions/home/page.html", context)


def _figure(rows: Sequence[Submission]) -> Figure:
    return with_caveats(
        value_scatter(chart_systems(rows)),
        [*caveats.of_rows(rows), "Rates that a flag puts in doubt are left out."],
    )


def _chart_finding(shown: int, on_front: int) -> str:
    """The chart in words, for who cannot see it and for where it stands alone."""
    beaten = shown - on_front
    if not beaten:
        return f"Cluster cost against throughput: none of {shown:,} clusters is beaten by a cheaper one."
    return f"Cluster cost against throughput: {beaten:,} of {shown:,} clusters do less than one that costs no more."


def _chosen(workloads: Sequence[WorkloadCount], fingerprint: str | None) -> WorkloadCount | None:
    """The workload that the address names, else the one with most to compare."""
    for workload in workloads:
        if workload.fingerprint == fingerprint:
            return workload
    return workloads[0] if workloads else None
