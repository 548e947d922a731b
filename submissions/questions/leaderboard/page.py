"""The workloads, and the page of one: what it is, who leads it, where its other views are."""

from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from submissions.choices import LatencyKind
from submissions.formatting.chart_style import with_caveats
from submissions.formatting.csv import csv_response
from submissions.metrics import LATENCY_P99, METRICS, OPS_PER_USD, THROUGHPUT
from submissions.models import Workload
from submissions.questions.leaderboard import answer as leaderboard_answers
from submissions.questions.leaderboard import query as leaderboards
from submissions.questions.leaderboard.chart import RankBar, leaderboard_bars
from submissions.questions.leaderboard.query import KNOWN_KINDS, Counts, Leaderboard, usual_kind
from submissions.questions.workload import query as workload_list
from submissions.questions.workload.facts import workload_facts
from submissions.questions.workload.grouping import GroupBy

A_PAGE = 50
MOST_BARS = 20
FORMATS = ("csv", "json")
_EVERY_KEY = {metric.key: metric.label for metric in leaderboards.METRICS}


class WorkloadForm(forms.Form):
    """Reads the address; the template writes the fields."""

    by = forms.ChoiceField(required=False, choices=GroupBy.pairs)
    metric = forms.ChoiceField(required=False, choices=list(_EVERY_KEY.items()))
    latency_kind = forms.ChoiceField(required=False, choices=[(kind, kind.label) for kind in KNOWN_KINDS])
    format = forms.ChoiceField(required=False, choices=[(name, name) for name in FORMATS])


class ListForm(forms.Form):
    service = forms.CharField(required=False, max_length=100)
    page = forms.IntegerField(required=False, min_value=1, max_value=1_000_000)


@require_safe
def workloads(request: HttpRequest) -> HttpResponse:
    form = ListForm(request.GET)
    if not form.is_valid():
        return render(request, "submissions/questions/workload/page.html", {"problems": form.errors}, status=400)
    service = form.cleaned_data["service"]
    counted = workload_list.counted()
    chosen = [one for one in counted if not service or one.service == service]
    page = Paginator(chosen, A_PAGE).get_page(form.cleaned_data["page"])
    context = {
        "service": service,
        "services": sorted({one.service for one in counted}),
        "page": page,
        "total": len(chosen),
        "submissions": sum(one.submissions for one in chosen),
        "rows": workload_list.with_workloads(page.object_list),
    }
    return render(request, "submissions/questions/workload/page.html", context)


@require_safe
def workload(request: HttpRequest, fingerprint: str) -> HttpResponseBase:
    found = get_object_or_404(Workload, fingerprint=fingerprint)
    form = WorkloadForm(request.GET)
    if not form.is_valid():
        return render(
            request,
            "submissions/questions/leaderboard/page.html",
            {"workload": found, "problems": form.errors},
            status=400,
        )
    asked = form.cleaned_data
    counts = leaderboards.count(found)
    metric = METRICS[asked["metric"] or THROUGHPUT.key]
    kind = None
    if metric == LATENCY_P99:
        kind = LatencyKind(asked["latency_kind"]) if asked["latency_kind"] else usual_kind(counts)
    board = leaderboards.leaderboard(found.pk, GroupBy(asked["by"] or GroupBy.INSTANCE_TYPE), metric, kind)
    if asked["format"] == "csv":
        filename = f"leaderboard-{found.fingerprint}-by-{board.by}.csv"
        return csv_response(leaderboard_answers.COLUMNS, leaderboard_answers.rows(board), filename)
    if asked["format"] == "json":
        return JsonResponse(leaderboard_answers.answer(found, board, counts))
    return render(request, "submissions/questions/leaderboard/page.html", _context(found, board, counts))


def _context(workload: Workload, board: Leaderboard, counts: Counts) -> dict[str, Any]:
    bars = [_bar(place) for place in board.places[:MOST_BARS]]
    left_out = leaderboard_answers.left_out(board, counts)
    state = {"by": board.by.value, "metric": board.metric.key, "latency_kind": board.latency_kind or ""}
    return {
        "workload": workload,
        "facts": workload_facts(workload.canonical),
        "counts": counts,
        "board": board,
        "state": state,
        "address": "?" + "&".join(f"{name}={value}" for name, value in state.items() if value),
        "by_choices": [(choice.value, choice.label) for choice in GroupBy],
        "metric_choices": list(_EVERY_KEY.items()),
        "kind_choices": [(kind, kind.label, counts.p99_by_kind.get(kind, 0)) for kind in KNOWN_KINDS],
        "is_latency": board.metric == LATENCY_P99,
        "is_value": board.metric == OPS_PER_USD,
        "finding": leaderboard_answers.sentence(board),
        "left_out": left_out,
        "figure": with_caveats(leaderboard_bars(bars, board.metric), _caveats(board)) if bars else None,
        "most_bars": MOST_BARS,
        "first_two": [place.best.pk for place in board.places[:2]],
    }


def _bar(place: leaderboards.Place) -> RankBar:
    name = place.name.replace(" ", "\n", 1) if "\n" not in place.name else place.name
    return RankBar(f"{place.standing.rank}. {name}, n = {place.trials}", place.figure, place.low, place.high)


def _caveats(board: Leaderboard) -> list[str]:
    once = sum(place.trials == 1 for place in board.places)
    dates = sorted({place.best.price_date for place in board.places if place.best.price_date})
    return [
        "Each bar is the best submission of its group; the line is the 95 % interval of its mean."
        if board.metric != LATENCY_P99
        else f"Each bar is the best submission of its group; {board.latency_kind.label if board.latency_kind else ''}.",
        "Places that share a rank cannot be told apart.",
        f"{once} of {len(board.places)} were measured once." if once else "",
        f"Prices of {dates[0]} to {dates[-1]}: each at those of its own time."
        if board.metric == OPS_PER_USD and dates
        else "",
    ]
