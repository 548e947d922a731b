"""All workloads, those with the most results first."""

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from submissions.formatting.charts import shareable
from submissions.formatting.names import service_name
from submissions.questions.workload.query import with_workloads, workload_counts

A_PAGE = 50
TEMPLATE = "submissions/questions/workload/page.html"


class WorkloadListForm(forms.Form):
    service = forms.CharField(required=False, max_length=100)
    page = forms.IntegerField(required=False, min_value=1, max_value=1_000_000)


@shareable("Workloads")
@require_safe
def workloads(request: HttpRequest) -> HttpResponse:
    form = WorkloadListForm(request.GET)
    if not form.is_valid():
        return render(request, TEMPLATE, {"problems": form.errors}, status=400)
    service = form.cleaned_data["service"]
    every = workload_counts()
    rows = [row for row in every if not service or row.service == service]
    page = Paginator(rows, A_PAGE).get_page(form.cleaned_data["page"])
    context = {
        "service": service,
        "services": [(name, service_name(name)) for name in sorted({row.service for row in every})],
        "page": page,
        "page_query": f"?{urlencode({'service': service})}&page=" if service else "?page=",
        "total": len(rows),
        "submissions": sum(row.submissions for row in rows),
        "rows": with_workloads(list(page.object_list)),
    }
    return render(request, TEMPLATE, context)
