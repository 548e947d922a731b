"""Two to six results side by side; the address has their numbers: ?s=4&s=1."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from submissions.formatting.charts import Chart, shareable
from submissions.formatting.p99_words import shows_latency
from submissions.load_curves.chart import curves_figure
from submissions.load_curves.sentences import limit_words
from submissions.models import MAX_ID, Submission
from submissions.models.results.publication import is_public
from submissions.models.versions.data_version import Subject
from submissions.questions.compare.chart import bars_of, compare_bars, curve_marks
from submissions.questions.compare.form import FEWEST, MISSING, MOST, CompareForm, P99Form, SubmissionNumbers
from submissions.questions.compare.query import CompareResult, compare_submissions, load
from submissions.questions.compare.sentences import (
    chart_caveats,
    chart_label,
    curves_caveats,
    curves_label,
    finding,
    limit_note,
    workload_warning,
)
from submissions.records.ages import ages_of
from submissions.records.cache import cached_of_workload
from submissions.records.credits import credits_of
from submissions.records.curves import overlays
from submissions.records.curves.interval_chart import intervals_figure
from submissions.records.curves.interval_window import NO_WHOLE_INTERVAL, Window, WindowForm, WindowResult
from submissions.records.curves.overlays import CurvesOfKind, Overlay, Run
from submissions.records.curves.percentile_chart import percentile_figure
from submissions.records.curves.percentile_curves import ScaleForm
from submissions.records.unpublished import for_its_readers, link_address, link_keys

MOST_OFFERED = 60  # rows of the page that offers results to choose from
_DECIDE_TOO = (Subject.PAGES, Subject.PRICES)  # names of accounts, and by which prices ages are marked


@dataclass(frozen=True, slots=True)
class OverTime:
    """Percentile curves and interval series of the results that ran the workload of the first."""

    scale_form: ScaleForm
    curves: Sequence[CurvesOfKind]
    overlay: Overlay
    window_form: WindowForm
    window: Window | None
    windows: Sequence[tuple[Run, WindowResult | None]]

    @property
    def is_valid(self) -> bool:
        return self.scale_form.is_valid() and not self.window_form.errors


@dataclass(frozen=True, slots=True)
class ShownComparison:
    """As it is sent."""

    answer: SafeString
    numbers: tuple[int, ...]
    charts: tuple[Chart, ...]  # described
    has_brush: bool  # an interval of time can be chosen
    is_shared: bool
    status: int


def charts(params: QueryDict) -> Sequence[Chart]:
    """Those of the page with these parameters. Raises Http404 where a result does not exist."""
    form = CompareForm(params)
    if form.has_error("s", MISSING):
        raise Http404("One of these results does not exist.")
    if not form.is_valid() or not form.submissions:
        return ()
    result = compare_submissions(form.submissions, form.cleaned_data["max_p99_ms"], form.terms)
    return _charts(result, _over_time(params, result))


@shareable("Comparison of results", charts, parameters=["s", "with", "max_p99_ms", "scale", "from", "to", "currency"])
@from_data(*Subject, parameters=(*CompareForm.base_fields, "with", *ScaleForm.base_fields, "from", "to"))
@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    limit = P99Form(request.GET)
    if not limit.is_valid():
        return _choose(request, (), limit)
    workload = _workload_of_open(request.GET)
    if workload is not None:
        key = ("compare page", request.get_full_path(), timezone.now().date())
        return _response(request, cached_of_workload(workload, key, lambda: _of_open(request), subjects=_DECIDE_TOO))
    form = CompareForm(request.GET, user=request.user)
    if not form.is_valid():
        return _choose(request, form.submissions, form)
    if not form.submissions:
        return _choose(request, load(_preselected(request.GET), request.user, link_keys(request.GET)))
    if to_their_link := link_address(request, *form.submissions):
        return for_its_readers(redirect(to_their_link), *form.submissions)
    return for_its_readers(_response(request, _shown(request, form)), *form.submissions)


def _workload_of_open(params: QueryDict) -> int | None:
    """Of results that are open to all, and of one workload: their comparison is the same for all. One query."""
    try:
        numbers = SubmissionNumbers().clean(params.getlist("s"))
    except ValidationError:
        return None
    if not FEWEST <= len(numbers) <= MOST or max(numbers) > MAX_ID:
        return None
    rows = Submission.objects.filter(is_public(), pk__in=numbers, hidden_at=None, retracted_at=None)
    workloads = list(rows.values_list("workload_id", flat=True))
    return workloads[0] if len(workloads) == len(numbers) and len(set(workloads)) == 1 else None


def _of_open(request: HttpRequest) -> ShownComparison:
    """Raises Http404 where one was taken away at this moment."""
    form = CompareForm(request.GET)
    if not form.is_valid():
        raise Http404("One of these results does not exist.")
    return _shown(request, form)


def _response(request: HttpRequest, shown: ShownComparison) -> HttpResponse:
    context = {field.name: getattr(shown, field.name) for field in fields(shown)}
    return render(request, "submissions/questions/compare/page.html", context, status=shown.status)


def _shown(request: HttpRequest, form: CompareForm) -> ShownComparison:
    submissions = form.submissions
    result = compare_submissions(submissions, form.cleaned_data["max_p99_ms"], form.terms)
    over_time = _over_time(request.GET, result)
    context: dict[str, Any] = {
        "result": result,
        "findings": list(dict.fromkeys(finding(result.first, side, result.max_p99_ms) for side in result.others)),
        "limit_note": limit_note(result),
        "has_curves_chart": any(side.points for side in result.same_workload),
        "slo_words": limit_words(result.slo_limit) if result.slo_limit else "",
        "has_latency": any(shows_latency(side.submission) for side in result.sides),
        "workload_warning": workload_warning(result) if result.workload_differences else "",
        "over_time": over_time,
        "charts": _charts(result, over_time),
        "ages": ages_of(submissions, timezone.now().date()),
        "is_shared": all(submission.is_shared for submission in submissions),
        "json_addresses": [(side.name, _pair_address(result, side.submission)) for side in result.others],
    }
    return ShownComparison(
        answer=render_to_string("submissions/questions/compare/_answer.html", context, request),
        numbers=tuple(submission.pk for submission in submissions),
        charts=tuple(chart.described for chart in context["charts"]),
        has_brush=over_time.overlay.view is not None,
        is_shared=context["is_shared"],
        status=200 if over_time.is_valid else 400,
    )


def _pair_address(result: CompareResult, other: Submission) -> str:
    """Of the comparison in the API, with the keys of those that are unlisted."""
    first = result.first.submission
    limit = "" if result.max_p99_ms is None else f"&max_p99_ms={result.max_p99_ms:g}"
    return f"{reverse('api:compare')}?a={first.pk}&b={other.pk}{limit}{first.link_suffix}{other.link_suffix}"


def _preselected(params: QueryDict) -> list[int]:
    """?with=4: the result from whose page the visitor comes."""
    number = params.get("with", "")
    is_number = number.isascii() and number.isdigit() and len(number) <= len(str(MAX_ID))
    return [int(number)] if is_number and int(number) <= MAX_ID else []


def _choose(request: HttpRequest, chosen: Sequence[Submission], form: P99Form | None = None) -> HttpResponse:
    """The page to choose from: the results chosen already, and others, of the same workload where there are any."""
    with_rate = Submission.objects.with_rate().defer("document", "notes", "bill")
    offered = with_rate.select_related("workload").exclude(pk__in=[one.pk for one in chosen])
    if chosen:
        offered = offered.filter(workload=chosen[0].workload_id)
    context = {
        "problem": _problem(form) if form else "",
        "chosen": chosen,
        "offered": list(offered.order_by("-pk")[:MOST_OFFERED]),
    }
    status = 200 if form is None else 404 if form.has_error("s", MISSING) else 400
    return for_its_readers(
        render(request, "submissions/questions/compare/choose.html", context, status=status), *chosen
    )


def _problem(form: P99Form) -> str:
    (name, messages), *_ = form.errors.items()
    return str(messages[0]) if name == "s" else f"{form.fields[name].label}: {messages[0]}"


def _over_time(params: QueryDict, result: CompareResult) -> OverTime:
    """Two queries."""
    sides = result.same_workload if len(result.same_workload) >= FEWEST else ()
    # intervals of a load curve are those of its peak
    at_peak = [side for side in sides if not side.submission.shown_load]
    overlay = overlays.intervals([(f"#{side.submission.pk}", side.submission) for side in at_peak])
    window_form = WindowForm(params, overlay.ends_s)
    window = window_form.window
    windows = [(run, run.windowed(window)) for run in overlay.runs] if window else []
    if window and not any(windowed for _, windowed in windows):
        window_form.add_error("start", NO_WHOLE_INTERVAL)
        window = None
    return OverTime(
        scale_form=ScaleForm(params),
        curves=overlays.curves([(side.name, side.submission) for side in sides]),
        overlay=overlay,
        window_form=window_form,
        window=window,
        windows=windows,
    )


def _charts(result: CompareResult, over_time: OverTime) -> list[Chart]:
    sides = result.charted
    charts = []
    if sides:
        charts.append(
            Chart(
                "comparison",
                compare_bars(bars_of(sides)),
                chart_label(result),
                tuple(chart_caveats(sides)),
                subject=sides[0].submission.workload.title,
            )
        )
    curves_of_load = [side for side in result.same_workload if side.points]
    if curves_of_load and result.slo_limit:
        figure = curves_figure([(side.name, curve_marks(side)) for side in curves_of_load], result.slo_limit)
        charts.append(
            Chart("load-curves", figure, curves_label(curves_of_load, result.slo_limit), curves_caveats(curves_of_load))
        )
    charts += [
        Chart(
            curves.key,
            percentile_figure(curves.lines, is_log=over_time.scale_form.is_log),
            f"{curves.kind.label.capitalize()} by percentile",
        )
        for curves in over_time.curves
    ]
    view = over_time.overlay.view
    if view is not None:
        window = over_time.window
        bounds = (window.start_s, window.end_s) if window else None
        warm_up_s = max((end for _, end in over_time.overlay.warm_ups), default=0.0)
        figure = intervals_figure(view.series, bounds, has_brush=True, warm_up_s=warm_up_s)
        charts.append(Chart("overlay", figure, "Throughput and p99 latency over time", tuple(view.caveats)))
    credits = credits_of(side.submission for side in result.sides)
    return [replace(chart, credits=credits) for chart in charts]
