"""Two to six submissions side by side; which ones stands in the address: ?s=4&s=1."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from submissions.choices import LatencyKind
from submissions.formatting.chart_style import with_caveats
from submissions.metrics import LATENCIES
from submissions.models import Submission
from submissions.questions.compare import query as comparisons
from submissions.questions.compare.chart import Column, compare_bars
from submissions.questions.compare.query import Side, Table, system_name
from submissions.records.caveats import of_prices
from submissions.records.curves import overlays
from submissions.records.curves.interval_chart import intervals_figure
from submissions.records.curves.interval_window import NO_WHOLE_INTERVAL, Asked, WindowForm
from submissions.records.curves.overlays import CurvesOfKind, Overlay
from submissions.records.curves.percentile_chart import percentile_figure
from submissions.records.curves.percentile_curves import ScaleForm

FEWEST, MOST = 2, 6
MOST_OFFERED = 60  # rows of the page that offers submissions to choose from
MAX_ID = 2**63 - 1


class BadChoiceError(Exception):
    """What is wrong with the chosen numbers, and the HTTP status that says it."""

    def __init__(self, reason: str, status: int, chosen: Sequence[int] = ()):
        super().__init__(reason)
        self.status = status
        self.chosen = chosen


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    given = [value.strip() for value in request.GET.getlist("s") if value.strip()]
    if not given:
        return _choose(request, chosen=_first_of_several(request))
    try:
        chosen = _chosen(given)
    except BadChoiceError as error:
        return _choose(request, problem=str(error), status=error.status, chosen=error.chosen)
    table = comparisons.table(chosen)
    context = {**_context(table), **_overlays(request, _alike(table))}
    is_bad = not context["scale_form"].is_valid() or context["window_form"].errors
    return render(request, "submissions/questions/compare/page.html", context, status=400 if is_bad else 200)


def _first_of_several(request: HttpRequest) -> list[int]:
    """?with=4: one was chosen on its page, the others are to be chosen here."""
    number = request.GET.get("with", "")
    return [int(number)] if number.isascii() and number.isdigit() and len(number) < 19 else []


def _chosen(given: Sequence[str]) -> list[Submission]:
    # "4, 1" typed into one field is two numbers
    parts = [part for value in given for part in value.replace(",", " ").split()]
    wrong = [part for part in parts if not (part.isascii() and part.isdigit()) or len(part) > 19]
    if wrong:
        raise BadChoiceError(f"“{wrong[0][:40]}” is not the number of a submission.", 400)
    ids = [pk for pk in dict.fromkeys(map(int, parts)) if pk <= MAX_ID]
    if len(ids) > MOST:
        raise BadChoiceError(f"At most {MOST} submissions fit side by side, not {len(ids)}.", 400)
    found = comparisons.load(ids)
    missing = [part for part in parts if int(part) not in {one.pk for one in found}]
    if missing:
        raise BadChoiceError(
            f"There is no submission {', '.join(dict.fromkeys(missing))}, or it was retracted.",
            404,
            [one.pk for one in found],
        )
    if len(ids) < FEWEST:
        raise BadChoiceError("One submission has nothing to be compared with: choose another.", 400, ids)
    return found


def _choose(request: HttpRequest, *, problem: str = "", status: int = 200, chosen: Sequence[int] = ()) -> HttpResponse:
    """A page to choose from: what was chosen already, and what is of the same workload, first."""
    already = comparisons.load(chosen)
    offered = Submission.objects.with_rate().select_related("workload").exclude(pk__in=chosen)
    if already:
        offered = offered.filter(workload=already[0].workload_id)
    context = {
        "problem": problem,
        "already": already,
        "offered": list(offered.order_by("-pk")[:MOST_OFFERED]),
    }
    return render(request, "submissions/questions/compare/choose.html", context, status=status)


def _context(table: Table) -> dict[str, Any]:
    chosen = [side.submission for side in table.sides]
    alike = _alike(table)
    return {
        "table": table,
        "sides": table.sides,
        "first": table.sides[0],
        "others": table.sides[1:],
        "is_same_workload": not table.workload_differences,
        "kinds": _latency_tables(table.sides),
        "figure": _figure(alike),
        "not_drawn": [side for side in table.sides if side not in alike],
        "json_addresses": [
            (side.name, f"{reverse('api:compare')}?a={chosen[0].pk}&b={side.submission.pk}") for side in table.sides[1:]
        ],
    }


def _alike(table: Table) -> list[Side]:
    """What ran another workload must not share a chart with the first."""
    first = table.sides[0].submission
    return [side for side in table.sides if side.submission.workload_id == first.workload_id]


def _overlays(request: HttpRequest, alike: Sequence[Side]) -> dict[str, Any]:
    """Percentile curves and series over time of those that ran the workload of the first; two queries."""
    named = [(side.name, side.submission) for side in alike] if len(alike) > 1 else []
    scale_form = ScaleForm(request.GET)
    overlay = overlays.intervals([(f"#{submission.pk}", submission) for _, submission in named])
    window_form = WindowForm(request.GET, overlay.ends_s)
    asked = window_form.asked
    windows = [(run, run.windowed(asked)) for run in overlay.runs] if asked else []
    if asked and not any(found for _, found in windows):
        window_form.add_error("start", NO_WHOLE_INTERVAL)
        asked = None
    return {
        "alike": alike,
        "curves": [_curves(kind, is_log=scale_form.is_log) for kind in overlays.curves(named)],
        "scale_form": scale_form,
        "overlay": overlay,
        "overlay_figure": _series_figure(overlay, asked),
        "window_form": window_form,
        "window": asked,
        "windows": windows,
    }


def _curves(kind: CurvesOfKind, *, is_log: bool) -> dict[str, Any]:
    return {
        "kind": kind,
        "key": f"percentiles-{kind.kind.value.replace('_', '-')}",
        "figure": percentile_figure(kind.lines, is_log=is_log),
        "label": f"Line chart of {kind.kind.label} over percentile; the table below has the same numbers",
    }


def _series_figure(overlay: Overlay, asked: Asked | None) -> dict[str, Any] | None:
    if overlay.view is None:
        return None
    bounds = (asked.start_s, asked.end_s) if asked else None
    figure = intervals_figure(overlay.view.series, bounds, has_brush=True)
    return with_caveats(figure, overlay.view.caveats)


def _figure(sides: Sequence[Side]) -> dict[str, Any] | None:
    if len(sides) < FEWEST:
        return None
    alone = [f"#{side.submission.pk}" for side in sides if side.submission.trials_count == 1]
    bases = {side.submission.relative_base for side in sides} - {""}
    caveats = [
        f"One trial only, so that its noise is not known: {', '.join(alone)}." if alone else "",
        f"Relative: {' and '.join(sorted(bases))}." if bases else "",
        *of_prices([side.submission for side in sides]),
    ]
    return with_caveats(compare_bars(_columns(sides)), caveats)


def _columns(sides: Sequence[Side]) -> list[Column]:
    """Bars share a panel only where they may be compared: p99 of one known kind, ratios of one base."""
    kinds = {side.submission.latency_kind for side in sides}
    has_p99 = len(kinds) == 1 and LatencyKind.UNKNOWN not in kinds
    has_one_base = len({side.submission.relative_base for side in sides} - {""}) == 1
    return [
        Column(
            name=f"#{side.submission.pk}\n{system_name(side.submission)}",
            provider=side.submission.provider,
            throughput_ops_s=side.submission.throughput_ops_s,
            ops_per_usd=_float(side.submission.ops_per_usd),
            latency_p99_ms=side.submission.latency_p99_ms if has_p99 else None,
            relative_throughput=side.submission.relative_throughput if has_one_base else None,
        )
        for side in sides
    ]


def _float(value: Decimal | None) -> float | None:
    return None if value is None else float(value)


def _latency_tables(sides: Sequence[Side]) -> list[dict[str, Any]]:
    """A table for each kind of latency that any side knows; kinds never share a row."""
    kinds = dict.fromkeys(kind for side in sides for kind in side.latencies)
    return [
        {
            "kind": kind,
            "rows": [
                {
                    "metric": metric,
                    "cells": [_cell(side, sides[0], kind, metric.key) for side in sides],
                }
                for metric in LATENCIES
                if any(metric.key in side.latencies.get(kind, {}) for side in sides)
            ],
        }
        for kind in kinds
    ]


def _cell(side: Side, first: Side, kind: LatencyKind, key: str) -> dict[str, float | None]:
    value = side.latencies.get(kind, {}).get(key)
    base = first.latencies.get(kind, {}).get(key)
    is_alike = side.against_first is not None and side.against_first.same_workload
    is_comparable = is_alike and kind != LatencyKind.UNKNOWN
    change = value / base - 1 if is_comparable and value is not None and base else None
    return {"value": value, "change": change}
