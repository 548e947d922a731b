"""The page of one submission, and the download of its raw files."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data, not_shared
from submissions.choices import is_off_money_boards
from submissions.formatting.charts import Chart, Preview, shareable
from submissions.formatting.numbers import compact, value_in_millions, value_unit
from submissions.formatting.text import moment
from submissions.load_curves.form import LimitForm, limit_of_query
from submissions.metrics import LATENCIES
from submissions.models import PUBLICATION_FIELDS, Artifact, Submission
from submissions.models.versions.data_version import Subject
from submissions.pricing.reprice import at_reader_prices, repriced
from submissions.pricing.terms import RepriceForm
from submissions.records.ages import ages_of_stored
from submissions.records.caveats import of_bursting, of_clients
from submissions.records.credits import credits_of
from submissions.records.curves.interval_chart import intervals_figure
from submissions.records.curves.interval_window import (
    ChosenWindow,
    WindowForm,
    choose_window,
    warm_up_proposal,
    warm_up_s,
)
from submissions.records.curves.percentile_chart import percentile_figure
from submissions.records.curves.percentile_curves import ScaleForm, curve_lines, curve_table
from submissions.records.detail import sentences
from submissions.records.detail.citation import bibtex, citation
from submissions.records.detail.linked_data import linked_data
from submissions.records.detail.load_curve import LoadCurve, load_curve
from submissions.records.detail.query import SubmissionDetail, load_submission, moderation_of, submission_detail
from submissions.records.detail.rows import successor_for
from submissions.records.downloads import response_of
from submissions.records.missing import may_be_added_until, missing_facts
from submissions.records.unpublished import for_its_readers, link_address, link_keys


def charts(params: QueryDict, pk: int) -> Sequence[Chart]:
    """Those of the page with these parameters. Raises Http404 where there is no such submission."""
    shown = submission_detail(load_submission(pk, keys=link_keys(params)), LimitForm(limit_of_query(params)))
    return _charts(shown, ScaleForm(params), _window(shown, params))


def preview(params: QueryDict, pk: int) -> Preview:
    """With its chart where it has no figure that counts, as one that was held to a rate. Raises Http404 as `charts`."""
    submission = load_submission(pk, keys=link_keys(params))
    own = _preview(submission, load_curve(submission) if submission.document.get("slo") else None)
    drawn = () if own.key_figure or submission.retracted_at else charts(params, pk)
    return replace(own, chart=drawn[0]) if drawn else own


@shareable("Result", charts, preview=preview, parameters=())
@from_data(
    *Subject, parameters=(*LimitForm.base_fields, *RepriceForm.base_fields, *ScaleForm.base_fields, "from", "to")
)
@require_safe
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    submission = load_submission(pk, request.user, link_keys(request.GET))
    if to_its_link := link_address(request, submission):
        return for_its_readers(redirect(to_its_link), submission)
    listed = copy(submission)  # with the stored prices, which are what others cite
    limit_form = LimitForm(limit_of_query(request.GET))
    reprice_form = RepriceForm(request.GET or None)
    terms = reprice_form.requested if reprice_form.is_valid() else None
    if terms:
        at_reader_prices([submission], terms)
    shown = submission_detail(submission, limit_form)
    if terms:
        at_reader_prices(shown.peers, terms)
    scale_form = ScaleForm(request.GET)
    chosen = _window(shown, request.GET)
    address = request.build_absolute_uri(request.path)  # the permanent one, without a key
    context = {
        "detail": shown,
        "submission": submission,
        "preview": _preview(submission, shown.load_curve),
        "linked_data": linked_data(listed, shown.artifacts),
        "finding": sentences.finding(submission, shown.load_curve),
        "age": ages_of_stored([listed], timezone.now().date())[submission.pk],
        "notes": [*filter(None, (of_clients([submission]), of_bursting([submission])))],
        "date_note": sentences.date_note(submission),
        "bill_note": sentences.bill_note(submission, shown.bill),
        "agreement": sentences.agreement(shown.agreeing_accounts),
        "description": sentences.description(submission),
        "moderation": sentences.moderation(submission, moderation_of(submission), timezone.now()),
        "latency_metrics": LATENCIES,
        "address": address,
        "bibtex": bibtex(submission, address),
        "citation": citation(submission, address),
        "reprice_form": reprice_form,
        "repriced": repriced(submission, terms) if terms else None,
        "charts": _charts(shown, scale_form, chosen),
        "scale_form": scale_form,
        "limit_form": limit_form,
        "percentile_table": curve_table([(curve.name, curve.points) for curve in shown.curves]),
        **_window_context(shown, chosen),
        **_readers_context(request, submission),
    }
    is_bad = any(form.is_bound and not form.is_valid() for form in (reprice_form, scale_form, limit_form))
    status = 400 if is_bad or chosen.form.errors else 200
    response = render(request, "submissions/records/detail/page.html", context, status=status)
    return for_its_readers(response, submission)


def _preview(submission: Submission, curve: LoadCurve | None) -> Preview:
    """With its value, else its rate: neither where a flag or a retraction says that they do not count."""
    title, figure = f"#{submission.pk} {submission.title or 'Untitled'}", None
    if submission.retracted_at is not None:
        title = f"Retracted: {title}"
    elif submission.is_excluded or submission.throughput_ops_s is None:
        pass
    elif curve and curve.is_of_search:  # the peak is not what it was measured for
        figure = (compact(curve.answer.throughput_ops_s), "ops/s") if curve.answer else None
    elif submission.ops_per_usd is None or is_off_money_boards(submission.flags, submission.trust):
        figure = compact(submission.throughput_ops_s), "ops/s"
    else:
        figure = value_in_millions(submission.ops_per_usd), value_unit()
    return Preview(title, sentences.finding(submission, curve), key_figure=figure, credits=credits_of([submission]))


def _charts(shown: SubmissionDetail, scale: ScaleForm, chosen: ChosenWindow) -> Sequence[Chart]:
    found = []
    if shown.load_curve and shown.load_curve.has_chart:
        found.append(shown.load_curve.chart(f"result #{shown.submission.pk}"))
    if shown.curves:
        figure = percentile_figure(curve_lines(shown.curves), is_log=scale.is_log)
        found.append(Chart("percentile-curve", figure, sentences.percentile_label(shown.submission)))
    if shown.intervals:
        intervals = shown.intervals
        figure = intervals_figure(
            intervals.series,
            chosen.bounds,
            has_brush=True,
            activity=intervals.activity,
            warm_up_s=warm_up_s(shown.warm_up),
        )
        label = sentences.over_time_label(shown.submission)
        found.append(Chart("intervals-chart", figure, label, intervals.caveats))
    credits = credits_of([shown.submission])
    return [replace(chart, credits=credits) for chart in (*found, *(profile.chart for profile in shown.profiles))]


def _window(shown: SubmissionDetail, params: QueryDict) -> ChosenWindow:
    form = WindowForm(params, [trial.end_s for trial in shown.recorded])
    return choose_window(form, shown.recorded, shown.submission.trials_count)


def _readers_context(request: HttpRequest, submission: Submission) -> dict[str, Any]:
    """Its successor and predecessor, as far as this reader may know of them."""
    older = None
    if submission.supersedes_id:
        visible = Submission.objects.visible_to(request.user).only(*PUBLICATION_FIELDS)
        older = visible.filter(pk=submission.supersedes_id).first()
    return {
        "superseded_by": successor_for(request.user, submission.pk),
        "supersedes": older,
        "is_owner": request.user.is_authenticated and submission.submitted_by_id == request.user.pk,
        "is_open": submission.is_open,
        "missing": missing_facts(submission),
        "missing_until": moment(until) if (until := may_be_added_until(submission)) else "",
        "is_shared": submission.is_shared,
        "secret_link": request.build_absolute_uri(submission.get_absolute_url()) if submission.link_query else "",
    }


def _window_context(shown: SubmissionDetail, chosen: ChosenWindow) -> dict[str, Any]:
    return {
        "window_form": chosen.form,
        "window": chosen.window,
        "windowed": chosen.result,
        "proposal": warm_up_proposal(shown.warm_up) if shown.warm_up else "",
    }


@not_shared("a file is streamed")
@require_safe
def download_artifact(request: HttpRequest, pk: int, artifact: int) -> HttpResponseBase:
    """A raw file, byte for byte; never shown by the browser, whatever it holds."""
    rows = Submission.objects.by_link(request.user, link_keys(request.GET)).only(*PUBLICATION_FIELDS)
    submission = get_object_or_404(rows, pk=pk)
    return for_its_readers(
        response_of(get_object_or_404(Artifact, pk=artifact, submission=submission), request), submission
    )
