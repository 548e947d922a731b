"""The services that were measured, and the workloads of one of them."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from submissions.records import queries

WORKLOADS = 100  # on a service's page; the list of submissions has them all as a facet


@require_safe
def services(request: HttpRequest) -> HttpResponse:
    context = {"services": queries.service_summaries()}
    return render(request, "submissions/records/services.html", context)


@require_safe
def service(request: HttpRequest, slug: str) -> HttpResponse:
    counts = queries.service_counts(slug)
    if not counts.submissions:
        raise Http404(f"There is no submission of a service {slug}.")
    context = {
        "service": slug,
        "counts": counts,
        "workloads": queries.workload_summaries(counts.workloads[:WORKLOADS]),
        "most": WORKLOADS,
    }
    return render(request, "submissions/records/service.html", context)
