"""What one fact costs; the address holds the state."""

from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from submissions.api.forms import BadParameter, redirect_to_api
from submissions.formatting.text import credits_line
from submissions.models import Submission
from submissions.models.versions.data_version import Subject
from submissions.questions.boards.trust_filter import CHOICES, chips, default_words
from submissions.questions.one_fact import sentences
from submissions.questions.one_fact.form import FACT_CHOICES, OneFactForm
from submissions.questions.one_fact.query import FactPair, OneFactResult, OwnBaselines, one_fact_of

TEMPLATE = "submissions/questions/one_fact/page.html"
_MOST_COMPARED = 6  # by the page of a comparison


@from_data(*Subject, parameters=OneFactForm.base_fields)
@require_safe
def one_fact(request: HttpRequest) -> HttpResponse:
    if request.GET.get("format") in ("csv", "json"):
        return redirect_to_api(request, "api:one-fact")
    form = OneFactForm(request.GET)
    if not form.is_valid():
        return render(request, TEMPLATE, {"problems": form.errors}, status=400)
    try:
        result = one_fact_of(form.cleaned_data)
    except BadParameter as error:
        raise Http404(error.detail) from error
    return render(request, TEMPLATE, _context(form, result))


def _context(form: OneFactForm, result: OneFactResult) -> dict[str, Any]:
    parameter = result.parameter
    values = [(parameter.token(value), parameter.words(value)) for value in result.values]
    query = form.address()
    api = f"{reverse('api:one-fact')}{query}"
    return {
        "result": result,
        "heading": sentences.heading(result),
        "finding": sentences.finding(result),
        "caveats": sentences.caveats(result),
        "credits": credits_line(result.credits),
        "notes": sentences.notes(result),
        "fact_choices": FACT_CHOICES,
        "value_choices": values,
        "baseline": parameter.token(result.baseline) if result.baseline else "",
        "variant": parameter.token(result.variant) if result.variant else "",
        "workload": form.cleaned_data["workload"],
        "trust_choices": CHOICES,
        "default_trust": default_words(result.trust_filter),
        "chips": chips(result.trust_filter, partial(form.address)),
        "pairs": [_pair_row(result, pair) for pair in result.pairs],
        "own_baselines": [_own_row(own) for own in result.own_baselines],
        "baseline_words": parameter.heading(result.baseline) if result.baseline else "",
        "variant_words": parameter.heading(result.variant) if result.variant else "",
        "json_address": api,
        "csv_address": f"{api}{'' if query == '?' else '&'}format=csv",
    }


def _pair_row(result: OneFactResult, pair: FactPair) -> dict[str, Any]:
    half = _MOST_COMPARED // 2
    shown = [row.submission for row in (*pair.baseline[:half], *pair.variant[:half])]
    return {
        "submission": pair.baseline[0].submission,
        "percent": sentences.signed_percent((pair.judgement.ratio - 1) * 100),
        "interval": sentences.interval_words(pair),
        "verdict": sentences.VERDICT_WORDS[pair.judgement.verdict],
        "n": sentences.pair_n(pair),
        "sentence": sentences.pair_sentence(result, pair),
        "address": _comparison(shown),
    }


def _own_row(own: OwnBaselines) -> dict[str, Any]:
    return {
        "name": ", ".join(own.headings),
        "at_baseline": sentences.signed_percent(own.baseline_percent),
        "at_variant": sentences.signed_percent(own.variant_percent),
        "cells": own.cells,
        "n": sentences.own_n(own),
    }


def _comparison(submissions: list[Submission]) -> str:
    return f"{reverse('submissions:compare')}?{urlencode([('s', submission.pk) for submission in submissions])}"
