"""The first page: the best value within one workload, what is new, and where to go."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from heapq import nlargest

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from submissions.formatting.charts import SAME_NUMBERS, Chart, Preview, shareable
from submissions.home import sentences
from submissions.home.query import HomeResult, WorkloadCount, WorkloadValue, home_result, systems_in_chart
from submissions.models import Submission
from submissions.models.data_version import Subject
from submissions.questions.recommend.form import RecommendForm
from submissions.questions.recommend.panel import panel
from submissions.questions.value.chart import systems, value_scatter
from submissions.questions.value.front import Systems
from submissions.questions.workload.shelves import chips
from submissions.records.cache import cached, cached_of_workload, of_one_state

MOST_CLUSTERS = 50  # in the table below the chart
TITLE = "Benchsite: what a database costs to run fast"
ABOUT = "The public record of what a database costs to run fast."


@dataclass(frozen=True, slots=True)
class ClusterChart:
    """Cost against throughput, and its tables, as they are sent: of the front, and of all, or the best by value."""

    chart: Chart  # described
    drawn: SafeString
    clusters: int  # in the chart
    front: SafeString
    table: SafeString  # empty where the front has them all
    rows: int  # of the table


def charts(params: QueryDict) -> Sequence[Chart]:
    value = home_result(params.get("workload", "")).value
    return [_drawn(value.workload)[0]] if value else ()


def preview(params: QueryDict) -> Preview:
    value = home_result(params.get("workload", "")).value
    return _preview(value, _drawn(value.workload)[0] if value else None)


@dataclass(frozen=True, slots=True)
class Body:
    """The page but for what is its reader's, and what the frame around it shows of it."""

    html: SafeString
    charts: tuple[Chart, ...]  # described
    preview: Preview
    status: int


@shareable("Best value of a workload", charts, preview=preview, parameters=RecommendForm.base_fields)
@require_safe
@of_one_state()
def home(request: HttpRequest) -> HttpResponse:
    if request.GET:
        body = _body(request)
    else:
        # by the hour, as the ETags of pages: ages are in words
        key = ("home", request.path, f"{timezone.now():%Y-%m-%dT%H}")
        body = cached(key, lambda: _body(request), subjects=(Subject.PRICES, Subject.PAGES))
    context = {"body": body.html, "charts": body.charts, "preview": body.preview}
    return render(request, "submissions/home/page.html", context, status=body.status)


def _body(request: HttpRequest) -> Body:
    result = home_result(request.GET.get("workload", ""))
    value = result.value
    clusters = _cluster_chart(request, result)
    question, status = panel(request.GET, needs_service=True)
    context = {
        **question,
        "home": result,
        "value": value,
        "value_chips": chips(result.shelf, partial(_value_address, result)),
        "value_finding": sentences.finding(value) if value else "",
        "workload_choices": [
            (workload.fingerprint, f"{workload.title} ({workload.submissions:,})") for workload in result.workloads
        ],
        "clusters": clusters,
    }
    return Body(
        SafeString(render_to_string("submissions/home/_body.html", context)),
        (clusters.chart,) if clusters else (),
        _preview(value, clusters.chart if clusters else None),
        status,
    )


def _preview(value: WorkloadValue | None, chart: Chart | None) -> Preview:
    return Preview(TITLE, f"{value.workload.title}: {sentences.finding(value)}" if value else ABOUT, chart)


def _value_address(result: HomeResult, trust: str) -> str:
    """Other shelves are on the page of values."""
    workload = {"workload": result.value.workload.fingerprint} if result.value else {}
    return f"{reverse('submissions:value')}?{urlencode({**workload, 'trust': trust})}"


def _cluster_chart(request: HttpRequest, result: HomeResult) -> ClusterChart | None:
    """At most five queries, one while it is cached; none where no workload has a priced result."""
    if result.value is None:
        return None
    workload = result.value.workload
    key = ("clusters", workload.fingerprint, request.path, timezone.now().date())
    return cached_of_workload(workload.pk, key, lambda: _shown(request, *_drawn(workload)))


def _drawn(workload: WorkloadCount) -> tuple[Chart, Systems]:
    """Two queries."""
    found = systems_in_chart(workload.pk)
    rows = _in_table(found)
    is_complete = len(rows) == len(found.shown)
    chart = Chart(
        key="value",
        figure=value_scatter(systems(found.shown)),
        label=sentences.chart_finding(found),
        caveats=sentences.chart_caveats(found),
        query=f"?workload={workload.fingerprint}",
        table=SAME_NUMBERS if is_complete else sentences.best_in_table(len(rows), len(found.shown)),
    )
    return chart, found


def _in_table(found: Systems) -> Sequence[Submission]:
    """All, or the best by value."""
    is_complete = len(found.shown) <= MOST_CLUSTERS
    return found.shown if is_complete else nlargest(MOST_CLUSTERS, found.shown, key=_value)


def _shown(request: HttpRequest, chart: Chart, found: Systems) -> ClusterChart:
    rows = _in_table(found)
    is_complete = len(rows) == len(found.shown)
    label = "All clusters in the chart" if is_complete else "The best clusters by value"
    return ClusterChart(
        chart=chart.described,
        drawn=render_to_string("submissions/home/_chart.html", {"request": request, "charts": [chart]}),
        clusters=len(found.shown),
        front=_table(found.front, "Best value at each price"),
        table=_table(rows, label) if len(found.shown) > len(found.front) else SafeString(),
        rows=len(rows),
    )


def _value(row: Submission) -> tuple[float, int]:
    return float(row.ops_per_usd or 0), row.pk


def _table(rows: Sequence[Submission], label: str) -> SafeString:
    return render_to_string("submissions/questions/value/_systems.html", {"rows": rows, "label": label})
