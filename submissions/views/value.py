"""Throughput per dollar within one workload, by cloud, instance, JDK or disk; the state is the address."""

import csv
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from submissions import charts, queries, value_queries, workload_choice
from submissions.choices import LatencyKind, PricingModel, Trust
from submissions.comparisons import system_name
from submissions.figures import significant
from submissions.ingest.document_types import MAX_LATENCY_MS
from submissions.value_queries import Counts, Group, GroupBy, Selection, Systems
from submissions.workload_choice import WorkloadChoice

MOST_BARS = 20
MILLION = 1_000_000
FORMATS = ("csv", "json")


class ValueForm(forms.Form):
    """Reads the address; the template writes the fields."""

    workload = forms.CharField(required=False, max_length=16)
    by = forms.ChoiceField(required=False, choices=GroupBy.pairs)
    basis = forms.ChoiceField(required=False, choices=PricingModel.pairs)
    trust = forms.ChoiceField(required=False, choices=Trust.pairs)
    latency_kind = forms.ChoiceField(required=False, choices=LatencyKind.pairs)
    max_p99_ms = forms.FloatField(required=False, min_value=0, max_value=MAX_LATENCY_MS)
    format = forms.ChoiceField(required=False, choices=[(name, name) for name in FORMATS])


@require_safe
def value(request: HttpRequest) -> HttpResponse:
    form = ValueForm(request.GET)
    if not form.is_valid():
        return render(request, "submissions/value.html", {"problems": form.errors}, status=400)
    asked = form.cleaned_data
    rows = value_queries.sound_rows()
    offered = workload_choice.choices(rows)
    chosen = workload_choice.chosen(asked["workload"], offered, rows)
    by = GroupBy(asked["by"] or GroupBy.PROVIDER)
    if chosen is None:
        return render(request, "submissions/value.html", {"by": by})
    selection = Selection(
        workload=chosen.fingerprint,
        basis=PricingModel(asked["basis"]) if asked["basis"] else None,
        trust=Trust(asked["trust"]) if asked["trust"] else None,
        max_p99_ms=asked["max_p99_ms"],
        latency_kind=LatencyKind(asked["latency_kind"]) if asked["latency_kind"] else None,
    )
    counts = value_queries.counts(selection)
    groups = value_queries.groups(selection, by, counts.latency_kind)
    if asked["format"] == "csv":
        return _csv(groups, by)
    systems = value_queries.systems(selection, counts.latency_kind)
    if asked["format"] == "json":
        return JsonResponse(_json(chosen, by, groups, systems))
    context = _context(chosen, by, selection, counts, groups, systems)
    workloads = workload_choice.with_chosen(offered, chosen)
    return render(request, "submissions/value.html", {**context, "workloads": workloads})


def _context(
    chosen: WorkloadChoice,
    by: GroupBy,
    selection: Selection,
    counts: Counts,
    groups: list[Group],
    systems: Systems,
) -> dict[str, Any]:
    state = {
        "workload": chosen.fingerprint,
        "by": by.value,
        "basis": selection.basis or "",
        "trust": selection.trust or "",
        "max_p99_ms": "" if selection.max_p99_ms is None else f"{selection.max_p99_ms:g}",
        "latency_kind": selection.latency_kind or "",
    }
    in_force = {name: given for name, given in state.items() if given}
    total = sum(group.n for group in groups)
    return {
        "chosen": chosen,
        "by": by,
        "by_label": _BY_LABELS[by],
        "state": state,
        "address": f"?{urlencode(in_force)}",
        "by_choices": [(choice.value, _BY_LABELS[choice]) for choice in GroupBy],
        "basis_choices": [(basis, basis.label, n) for basis, n in counts.by_basis.items()],
        "trust_choices": Trust.pairs,
        "kind_choices": LatencyKind.pairs,
        "counts": counts,
        "left_out": _left_out(selection, counts),
        "groups": groups,
        "systems": systems,
        "rows": systems.shown,
        "finding": _finding(by, groups, selection, counts.latency_kind),
        "total": total,
        "front_finding": _front_finding(systems, total),
        "bars": charts.value_bars([_bar(group) for group in groups[:MOST_BARS]]),
        "most_bars": MOST_BARS,
        "scatter": charts.value_scatter(queries.systems(systems.shown)),
    }


