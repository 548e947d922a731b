"""Results of one workload on equal clusters over time, with change points; the address holds the state."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from submissions import facts
from submissions.api.forms import BadParameter, redirect_to_api
from submissions.formatting.charts import Chart, shareable
from submissions.formatting.p99_words import mean_instead_ms
from submissions.models.versions.data_version import Subject
from submissions.questions.boards.trust_filter import CHOICES, chips, default_words, trust_filter_of_all
from submissions.questions.history import sentences
from submissions.questions.history.chart import metric_figure
from submissions.questions.history.form import (
    FORMATS,
    KIND_CHOICES,
    HistoryForm,
    HistoryQuestion,
    HistoryWorkload,
    history_question,
    history_workload,
    with_line,
)
from submissions.questions.history.query import Change, HistoryResult, MetricHistory, history_result, value_of
from submissions.records.cache import cached_of_workload
from submissions.records.credits import credits_of

TEMPLATE = "submissions/questions/history/page.html"
HEAD = "submissions/questions/history/_head.html"
ANSWER = "submissions/questions/history/_answer.html"
MOST_SHOWN = 100  # of the results, in the table below the charts


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """As it is sent, and what the fields of the page offer."""

    name: str  # of the line
    head: SafeString
    html: SafeString
    charts: tuple[Chart, ...]  # described
    line: str  # its token
    line_choices: list[tuple[str, str]]
    usual_kind: str  # of a p99
    feed_address: str
    default_trust: str  # what the selector calls the default


def charts(params: QueryDict) -> Sequence[Chart]:
    """Those of the page with these parameters. Raises Http404 where something named in them does not exist."""
    form = HistoryForm(params)
    if not form.is_valid():
        return ()
    question = _question(form)
    result = _result(question)
    return _charts(question, result) if result else ()


@shareable("History of a cluster", charts, parameters=HistoryForm.base_fields)
@from_data(*Subject, parameters=HistoryForm.base_fields)
@require_safe
def history(request: HttpRequest) -> HttpResponse:
    if request.GET.get("format") in FORMATS:
        return redirect_to_api(request, "api:history")
    form = HistoryForm(request.GET)
    if not form.is_valid():
        return render(request, TEMPLATE, {"problems": form.errors}, status=400)
    asked, answer = _asked(request, form)
    context: dict[str, Any] = {
        "question": asked,
        "answer": answer,
        "charts": answer.charts if answer else (),
        "state": form.cleaned_data,
        "kind_choices": KIND_CHOICES,
        "trust_choices": CHOICES,
    }
    if answer is None:
        context["chips"] = chips(trust_filter_of_all(asked.trust), partial(_trust_address, _without_line(asked)))
    return render(request, TEMPLATE, context)


def _asked(request: HttpRequest, form: HistoryForm) -> tuple[HistoryWorkload, ShownAnswer | None]:
    """What is chosen from is that of now; the answer lasts as long as its workload. None without a dated result."""
    try:
        asked = history_workload(form.cleaned_data)
        if asked.workload is None:
            return asked, None
        key = ("history page", *asked.key, request.get_full_path(), timezone.now().date())
        (answer,) = cached_of_workload(asked.workload.pk, key, lambda: (shown_answer(request, with_line(asked)),))
        return asked, answer
    except BadParameter as error:
        raise Http404(error.detail) from error


def _without_line(asked: HistoryWorkload) -> HistoryQuestion:
    return HistoryQuestion(asked.workloads, asked.workload, (), None, asked.latency_kind, asked.trust)


def _trust_address(question: HistoryQuestion, trust: str) -> str:
    """Another trust filter may have other clusters."""
    state = {name: value for name, value in question.state.items() if name not in ("cluster", "trust")}
    return f"?{urlencode({**state, 'trust': trust} if trust else state)}"


def _question(form: HistoryForm) -> HistoryQuestion:
    try:
        return history_question(form.cleaned_data)
    except BadParameter as error:
        raise Http404(error.detail) from error


def _result(question: HistoryQuestion) -> HistoryResult | None:
    if question.workload is None or question.line is None:
        return None
    return history_result(question.workload, question.line, question.latency_kind, question.trust)


def shown_answer(request: HttpRequest, question: HistoryQuestion) -> ShownAnswer | None:
    result = _result(question)
    if result is None:
        return None
    context = _context(question, result) | {"request": request}
    return ShownAnswer(
        name=result.line.name,
        head=render_to_string(HEAD, context),
        html=render_to_string(ANSWER, context),
        charts=tuple(chart.described for chart in context["charts"]),
        line=question.line.token if question.line else "",
        line_choices=context["line_choices"],
        usual_kind=context["usual_kind"],
        feed_address=context["feed_address"],
        default_trust=default_words(result.trust_filter),
    )


def _context(question: HistoryQuestion, result: HistoryResult) -> dict[str, Any]:
    """What the page shows of one workload."""
    query = urlencode(question.state)
    rows = _rows(result)
    return {
        "question": question,
        "result": result,
        "chips": chips(result.trust_filter, partial(_trust_address, question)),
        "finding": sentences.finding(result),
        "notes": sentences.notes(result),
        "line_choices": [(line.token, f"{line.name} ({line.points:,})") for line in question.lines],
        "usual_kind": f"{result.latency_kind.label} (most common)" if result.latency.points else "most common",
        "charts": _charts(question, result),
        "panels": [_panel(key, title, history) for key, title, history in _histories(result)],
        "points": rows[-MOST_SHOWN:],
        "all_points": len(rows),
        "csv_address": f"{reverse('api:history')}?{query}&format=csv",
        "json_address": f"{reverse('api:history')}?{query}",
        "feed_address": f"{reverse('submissions:history_feed')}?{query}",
        "follow_address": _follow_address(question),
    }


def _follow_address(question: HistoryQuestion) -> str:
    state = {name: value for name, value in question.state.items() if name in ("workload", "cluster")}
    return f"{reverse('submissions:new_follow')}?{urlencode(state)}"


def _histories(result: HistoryResult) -> list[tuple[str, str, MetricHistory]]:
    """Key, title and history of each metric that any result has."""
    both = (
        ("throughput", "Throughput", result.throughput),
        ("p99", sentences.latency_title(result), result.latency),
    )
    return [(key, title, history) for key, title, history in both if history.points]


def _charts(question: HistoryQuestion, result: HistoryResult) -> Sequence[Chart]:
    credits = credits_of(result.points)
    return [
        Chart(
            key=key,
            figure=metric_figure(history),
            label=sentences.chart_label(title, history),
            caveats=sentences.chart_caveats(history),
            query=f"?{urlencode(question.state)}",
            table=sentences.in_table(min(len(result.points), MOST_SHOWN), len(result.points)),
            subject=result.line.name,
            credits=credits,
        )
        for key, title, history in _histories(result)
    ]


def _panel(key: str, title: str, history: MetricHistory) -> dict[str, Any]:
    return {
        "key": key,
        "title": title,
        "label": sentences.chart_label(title, history),
        "metric": history.metric,
        "changes": [_change_row(change) for change in history.changes or ()],
    }


def _change_row(change: Change) -> dict[str, Any]:
    return {
        "change": change,
        "percent": sentences.percent(change),
        "facts": sentences.fact_changes(change) or [sentences.NO_FACT_CHANGED],
    }


def _rows(result: HistoryResult) -> list[dict[str, Any]]:
    """The rows of the table, with the changes that begin at each result."""
    with_p99 = result.latency.keys
    return [
        {
            "row": point,
            "jdk": value_of(facts.JDK, point),
            "has_latency": point.pk in with_p99 or mean_instead_ms(point) is not None,  # not of another kind
            "changes": [
                f"{history.metric.label} {sentences.percent(change)}"
                for history in (result.throughput, result.latency)
                if (change := history.change_at(point))
            ],
        }
        for point in result.points
    ]
