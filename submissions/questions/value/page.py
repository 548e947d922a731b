"""Throughput per dollar within one workload, by cloud, instance, JDK or disk; the state is the address."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from submissions.analysis.ranking import MOST_RANKED, Standing
from submissions.choices import LatencyKind, PricingModel, Trust
from submissions.formatting.chart_style import with_caveats
from submissions.formatting.csv import csv_response
from submissions.ingest.document.types import MAX_LATENCY_MS
from submissions.metrics import OPS_PER_USD
from submissions.models import Submission
from submissions.pricing.terms import PriceDay, PriceDayForm
from submissions.questions.leaderboard import query as leaderboards
from submissions.questions.value import answer as value_answers
from submissions.questions.value import query as value_queries
from submissions.questions.value.chart import Bar, value_bars, value_scatter
from submissions.questions.value.front import chart_systems
from submissions.questions.value.query import Group, Selection, StoredValue, Systems, Valuation
from submissions.questions.value.repriced import RepricedValue
from submissions.questions.workload import choice as workload_choice
from submissions.questions.workload import leader as leading
from submissions.questions.workload.choice import WorkloadChoice
from submissions.questions.workload.grouping import OF_SYSTEMS, GroupBy
from submissions.records.caveats import of_measuring

MOST_BARS = 20
FORMATS = ("csv", "json")


class ValueForm(PriceDayForm):
    """Reads the address; the template writes the fields."""

    workload = forms.CharField(required=False, max_length=16)
    by = forms.ChoiceField(required=False, choices=[(by.value, by.label) for by in OF_SYSTEMS])
    trust = forms.ChoiceField(required=False, choices=Trust.pairs)
    latency_kind = forms.ChoiceField(required=False, choices=LatencyKind.pairs)
    max_p99_ms = forms.FloatField(required=False, min_value=0, max_value=MAX_LATENCY_MS)
    format = forms.ChoiceField(required=False, choices=[(name, name) for name in FORMATS])


@require_safe
def value(request: HttpRequest) -> HttpResponseBase:
    form = ValueForm(request.GET)
    if not form.is_valid():
        return render(request, "submissions/questions/value/page.html", {"problems": form.errors}, status=400)
    asked = form.cleaned_data
    prices = form.terms
    rows = value_queries.ranked_rows()
    offered = workload_choice.choices(rows)
    chosen = workload_choice.chosen(asked["workload"], offered, rows)
    by = GroupBy(asked["by"] or GroupBy.PROVIDER)
    if chosen is None:
        return render(request, "submissions/questions/value/page.html", {"by": by})
    selection = Selection(
        workload=chosen.fingerprint,
        prices=prices,
        trust=Trust(asked["trust"]) if asked["trust"] else None,
        max_p99_ms=asked["max_p99_ms"],
        latency_kind=LatencyKind(asked["latency_kind"]) if asked["latency_kind"] else None,
    )
    found: Valuation = StoredValue(selection) if prices.are_stored else RepricedValue(selection)
    groups = found.groups(by)
    standings = _standings(groups)
    if asked["format"] == "csv":
        lines = value_answers.rows(by, groups, standings)
        return csv_response(value_answers.columns(by), lines, f"value-by-{by.value}.csv")
    systems = found.systems()
    if asked["format"] == "json":
        return JsonResponse(value_answers.as_json(chosen, by, selection, found.counts, groups, standings, systems))
    context = _context(by, selection, found, groups, standings, systems)
    context |= _state(chosen, by, form, selection)
    workloads = workload_choice.with_chosen(offered, chosen)
    return render(request, "submissions/questions/value/page.html", {**context, "workloads": workloads})


def _standings(groups: Sequence[Group]) -> list[Standing]:
    """Of the best groups, with ties; three queries, two while the spread is kept, none for no group."""
    bests: dict[str, Submission] = {str(group.best.pk): group.best for group in groups[:MOST_RANKED]}
    if not bests:
        return []
    spread = leaderboards.spread_of(groups[0].best.workload_id, OPS_PER_USD, None)
    return leaderboards.stand(bests, OPS_PER_USD, spread)


def _state(chosen: WorkloadChoice, by: GroupBy, form: ValueForm, selection: Selection) -> dict[str, Any]:
    """The address again, and what its fields offer."""
    day = form.cleaned_data["prices_on"]
    state = {
        "workload": chosen.fingerprint,
        "by": by.value,
        "prices": form.chosen_day.value,
        "prices_on": day.isoformat() if day and form.chosen_day == PriceDay.ON else "",
        "basis": selection.prices.basis or "",
        "trust": selection.trust or "",
        "max_p99_ms": "" if selection.max_p99_ms is None else f"{selection.max_p99_ms:g}",
        "latency_kind": selection.latency_kind or "",
    }
    defaults = {"prices": PriceDay.THEN}
    in_force = {name: given for name, given in state.items() if given and given != defaults.get(name)}
    return {
        "chosen": chosen,
        "state": state,
        "address": f"?{urlencode(in_force)}",
        "today": timezone.now().date(),
        "by_choices": [(choice.value, choice.label) for choice in OF_SYSTEMS],
        "when_choices": PriceDay.pairs,
        "basis_choices": PricingModel.pairs,
        "trust_choices": Trust.pairs,
        "kind_choices": LatencyKind.pairs,
    }


def _context(
    by: GroupBy,
    selection: Selection,
    found: Valuation,
    groups: list[Group],
    standings: list[Standing],
    systems: Systems,
) -> dict[str, Any]:
    total = sum(group.n for group in groups)
    caveats = value_answers.caveats(selection, groups)
    ranks = {one.entry.key: one for one in standings}
    return {
        "by": by,
        "by_label": by.label,
        "prices": selection.prices,
        "counts": found.counts,
        "left_out": value_answers.left_out(selection, found.counts),
        "missing_prices": value_answers.missing_prices(found.counts),
        "groups": groups,
        "placed": [(group, ranks.get(str(group.best.pk))) for group in groups],
        "is_tied": leading.is_tied(standings),
        "most_ranked": MOST_RANKED,
        "systems": systems,
        "rows": systems.shown,
        "finding": value_answers.finding(by, groups, standings, selection),
        "total": total,
        "front_finding": value_answers.front_finding(systems, total),
        "bars": with_caveats(value_bars([_bar(group) for group in groups[:MOST_BARS]]), caveats),
        "most_bars": MOST_BARS,
        "scatter": with_caveats(
            value_scatter(chart_systems(systems.shown)), [*caveats[:1], *of_measuring(systems.shown)]
        ),
    }


def _bar(group: Group) -> Bar:
    worst = float(group.worst_ops_per_usd) if group.n > 1 else None
    return Bar(group.name.replace(" ", "\n", 1), float(group.best_ops_per_usd), worst, f"n = {group.n:,}")