_BY_LABELS = {
    GroupBy.PROVIDER: "cloud",
    GroupBy.INSTANCE_TYPE: "instance type",
    GroupBy.JDK: "JDK",
    GroupBy.DISK: "disk",
}


def _finding(by: GroupBy, groups: list[Group], selection: Selection, kind: LatencyKind) -> str:
    if not groups:
        return "No priced submission of this workload is within these limits."
    best = groups[0]
    limit = ""
    if selection.max_p99_ms is not None:
        limit = f" with a p99 {kind.label} of at most {selection.max_p99_ms:g} ms"
    said = (
        f"{best.name} gives the most for the money{limit}: "
        f"{significant(best.best_ops_per_usd / MILLION)} million operations per dollar"
    )
    if len(groups) == 1:
        return f"{said}; it is the only {_BY_LABELS[by]} measured with this workload."
    ratio = best.best_ops_per_usd / groups[1].best_ops_per_usd
    return f"{said}, {significant(ratio)} times what {groups[1].name} gives."


def _front_finding(systems: Systems, total: int) -> str:
    if not systems.front:
        return ""
    if len(systems.front) == 1:
        only = systems.front[0]
        return f"One system beats all others in both cost and throughput: #{only.pk}, {system_name(only)}."
    return f"{len(systems.front)} of {total:,} systems are on the Pareto front: no other is both cheaper and faster."


def _left_out(selection: Selection, counts: Counts) -> list[str]:
    """What the p99 limit leaves out, each with its reason."""
    if selection.max_p99_ms is None:
        return []
    kind = counts.latency_kind.label
    reasons = (
        (counts.above_limit, f"above {selection.max_p99_ms:g} ms"),
        (counts.other_kind, f"with a latency that is not {kind}"),
        (counts.unknown_p99, "whose p99 is unknown"),
    )
    return [f"{count:,} {reason}" for count, reason in reasons if count]


def _bar(group: Group) -> charts.Bar:
    worst = float(group.worst_ops_per_usd) if group.n > 1 else None
    return charts.Bar(group.name.replace(" ", "\n", 1), float(group.best_ops_per_usd), worst, f"n = {group.n:,}")


def _csv(groups: list[Group], by: GroupBy) -> HttpResponse:
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="value-by-{by.value}.csv"'
    rows = [_group_values(group, by) for group in groups]
    writer = csv.DictWriter(response, fieldnames=_GROUP_FIELDS[by])
    writer.writeheader()
    writer.writerows({name: _safe_cell(cell) for name, cell in row.items()} for row in rows)
    return response


_NUMBERS = (
    "n",
    "best_ops_per_usd",
    "worst_ops_per_usd",
    "best_submission",
    "throughput_ops_s",
    "latency_p99_ms",
    "latency_kind",
    "hourly_usd",
    "price_date",
)
_GROUP_FIELDS = {by: (*by.columns, *_NUMBERS) for by in GroupBy}


def _group_values(group: Group, by: GroupBy) -> dict[str, Any]:
    best = group.best
    return {
        **{column: getattr(best, column) for column in by.columns},
        "n": group.n,
        "best_ops_per_usd": str(group.best_ops_per_usd),
        "worst_ops_per_usd": str(group.worst_ops_per_usd),
        "best_submission": best.pk,
        "throughput_ops_s": best.throughput_ops_s,
        "latency_p99_ms": best.latency_p99_ms,
        "latency_kind": best.latency_kind,
        "hourly_usd": str(best.hourly_usd),
        "price_date": best.price_date and best.price_date.isoformat(),
    }


def _safe_cell(cell: Any) -> Any:
    # a spreadsheet runs a text that begins like a formula
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in "=+-@\t\r" and cell else cell


def _json(chosen: WorkloadChoice, by: GroupBy, groups: list[Group], systems: Systems) -> dict[str, Any]:
    return {
        "workload": chosen.fingerprint,
        "workload_title": chosen.title,
        "by": by.value,
        "groups": [_group_values(group, by) for group in groups],
        "pareto_front": [
            {
                "submission": row.pk,
                "hourly_usd": str(row.hourly_usd),
                "throughput_ops_s": row.throughput_ops_s,
                "ops_per_usd": str(row.ops_per_usd),
            }
            for row in systems.front
        ],
    }
