"""How many nodes a throughput needs and what they cost a month; the state is the address."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from submissions.choices import LatencyKind, PricingModel, Trust
from submissions.formatting.chart_style import Figure, with_caveats
from submissions.formatting.csv import csv_response
from submissions.ingest.document.types import MAX_LATENCY_MS, MAX_OPS_S
from submissions.questions.compare.query import system_name
from submissions.questions.sizing import answer as sizing_answers
from submissions.questions.sizing import form as sizing_question
from submissions.questions.sizing import query as sizing_queries
from submissions.questions.sizing.chart import Offer, sizing_bars
from submissions.questions.sizing.form import MOST_ZONES, Asker, BadQuestion
from submissions.questions.sizing.query import Answer, Candidate, Question
from submissions.questions.sizing.sentences import (
    beyond_words,
    caveats,
    configuration,
    finding,
    left_out,
    measured_words,
)
from submissions.questions.workload.choice import WorkloadChoice, with_chosen

FORMATS = ("csv", "json")
MOST_BARS = 20
MAX_ID = 2**63 - 1
LEAST_TARGET = 1e-6
TEMPLATE = "submissions/questions/sizing/page.html"


class SizeForm(forms.Form):
    """Reads the address; the template writes the fields."""

    target_ops_s = forms.FloatField(required=False, min_value=LEAST_TARGET, max_value=MAX_OPS_S)
    equal_to = forms.IntegerField(required=False, min_value=1, max_value=MAX_ID)
    workload = forms.CharField(required=False, max_length=16)
    max_p99_ms = forms.FloatField(required=False, min_value=0, max_value=MAX_LATENCY_MS)
    latency_kind = forms.ChoiceField(required=False, choices=LatencyKind.pairs)
    replication_factor = forms.IntegerField(required=False, min_value=1, max_value=10_000)
    zones = forms.IntegerField(required=False, min_value=1, max_value=MOST_ZONES)
    basis = forms.ChoiceField(required=False, choices=PricingModel.pairs)
    at = forms.DateField(required=False)
    trust = forms.ChoiceField(required=False, choices=Trust.pairs)
    format = forms.ChoiceField(required=False, choices=[(name, name) for name in FORMATS])


@require_safe
def size(request: HttpRequest) -> HttpResponse:
    form = SizeForm(request.GET)
    if not form.is_valid():
        return render(request, TEMPLATE, {"problems": form.errors}, status=400)
    asked = form.cleaned_data
    asker = Asker(asked)
    try:
        question = asker.question()
    except BadQuestion as error:
        problems = {error.parameter: [error.detail]}
        return render(request, TEMPLATE, {"problems": problems}, status=404 if error.is_missing else 400)
    if question is None:
        return render(request, TEMPLATE, _form_context(asked, asker))
    answer = sizing_queries.answer(question)
    if asked["format"] == "json":
        return JsonResponse(sizing_answers.as_json(question, answer))
    if asked["format"] == "csv":
        return _csv(question, answer)
    return render(request, TEMPLATE, {**_form_context(asked, asker), **_context(asked, question, answer)})


def _form_context(asked: Mapping[str, Any], asker: Asker) -> dict[str, Any]:
    workload = asker.chosen
    offered = asker.offered
    chosen = workload and next(
        (one for one in offered if one.fingerprint == workload.fingerprint),
        WorkloadChoice(workload.fingerprint, workload.title, 0),
    )
    return {
        "chosen": chosen,
        "workloads": with_chosen(offered, chosen),
        "replication_factor": workload and workload.canonical.get("replication_factor"),
        "state": _state(asked),
        "basis_choices": PricingModel.pairs(),
        "kind_choices": LatencyKind.pairs(),
        "trust_choices": Trust.pairs(),
        "relative_bases": [(base, system_name(base)) for base in sizing_question.relative_bases()],
    }


def _state(asked: Mapping[str, Any]) -> dict[str, Any]:
    """What the address says, as the fields show it."""
    return {
        "target_ops_s": "" if asked["target_ops_s"] is None else f"{asked['target_ops_s']:.12g}",
        "equal_to": asked["equal_to"] or "",
        "workload": asked["workload"],
        "max_p99_ms": "" if asked["max_p99_ms"] is None else f"{asked['max_p99_ms']:g}",
        "latency_kind": asked["latency_kind"],
        "replication_factor": asked["replication_factor"] or "",
        "zones": asked["zones"] or "",
        "basis": asked["basis"],
        "at": asked["at"].isoformat() if asked["at"] else "",
        "trust": asked["trust"],
    }


def _context(asked: Mapping[str, Any], question: Question, answer: Answer) -> dict[str, Any]:
    state = {name: value for name, value in _state(asked).items() if value != ""}
    if question.base is None:
        state["workload"] = question.workload.fingerprint
    today = timezone.now().date().isoformat()
    shown = answer.candidates[: sizing_answers.MOST_CANDIDATES]
    return {
        "question": question,
        "answer": answer,
        "finding": finding(question, answer),
        "rows": [_row(one, question, answer) for one in shown],
        "figure": _figure(shown, question, answer),
        "most_bars": MOST_BARS,
        "left_out": left_out(question, answer),
        "address": f"?{urlencode(state)}",
        "api_address": f"{reverse('api:size')}?{urlencode(state)}",
        "then_address": f"?{urlencode({name: value for name, value in state.items() if name != 'at'})}",
        "today_address": f"?{urlencode({**state, 'at': today})}",
    }


def _row(one: Candidate, question: Question, answer: Answer) -> dict[str, Any]:
    return {
        "one": one,
        "name": configuration(one),
        "measured": measured_words(one),
        "beyond": beyond_words(one),
        "nodes_per_zone": sizing_answers.nodes_per_zone(one, question),
        "tb_per_zone": sizing_answers.tb_per_zone(one, question),
        "share": answer.share_of_base(one),
    }


def _figure(shown: tuple[Candidate, ...], question: Question, answer: Answer) -> Figure | None:
    """None where no price is known."""
    offers = [_offer(one) for one in shown if one.cost.monthly_usd is not None][:MOST_BARS]
    return with_caveats(sizing_bars(offers), caveats(question, answer)) if offers else None


def _offer(one: Candidate) -> Offer:
    assert one.cost.monthly_usd is not None  # noqa: S101 - only priced ones are drawn
    note = "as measured" if one.is_base else "extrapolated" if one.is_extrapolated else one.submission.provider
    caches = sum(count for count, _ in one.caches)
    nodes = f"{one.node_count:,} x {one.submission.instance_type}" + (f" + {caches:,} cache" if caches else "")
    name = f"{nodes}\n{note}, #{one.submission.pk}"
    return Offer(
        name=name,
        provider=one.submission.provider,
        usd_per_month=one.cost.monthly_usd,
        is_extrapolated=one.is_extrapolated,
        url=one.submission.get_absolute_url(),
    )


def _csv(question: Question, answer: Answer) -> HttpResponse:
    rows = [sizing_answers.as_row(one, question, answer) for one in answer.candidates[: sizing_answers.MOST_CANDIDATES]]
    for row in rows:
        row["cache"] = [f"{cache['node_count']} x {cache['instance_type']}" for cache in row["cache"]]
    columns = sizing_answers.CSV_COLUMNS
    return csv_response(columns, [[row[column] for column in columns] for row in rows], filename="size.csv")
