"""Throughput against the number of nodes within one workload; the address has the state."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from submissions.api.forms import BadParameter, redirect_to_api
from submissions.choices import LatencyKind
from submissions.formatting.charts import Chart, shareable
from submissions.models.versions.data_version import Subject
from submissions.questions.boards.choice import WorkloadChoice, with_chosen
from submissions.questions.boards.counts import excluded_sentence
from submissions.questions.boards.trust_filter import CHOICES, chips, default_words, trust_filter_of_all
from submissions.questions.scaling import sentences
from submissions.questions.scaling.chart import MOST_CURVES, most_sizes, series_figure
from submissions.questions.scaling.form import ScalingForm
from submissions.questions.scaling.query import (
    ScalingResult,
    ScalingWorkload,
    Series,
    scaling_result,
    scaling_workload,
    series_result,
)
from submissions.records.cache import cached_of_workload

TEMPLATE = "submissions/questions/scaling/page.html"
FINDING = "submissions/questions/scaling/_finding.html"
ANSWER = "submissions/questions/scaling/_answer.html"


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """As it is sent."""

    finding: SafeString
    html: SafeString
    charts: tuple[Chart, ...]  # described
    default_trust: str  # what the selector calls the default


def charts(params: QueryDict) -> Sequence[Chart]:
    """Those of the page with these parameters. Raises Http404 where they name something that does not exist."""
    form = ScalingForm(params)
    if not form.is_valid():
        return ()
    try:
        return _charts(form, scaling_result(form.params))
    except BadParameter as error:
        raise Http404(str(error)) from error


@shareable("Scaling with the number of nodes", charts, parameters=ScalingForm.base_fields)
@from_data(*Subject, parameters=ScalingForm.base_fields)
@require_safe
def scaling(request: HttpRequest) -> HttpResponse:
    if request.GET.get("format"):
        return redirect_to_api(request, "api:scaling")
    form = ScalingForm(request.GET)
    if not form.is_valid():
        return render(request, TEMPLATE, {"problems": form.errors}, status=400)
    try:
        asked = scaling_workload(form.params)
        workload = asked.workload
        if workload is None:
            return render(request, TEMPLATE, {"chips": chips(trust_filter_of_all(form.params.trust), form.address)})
        answer = _cached_answer(request, form, asked, workload)
    except BadParameter as error:
        return render(request, TEMPLATE, {"problems": error.problems}, status=404)
    context = {
        "answer": answer,
        "charts": answer.charts,
        "chosen": workload,
        "workloads": with_chosen(asked.offered, workload),
        "state": form.cleaned_data,
        "kind_choices": LatencyKind.pairs(),
        "trust_choices": CHOICES,
        "default_trust": answer.default_trust,
    }
    return render(request, TEMPLATE, context)


def _cached_answer(
    request: HttpRequest, form: ScalingForm, asked: ScalingWorkload, workload: WorkloadChoice
) -> ShownAnswer:
    """Without what is chosen from, which is of now. Raises BadParameter."""
    key = ("scaling page", workload.fingerprint, request.get_full_path(), timezone.now().date())
    of_workload = replace(asked, offered=())
    return cached_of_workload(
        workload.pk, key, lambda: shown_answer(request, form, workload, series_result(form.params, of_workload))
    )


def shown_answer(
    request: HttpRequest, form: ScalingForm, workload: WorkloadChoice, result: ScalingResult
) -> ShownAnswer:
    charts = _charts(form, result)
    context = {
        "result": result,
        "chosen": workload,
        "charts": charts,
        "limit_note": sentences.limit_note(result),
        "excluded": excluded_sentence(result.counts) if result.counts else "",
        "chips": chips(result.trust_filter, partial(_workload_address, form, workload.fingerprint)),
        **(_series_context(form, result, result.chosen) if result.chosen else {}),
    }
    return ShownAnswer(
        finding=render_to_string(FINDING, context),
        html=render_to_string(ANSWER, context, request),
        charts=tuple(chart.described for chart in charts),
        default_trust=default_words(result.trust_filter),
    )


def _charts(form: ScalingForm, result: ScalingResult) -> Sequence[Chart]:
    series = result.chosen
    if series is None:
        return ()
    most = most_sizes(result)
    figure = series_figure(series, result.others, most)
    caveats = sentences.caveats(result, MOST_CURVES, most)
    subject = result.workload.title if result.workload else ""
    address = _address(form, result, series)
    finding = sentences.finding(series)
    return [Chart("scaling", figure, finding, caveats, address, subject=subject, credits=result.credits)]


def _series_context(form: ScalingForm, result: ScalingResult, series: Series) -> dict[str, Any]:
    return {
        "series": series,
        "finding": sentences.finding(series),
        "linearity": sentences.linearity(series.scaling),
        "law": sentences.law(series.scaling),
        "client_limit": sentences.client_limit(series.scaling),
        "points": [(point, sentences.one_decimal(point.scaled.efficiency)) for point in series.points],
        "all_series": [
            (one, _address(form, result, one), sentences.one_decimal(one.scaling.largest.efficiency))
            for one in result.series
        ],
        "api_address": f"{reverse('api:scaling')}{_address(form, result, series)}",
    }


def _workload_address(form: ScalingForm, workload: str, **changes: object) -> str:
    """Another trust filter may have other series."""
    return form.address(workload=workload, provider="", instance_type="", **changes)


def _address(form: ScalingForm, result: ScalingResult, series: Series) -> str:
    return form.address(
        workload=result.workload and result.workload.fingerprint,
        provider=series.key.provider,
        instance_type=series.key.instance_type,
    )
