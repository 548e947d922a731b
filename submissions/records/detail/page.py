"""The page of one submission, and the download of its raw files."""

from typing import Any

from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from submissions.formatting.chart_style import with_caveats
from submissions.metrics import LATENCIES
from submissions.models import Artifact
from submissions.pricing.reprice import repriced
from submissions.pricing.terms import RepriceForm
from submissions.records.curves import interval_window, percentile_curves
from submissions.records.curves.interval_chart import intervals_figure
from submissions.records.curves.interval_window import WindowForm
from submissions.records.curves.percentile_chart import percentile_figure
from submissions.records.curves.percentile_curves import ScaleForm
from submissions.records.detail.citation import bibtex
from submissions.records.detail.query import Dossier, dossier, load
from submissions.records.downloads import response_of


@require_safe
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    submission = load(pk)
    found = dossier(submission)
    reprice_form = RepriceForm(request.GET or None)
    scale_form = ScaleForm(request.GET)
    window_form = WindowForm(request.GET, [trial.end_s for trial in found.recorded])
    terms = reprice_form.requested if reprice_form.is_valid() else None
    address = request.build_absolute_uri(submission.get_absolute_url())
    context = {
        "dossier": found,
        "submission": submission,
        "latency_metrics": LATENCIES,
        "address": address,
        "bibtex": bibtex(submission, address),
        "reprice_form": reprice_form,
        "repriced": repriced(submission, terms) if terms else None,
        **_percentiles(found, scale_form),
        **_intervals(found, window_form),
    }
    is_bad = (reprice_form.is_bound and not reprice_form.is_valid()) or not scale_form.is_valid()
    status = 400 if is_bad or context["window_form"].errors else 200
    return render(request, "submissions/records/detail/page.html", context, status=status)


def _percentiles(found: Dossier, form: ScaleForm) -> dict[str, Any]:
    figure = percentile_figure(percentile_curves.lines(found.curves), is_log=form.is_log)
    return {
        "scale_form": form,
        "percentile_figure": figure if found.curves else None,
        "percentile_table": percentile_curves.table([(curve.name, curve.points) for curve in found.curves]),
    }


def _intervals(found: Dossier, form: WindowForm) -> dict[str, Any]:
    """The chart of the series, and what the viewer's window says."""
    asked = form.asked
    windowed = interval_window.windowed(found.recorded, found.submission.trials_count, asked) if asked else None
    if asked and windowed is None:
        form.add_error("start", interval_window.NO_WHOLE_INTERVAL)
        asked = None
    bounds = (asked.start_s, asked.end_s) if asked else None
    view = found.intervals
    figure = intervals_figure(view.series, bounds, has_brush=True) if view else None
    return {
        "figure": with_caveats(figure, view.caveats) if figure and view else None,
        "window_form": form,
        "window": asked,
        "windowed": windowed,
        "proposal": interval_window.proposal(found.recorded) if found.recorded else "",
    }


@require_safe
def download_artifact(request: HttpRequest, pk: int, artifact: int) -> FileResponse:
    """A raw file, byte for byte; never shown by the browser, whatever it holds."""
    return response_of(get_object_or_404(Artifact, pk=artifact, submission=pk))
