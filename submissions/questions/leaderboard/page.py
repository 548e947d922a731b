"""The page of a workload: what it is, who leads it, where its other views are; the state is the address."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from submissions.api.forms import BadParameter, redirect_to_api
from submissions.formatting.charts import Chart, shareable
from submissions.formatting.load import shows_load
from submissions.metrics import LATENCY_P99, OPS_PER_USD, THROUGHPUT
from submissions.models import Workload
from submissions.models.versions.data_version import Subject
from submissions.questions.boards.counts import excluded_sentence
from submissions.questions.boards.grouping import GroupBy
from submissions.questions.boards.trust_filter import CHOICES, chips, default_words
from submissions.questions.leaderboard import sentences
from submissions.questions.leaderboard.chart import MOST_ROWS, leaderboard_figure
from submissions.questions.leaderboard.form import LeaderboardForm
from submissions.questions.leaderboard.query import (
    KNOWN_KINDS,
    RANKED_METRICS,
    LeaderboardResult,
    leaderboard_of,
    workload_of,
)
from submissions.questions.workload.facts import workload_facts
from submissions.records.age_filter import EXCLUSIONS
from submissions.records.ages import ages_of
from submissions.records.cache import cached_of_workload
from submissions.records.credits import credits_of_workloads

TEMPLATE = "submissions/questions/leaderboard/page.html"


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """As it is sent."""

    html: SafeString
    charts: tuple[Chart, ...]  # described


def charts(params: QueryDict, fingerprint: str) -> Sequence[Chart]:
    """Raises Http404 for an unknown workload."""
    form = _form(params, fingerprint)
    if params.get("format") or not form.is_valid():
        return ()
    return _charts(form, leaderboard_of(_workload(form), form.params))


@shareable("Leaderboard", charts, parameters=[name for name in LeaderboardForm.base_fields if name != "workload"])
@from_data(*Subject, parameters=LeaderboardForm.base_fields)
@require_safe
def workload(request: HttpRequest, fingerprint: str) -> HttpResponse:
    if request.GET.get("format"):
        return redirect_to_api(request, "api:leaderboard", workload=fingerprint)
    form = _form(request.GET, fingerprint)
    if not form.is_valid():
        context = {
            "workload": get_object_or_404(Workload.objects.open(), fingerprint=fingerprint),
            "problems": form.errors,
        }
        return render(request, TEMPLATE, context, status=400)
    chosen = _workload(form)
    if chosen.fingerprint != fingerprint:
        here = reverse("submissions:workload", args=[chosen.fingerprint])
        return redirect(f"{here}?{request.GET.urlencode()}".rstrip("?"), permanent=True)
    answer = cached_of_workload(
        chosen.pk,
        ("workload page", chosen.fingerprint, request.get_full_path(), timezone.now().date()),
        lambda: shown_answer(request, form, leaderboard_of(chosen, form.params)),
        subjects=[Subject.PRICES],  # by which ages are marked
    )
    return render(request, TEMPLATE, {"workload": chosen, "answer": answer.html, "charts": answer.charts})


def shown_answer(request: HttpRequest, form: LeaderboardForm, result: LeaderboardResult) -> ShownAnswer:
    context = {"request": request, **_context(form, result)}
    html = render_to_string("submissions/questions/leaderboard/_answer.html", context)
    return ShownAnswer(html, tuple(chart.described for chart in context["charts"]))


def _form(params: QueryDict, fingerprint: str) -> LeaderboardForm:
    data = params.copy()
    data["workload"] = fingerprint
    return LeaderboardForm(data)


def _workload(form: LeaderboardForm) -> Workload:
    try:
        return workload_of(form.params)
    except BadParameter as error:
        raise Http404(str(error)) from error


def _charts(form: LeaderboardForm, result: LeaderboardResult) -> Sequence[Chart]:
    board = result.board
    if not board.groups:
        return ()
    return [
        Chart(
            key="leaderboard",
            figure=leaderboard_figure(board),
            label=sentences.finding(board),
            caveats=sentences.caveats(board),
            query=_state(form),
            subject=result.workload.title,
            credits=credits_of_workloads([result.workload.pk]),
        )
    ]


def _state(form: LeaderboardForm, **changes: object) -> str:
    """The query of the page; the workload is in its path."""
    return form.address(workload="", **changes)


def _context(form: LeaderboardForm, result: LeaderboardResult) -> dict[str, Any]:
    board, counts = result.board, result.counts
    is_by_throughput = board.metric == THROUGHPUT and not board.rate_ops_s
    best = [group.best for group in board.groups]
    return {
        "workload": result.workload,
        "facts": workload_facts(result.workload.canonical),
        "result": result,
        "board": board,
        "state": form.cleaned_data,
        "api_query": form.address(),
        "without_limit": "" if board.max_p99_ms is None else _state(form, max_p99_ms=None),
        "by_throughput": "" if is_by_throughput else _state(form, metric="", latency_kind="", rate=None),
        "by_choices": GroupBy.pairs(),
        "metric_choices": [(metric.key, metric.label) for metric in RANKED_METRICS],
        "kind_choices": [(kind.value, f"{kind.label} ({counts.p99_by_kind.get(kind, 0):,})") for kind in KNOWN_KINDS],
        "is_latency": board.metric == LATENCY_P99,
        "is_value": board.metric == OPS_PER_USD,
        "finding": sentences.finding(board, counts),
        "noise": sentences.noise_note(board),
        "nothing_ranked": sentences.nothing_ranked(result),
        "excluded": excluded_sentence(counts),
        "charts": _charts(form, result),
        "most_rows": MOST_ROWS,
        "chips": [
            *chips(result.trust_filter, partial(_state, form)),
            *sentences.held_chips(result, partial(_state, form)),
        ],
        "shows_load": shows_load(best) or any(row.shown_load for row in best),
        "trust_choices": CHOICES,
        "default_trust": default_words(result.trust_filter),
        "exclusions": EXCLUSIONS,
        "ages": ages_of(best, timezone.now().date()),
        "first_two": [group.best.pk for group in board.groups[:2]],
    }
