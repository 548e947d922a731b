"""The first page: the best value within one workload, what is new, and where to go."""

from collections.abc import Sequence
from functools import partial

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from submissions.formatting.charts import Chart, shareable
from submissions.home import sentences
from submissions.home.query import HomeResult, home_result
from submissions.questions.value.chart import systems, value_scatter
from submissions.questions.workload.shelves import chips


def charts(params: QueryDict) -> Sequence[Chart]:
    return _charts(home_result(params.get("workload", "")))


@shareable("Best value of a workload", charts)
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    result = home_result(request.GET.get("workload", ""))
    value = result.value
    context = {
        "result": result,
        "value": value,
        "chips": chips(result.shelf, partial(_value_address, result)),
        "finding": sentences.finding(value) if value else "",
        "workload_choices": [
            (workload.fingerprint, f"{workload.title} ({workload.submissions:,})") for workload in result.workloads
        ],
        "charts": _charts(result),
    }
    return render(request, "submissions/home/page.html", context)


def _value_address(result: HomeResult, trust: str) -> str:
    """Other shelves are on the page of values."""
    workload = {"workload": result.value.workload.fingerprint} if result.value else {}
    return f"{reverse('submissions:value')}?{urlencode({**workload, 'trust': trust})}"


def _charts(result: HomeResult) -> Sequence[Chart]:
    value = result.value
    if value is None:
        return ()
    return [
        Chart(
            key="value",
            figure=value_scatter(systems(value.systems.shown)),
            label=sentences.chart_finding(value),
            caveats=sentences.chart_caveats(value),
            query=f"?workload={value.workload.fingerprint}",
        )
    ]
