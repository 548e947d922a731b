"""Percent difference of a variant against a baseline over two parameters; the state is the address."""

import csv
from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from submissions.formatting.csv import cell as safe_cell
from submissions.models import Workload
from submissions.questions.grid import answer as grid_export
from submissions.questions.grid import query as grid_queries
from submissions.questions.grid import view as grid_page
from submissions.questions.grid.parameters import AXES, USUAL, VARIED, Layout, Value
from submissions.questions.grid.query import Choice, Family
from submissions.questions.grid.view import Shown

FORMATS = ("csv", "json")
_AXIS_CHOICES = [(key, parameter.label) for key, parameter in AXES.items()]


class GridForm(forms.Form):
    """Reads the address; the template writes the fields."""

    vary = forms.ChoiceField(required=False, choices=[(key, one.label) for key, one in VARIED.items()])
    baseline = forms.CharField(required=False, max_length=200)
    variant = forms.CharField(required=False, max_length=200)
    rows = forms.ChoiceField(required=False, choices=_AXIS_CHOICES)
    subrows = forms.ChoiceField(required=False, choices=[("none", "nothing more"), *_AXIS_CHOICES])
    columns = forms.ChoiceField(required=False, choices=_AXIS_CHOICES)
    workload = forms.CharField(required=False, max_length=16)
    format = forms.ChoiceField(required=False, choices=[(name, name) for name in FORMATS])

    def clean(self) -> dict[str, Any]:
        asked = dict(self.cleaned_data)
        seen: dict[str, str] = {}
        for field in ("vary", "rows", "subrows", "columns"):
            key = asked.get(field)
            if key in seen:
                self.add_error(field, f"{AXES[key].label} is what {_ROLES[seen[key]]} already.")
            elif key and key != "none":
                seen[key] = field
        return asked


_ROLES = {"vary": "is varied", "rows": "the rows are", "subrows": "divides the rows", "columns": "the columns are"}


@require_safe
def grid(request: HttpRequest) -> HttpResponse:
    form = GridForm(request.GET)
    if not form.is_valid():
        return render(request, "submissions/questions/grid/page.html", {"problems": form.errors}, status=400)
    asked = form.cleaned_data
    layout = _layout(asked)
    families = grid_queries.families(layout)
    family = _family(asked["workload"], families)
    choice = _choice(layout, family, asked) if family else None
    if family is None or choice is None:
        return render(request, "submissions/questions/grid/page.html", grid_page.empty(layout, families, family))
    shown = grid_page.shown(
        choice, grid_queries.sides(layout, family, choice.baseline, choice.variant), _address(choice)
    )
    if asked["format"] == "csv":
        return _csv(shown)
    if asked["format"] == "json":
        return JsonResponse(grid_export.json(shown))
    return render(request, "submissions/questions/grid/page.html", grid_page.context(shown, families))


def _layout(asked: Mapping[str, str]) -> Layout:
    """What the address leaves open is as usual for what is varied, where it is not taken already."""
    usual = USUAL[asked["vary"]] if asked["vary"] else _usual_for(asked)
    taken = {usual.varied.key, asked["rows"], asked["columns"], asked["subrows"]}
    free = [one for one in (*usual.rows, usual.columns, *AXES.values()) if one.key not in taken]
    rows = AXES[asked["rows"]] if asked["rows"] else usual.rows[0] if usual.rows[0] in free else free[0]
    free = [one for one in (usual.columns, *free) if one != rows and one.key not in taken]
    columns = AXES[asked["columns"]] if asked["columns"] else free[0]
    return Layout(usual.varied, (rows, *_subrows(asked, usual, (rows, columns))), columns)


def _usual_for(asked: Mapping[str, str]) -> Layout:
    usual = grid_queries.usual_layout()
    taken = {asked["rows"], asked["columns"], asked["subrows"]}
    return usual if usual.varied.key not in taken else next(one for key, one in USUAL.items() if key not in taken)


def _subrows(asked: Mapping[str, str], usual: Layout, taken: tuple[Any, ...]) -> tuple[Any, ...]:
    if asked["subrows"]:
        return () if asked["subrows"] == "none" else (AXES[asked["subrows"]],)
    # rows that somebody chose are not divided by what they did not choose
    return () if asked["rows"] or asked["columns"] else tuple(one for one in usual.rows[1:] if one not in taken)


def _family(fingerprint: str, families: list[Family]) -> Family | None:
    if not fingerprint:
        return families[0] if families else None
    for family in families:
        if fingerprint in family.fingerprints:
            return family
    if not Workload.objects.filter(fingerprint=fingerprint).exists():
        raise Http404("There is no such workload.")
    return None


def _choice(layout: Layout, family: Family, asked: Mapping[str, str]) -> Choice | None:
    by_token = {layout.varied.token(value): value for value in family.values}
    wanted = {name: by_token.get(asked[name]) for name in ("baseline", "variant")}
    unknown = tuple(asked[name] for name in wanted if asked[name] and wanted[name] is None)
    pair = _pair(family, wanted["baseline"], wanted["variant"])
    return pair and Choice(layout, family, *pair, unknown)


def _pair(family: Family, baseline: Value | None, variant: Value | None) -> tuple[Value, Value] | None:
    if baseline is not None and variant is not None and baseline != variant:
        return baseline, variant  # as asked, even if no cell has both
    if baseline == variant:
        variant = None
    return family.best_pair(baseline, variant)


def _address(choice: Choice) -> str:
    return f"?{urlencode(grid_page.state(choice))}"


def _csv(shown: Shown) -> HttpResponse:
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="grid.csv"'
    rows = grid_export.records(shown)
    writer = csv.DictWriter(response, fieldnames=grid_export.fields(shown.choice.layout))
    writer.writeheader()
    writer.writerows({name: safe_cell(value) for name, value in row.items()} for row in rows)
    return response
