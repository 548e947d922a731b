"""Throughput against the number of nodes within one workload; the state is the address."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from submissions.analysis.scaling import law_curve, shown_range
from submissions.formatting.chart_style import Figure, with_caveats
from submissions.formatting.csv import csv_response
from submissions.formatting.numbers import significant
from submissions.questions.scaling import query as scaling_queries
from submissions.questions.scaling.chart import MOST_CURVES, Curve, Law, scaling_figure
from submissions.questions.scaling.query import LeftOut, Series, SizeFacts
from submissions.questions.scaling.sentences import client_words, finding, law_words, line_words, one_decimal
from submissions.questions.workload import choice as workload_choice
from submissions.questions.workload.choice import WorkloadChoice

FORMATS = ("csv", "json")
TEMPLATE = "submissions/questions/scaling/page.html"


class ScalingForm(forms.Form):
    """Reads the address; the template writes the fields."""

    workload = forms.CharField(required=False, max_length=16)
    provider = forms.CharField(required=False, max_length=50)
    instance_type = forms.CharField(required=False, max_length=100)
    format = forms.ChoiceField(required=False, choices=[(name, name) for name in FORMATS])


@require_safe
def scaling(request: HttpRequest) -> HttpResponse:
    form = ScalingForm(request.GET)
    if not form.is_valid():
        return render(request, TEMPLATE, {"problems": form.errors}, status=400)
    asked = form.cleaned_data
    offered = scaling_queries.workloads()
    chosen = _workload(asked["workload"], offered)
    if chosen is None:
        return render(request, TEMPLATE, {})
    found = scaling_queries.series(chosen.fingerprint)
    series = scaling_queries.pick(found, asked["provider"], asked["instance_type"])
    if series is None and (asked["provider"] or asked["instance_type"]):
        raise Http404("There is no such series of this workload.")
    if asked["format"] == "csv":
        return csv_response(*scaling_queries.as_rows(series), filename="scaling.csv")
    if asked["format"] == "json":
        return JsonResponse(scaling_queries.as_json(chosen, found, series))
    context = {
        "chosen": chosen,
        "workloads": workload_choice.with_chosen(offered, chosen),
        "left_out": _left_out(scaling_queries.left_out(chosen.fingerprint)),
    }
    if series is not None:
        context |= _context(chosen, found, series)
    return render(request, TEMPLATE, context)


def _workload(fingerprint: str, offered: list[WorkloadChoice]) -> WorkloadChoice | None:
    if not fingerprint:
        return offered[0] if offered else None
    chosen = scaling_queries.workload_of(fingerprint, offered)
    if chosen is None:
        raise Http404("There is no such workload.")
    return chosen


def _context(chosen: WorkloadChoice, found: list[Series], series: Series) -> dict[str, Any]:
    others = [one for one in found if one is not series]
    said = finding(series)
    return {
        "series": series,
        "all_series": [_series_row(one, chosen.fingerprint) for one in found],
        "address": _address(chosen.fingerprint, series),
        "api_address": f"{reverse('api:scaling')}{_address(chosen.fingerprint, series)}",
        "finding": said,
        "line_words": line_words(series.scaling),
        "law_words": law_words(series.scaling),
        "client_words": client_words(series.scaling),
        "rows": [_row(size, place, series) for place, size in enumerate(series.sizes)],
        "figure": with_caveats(_figure(series, others), _caveats(series, others)),
    }


def _address(fingerprint: str, series: Series) -> str:
    key = series.key
    return f"?{urlencode({'workload': fingerprint, 'provider': key.provider, 'instance_type': key.instance_type})}"


def _series_row(series: Series, fingerprint: str) -> dict[str, Any]:
    found = series.scaling
    usl = found.usl
    return {
        "key": series.key,
        "address": _address(fingerprint, series),
        "sizes": [size.point.node_count for size in series.sizes],
        "submissions": series.submissions,
        "efficiency": one_decimal(found.largest.efficiency),
        "linearity_r2": found.linearity_r2,
        "peak_nodes": usl and usl.peak_nodes,
        "has_law": usl is not None,
        "client_bound": found.client_bound,
    }


def _row(size: SizeFacts, place: int, series: Series) -> dict[str, Any]:
    found = series.scaling
    scaled, nodes = found.points[place], size.point.node_count
    key = series.key
    state = {"provider": key.provider, "instance_type": key.instance_type, "node_count": nodes}
    return {
        "size": size,
        "scaled": scaled,
        "efficiency": one_decimal(scaled.efficiency),
        "ideal": found.ideal(nodes),
        "law": found.usl and found.usl.throughput(nodes),
        "list_state": urlencode(state),
    }


def _figure(series: Series, others: list[Series]) -> Figure:
    found = series.scaling
    largest = found.largest.point.node_count
    smallest = found.points[0].point.node_count
    ideal = [(nodes, found.ideal(nodes)) for nodes in (smallest, largest)]
    shown = others[: MOST_CURVES - 1]
    return scaling_figure(_curve(series), ideal=ideal, law=_law(series), others=[_curve(one) for one in shown])


def _curve(series: Series) -> Curve:
    places = [(size.point.node_count, size.point.throughput_ops_s) for size in series.sizes]
    notes = [
        f"{series.key.name}: n = {size.point.n:,}, {one_decimal(scaled.efficiency)} as efficient as the smallest"
        for size, scaled in zip(series.sizes, series.scaling.points, strict=True)
    ]
    return Curve(series.key.name, places, notes)


def _law(series: Series) -> Law | None:
    found = series.scaling
    usl = found.usl
    if usl is None:
        return None
    largest, end = float(found.largest.point.node_count), shown_range(found)
    curve = law_curve(usl, end)
    measured = [place for place in curve if place[0] < largest]
    edge = (largest, usl.throughput(largest))
    beyond = [edge, *(place for place in curve if place[0] > largest)] if end > largest else []
    peak = usl.peak_nodes
    at = (peak, usl.throughput(peak)) if peak is not None and peak <= end else None
    return Law([*measured, edge], beyond, at)


def _caveats(series: Series, others: list[Series]) -> list[str]:
    found = series.scaling
    sizes = len(found.points)
    return [
        "Each point is the mean over the submissions of that size (n in the table).",
        f"Beside the nodes these differ in {', '.join(series.differs)}." if series.differs else "",
        f"The law has three parameters, fitted to {sizes} sizes: a rough guide." if found.usl and sizes < 6 else "",
        "The law's peak lies beyond the largest measured cluster: it is extrapolated."
        if found.is_peak_extrapolated
        else "",
        f"{len(others) - MOST_CURVES + 1} more series are in the table only." if len(others) >= MOST_CURVES else "",
    ]


def _left_out(counts: LeftOut) -> list[str]:
    reasons = (
        (counts.doubtful, "with a flag that puts the rate in doubt"),
        (counts.with_cache, "with a cache before the database: what a node does is unknown there"),
        (counts.mixed_machines, "of database nodes of several machine types"),
    )
    return [f"{significant(count, 9)} {reason}" for count, reason in reasons if count]
