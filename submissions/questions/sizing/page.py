"""How many nodes a throughput needs and what they cost a month; the address has the state."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect, QueryDict
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data, not_shared
from submissions.api.forms import BadParameter, redirect_to_api
from submissions.choices import LatencyKind, PricingModel
from submissions.formatting.charts import Chart, shareable
from submissions.formatting.names import system_name
from submissions.models.versions.data_version import Subject
from submissions.questions.boards.choice import WorkloadChoice, with_chosen
from submissions.questions.boards.counts import excluded_sentence
from submissions.questions.boards.trust_filter import CHOICES, Chip, chips, default_words
from submissions.questions.sizing import sentences
from submissions.questions.sizing.chart import MOST_BARS, bars_of, sizing_bars
from submissions.questions.sizing.form import SizingForm
from submissions.questions.sizing.query import Candidate, SizingResult, sized, sizing_result
from submissions.questions.sizing.target import Target, relative_bases, target_of
from submissions.records.cache import cached_of_workloads
from submissions.records.credits import credits_of

TEMPLATE = "submissions/questions/sizing/page.html"
ANSWER = "submissions/questions/sizing/_answer.html"
ONLY_SIZES = ("equal_to", "zones", "at", "replication_factor", "latency_kind")  # parameters that a recommendation lacks


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """As it is sent."""

    finding: str
    chips: list[Chip]
    default_trust: str  # what the selector calls the default
    html: SafeString
    charts: tuple[Chart, ...]  # described
    excluded: str
    unreachable: str
    api_address: str
    then_address: str
    today_address: str


def charts(params: QueryDict) -> Sequence[Chart]:
    """Those of the page with these parameters. Raises Http404 where they name something that does not exist."""
    form = SizingForm(params)
    if not form.is_valid():
        return ()
    try:
        return _charts(form, sizing_result(form.params))
    except BadParameter as error:
        if error.is_missing:
            raise Http404(str(error)) from error
        return ()


@shareable("Sizing for a target throughput", charts)
@from_data(*Subject, parameters=SizingForm.base_fields)
@require_safe
def size(request: HttpRequest) -> HttpResponse:
    if request.GET.get("format"):
        return redirect_to_api(request, "api:size")
    form = SizingForm(request.GET)
    if not form.is_valid():
        return render(request, TEMPLATE, {"problems": form.errors}, status=400)
    try:
        target = target_of(form.params)
    except BadParameter as error:
        return render(request, TEMPLATE, {"problems": error.problems}, status=404 if error.is_missing else 400)
    context = _form_context(form, target)
    if target.workload is None or target.throughput is None:
        trust_filter = SizingResult(form.params, target).trust_filter
        context |= {
            "chips": chips(trust_filter, partial(_address, form, target)),
            "default_trust": default_words(trust_filter),
        }
    else:
        answer = _cached_answer(request, form, target, target.workload.pk)
        context |= {"answer": answer, "charts": answer.charts, "chips": answer.chips}
        context["default_trust"] = answer.default_trust
    return render(request, TEMPLATE, context)


@shareable("Sizing for a target throughput", charts)
@not_shared("a redirect")
@require_safe
def moved(request: HttpRequest) -> HttpResponse:
    """The address that this page had: a recommendation, or all sizes where only they can answer."""
    if request.GET.get("format"):
        return redirect_to_api(request, "api:size")
    params = request.GET.copy()
    for name in [name for name, value in params.items() if not value]:
        del params[name]
    view = "submissions:size" if any(name in params for name in ONLY_SIZES) else "submissions:recommend"
    return HttpResponsePermanentRedirect(f"{reverse(view)}{'?' if params else ''}{params.urlencode()}")


def _cached_answer(request: HttpRequest, form: SizingForm, target: Target, workload: int) -> ShownAnswer:
    """While neither the workload nor the price book changes, on one day: today's prices have words of their own."""
    # without what is chosen from: that is of now
    of_workload = replace(target, offered=())
    key = ("size page", repr(form.params), request.get_full_path(), timezone.now().date())
    return cached_of_workloads(
        [workload], key, lambda: shown_answer(request, form, sized(form.params, of_workload)), subjects=[Subject.PRICES]
    )


def _charts(form: SizingForm, result: SizingResult) -> Sequence[Chart]:
    """None where no price is known."""
    bars = bars_of(result.candidates) if result.is_answered else []
    if not bars:
        return ()
    query = _address(form, result.target)
    caveats, credits = tuple(sentences.caveats(result)), credits_of(one.submission for one in result.candidates)
    return [Chart("size", sizing_bars(bars), sentences.finding(result), caveats, query, credits=credits)]


def _form_context(form: SizingForm, target: Target) -> dict[str, Any]:
    workload, offered = target.workload, target.offered
    chosen = None
    if workload is not None:
        unlisted = WorkloadChoice(workload.fingerprint, workload.title, None, workload.pk)
        chosen = next((choice for choice in offered if choice.fingerprint == workload.fingerprint), unlisted)
    return {
        "target": target,
        "chosen": chosen,
        "workloads": with_chosen(offered, chosen),
        "state": {name: form.data.get(name, "") for name in form.fields} | {"basis": form.cleaned_data["basis"]},
        "basis_choices": PricingModel.pairs(),
        "kind_choices": LatencyKind.pairs(),
        "trust_choices": CHOICES,
        "today": timezone.now().date(),
        "relative_bases": [(base, system_name(base)) for base in relative_bases()],
    }


def shown_answer(request: HttpRequest, form: SizingForm, result: SizingResult) -> ShownAnswer:
    address = _address(form, result.target)
    charts = _charts(form, result)
    context = {
        "request": request,
        "result": result,
        "target": result.target,
        "charts": charts,
        "rows": [_row(candidate) for candidate in result.shown],
        "candidates": len(result.candidates),
        "most_bars": MOST_BARS,
        "without_limits": _address(form, result.target, max_p99_ms=None, latency_kind="", trust=""),
    }
    return ShownAnswer(
        finding=sentences.finding(result),
        chips=chips(result.trust_filter, partial(_address, form, result.target)),
        default_trust=default_words(result.trust_filter),
        html=render_to_string(ANSWER, context),
        charts=tuple(chart.described for chart in charts),
        excluded=excluded_sentence(result.counts) if result.counts else "",
        unreachable=sentences.unreachable(result),
        api_address=f"{reverse('api:size')}{address}",
        then_address=_address(form, result.target, at=None),
        today_address=_address(form, result.target, at=timezone.now().date()),
    )


def _address(form: SizingForm, target: Target, **changes: object) -> str:
    if target.base is None and target.workload is not None:
        changes["workload"] = target.workload.fingerprint
    return form.address(**changes)


def _row(candidate: Candidate) -> dict[str, Any]:
    return {
        "candidate": candidate,
        "name": sentences.configuration(candidate),
        "measured": sentences.measured_sizes(candidate),
        "distance": sentences.distance(candidate),
    }
