"""All workloads by database, those with the most results first."""

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from submissions.api.number_fields import OrdinalField
from submissions.formatting.charts import shareable
from submissions.formatting.names import service_name
from submissions.models.versions.data_version import Subject
from submissions.questions.workload.query import in_groups, service_counts, workloads_between
from submissions.records.cache import of_one_state

A_PAGE = 50
TEMPLATE = "submissions/questions/workload/page.html"


class WorkloadListForm(forms.Form):
    service = forms.CharField(required=False, max_length=100)
    page = OrdinalField(required=False, min_value=1, max_value=1_000_000)


@shareable("Workloads")
@from_data(*Subject, parameters=WorkloadListForm.base_fields)
@require_safe
@of_one_state()
def workloads(request: HttpRequest) -> HttpResponse:
    form = WorkloadListForm(request.GET)
    if not form.is_valid():
        return render(request, TEMPLATE, {"problems": form.errors}, status=400)
    service = form.cleaned_data["service"]
    counts = service_counts()
    shown = [counts[service]] if service in counts else [] if service else list(counts.values())
    page = Paginator(range(sum(each.workloads for each in shown)), A_PAGE).get_page(form.cleaned_data["page"])
    rows = workloads_between(service, page.start_index() - 1, page.end_index()) if page.paginator.count else ()
    context = {
        "service": service,
        "services": [(name, service_name(name)) for name in sorted(counts)],
        "page": page,
        "page_query": f"?{urlencode({'service': service})}&page=" if service else "?page=",
        "total": page.paginator.count,
        "submissions": sum(each.submissions for each in shown),
        "groups": in_groups(rows),
    }
    return render(request, TEMPLATE, context)
