"""The parameters of a grid, and what they mean: what is left open is chosen so that the grid is full."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms

from submissions.api.forms import BadParameter, QuestionForm
from submissions.choices import Trust
from submissions.models import Workload
from submissions.questions.boards.trust_filter import trust_field, trust_of
from submissions.questions.grid.families import Family, FamilyChoice, Pair
from submissions.questions.grid.offered import Offered, default_layout, families
from submissions.questions.grid.parameters import (
    AXES,
    DEFAULT_LAYOUTS,
    NO_SUBROWS,
    VARIED,
    FactValue,
    Layout,
    Parameter,
)
from submissions.questions.grid.query import GridChoice

FORMATS = ("csv", "json")
AXIS_CHOICES = [(key, parameter.fact.label) for key, parameter in AXES.items()]
VARIED_CHOICES = [(key, parameter.fact.label) for key, parameter in VARIED.items()]
SUBROW_CHOICES = [(NO_SUBROWS, "nothing else"), *AXIS_CHOICES]

_USED_FOR = {
    "vary": "what is varied",
    "rows": "the rows",
    "subrows": "the second row parameter",
    "columns": "the columns",
}


class GridForm(QuestionForm):
    """A parameter that is missing is chosen by `grid_question`."""

    vary = forms.ChoiceField(
        required=False, choices=VARIED_CHOICES, help_text="The fact in which baseline and variant differ"
    )
    baseline = forms.CharField(required=False, max_length=200, help_text="Its value on the baseline side")
    variant = forms.CharField(required=False, max_length=200, help_text="Its value on the variant side")
    rows = forms.ChoiceField(required=False, choices=AXIS_CHOICES, help_text="The fact of the rows")
    subrows = forms.ChoiceField(required=False, choices=SUBROW_CHOICES, help_text="A second fact that divides the rows")
    columns = forms.ChoiceField(required=False, choices=AXIS_CHOICES, help_text="The fact of the columns")
    workload = forms.CharField(
        required=False,
        max_length=16,
        help_text=(
            "Fingerprint: the workloads that are the same as this one apart from rows and columns; without it the "
            "newest with raw logs (several machine types before one), else those with the most cells"
        ),
    )
    trust = trust_field()
    format = forms.ChoiceField(required=False, choices=[(name, name) for name in FORMATS])

    def clean(self) -> dict[str, Any]:
        params = super().clean()
        used: dict[str, str] = {}
        for field in _USED_FOR:
            key = params.get(field)
            if key in used:
                self.add_error(field, f"{AXES[key].fact.label} is already used for {_USED_FOR[used[key]]}.")
            elif key and key != NO_SUBROWS:
                used[key] = field
        return params


@dataclass(frozen=True, slots=True)
class GridQuestion:
    """What is asked, with every choice made.

    `family` is None where the named workload cannot be in such a grid, or there is no workload at all;
    `choice` is None where no two values can be compared.
    """

    layout: Layout
    families: Sequence[FamilyChoice]
    family: Family | None
    choice: GridChoice | None
    trust: Trust | None = None  # the trust filter; None: the default


@dataclass(frozen=True, slots=True)
class GridLayout:
    """What can be chosen from, before a family is read."""

    layout: Layout
    offered: Offered
    trust: Trust | None


def grid_question(params: Mapping[str, str]) -> GridQuestion:
    """`params` are those of a valid form. Raises BadParameter for an unknown workload."""
    return with_family(params, grid_layout(params))


def grid_layout(params: Mapping[str, str]) -> GridLayout:
    trust = trust_of(params["trust"])
    layout = _layout(params, trust)
    return GridLayout(layout, families(layout, trust), trust)


def with_family(params: Mapping[str, str], asked: GridLayout) -> GridQuestion:
    """Raises BadParameter."""
    family = _family(params["workload"], asked.offered)
    choice = _choice(asked.layout, family, params, asked.trust) if family else None
    return GridQuestion(asked.layout, asked.offered.choices, family, choice, asked.trust)


def state(choice: GridChoice) -> dict[str, str]:
    """The parameters that lead to this choice again."""
    layout = choice.layout
    return {
        "vary": layout.varied.key,
        "baseline": layout.varied.token(choice.baseline),
        "variant": layout.varied.token(choice.variant),
        "rows": layout.rows[0].key,
        "subrows": layout.subrows_key,
        "columns": layout.columns.key,
        "workload": choice.family.fingerprint,
        **({"trust": choice.trust.value} if choice.trust else {}),
    }


def _layout(params: Mapping[str, str], trust: Trust | None) -> Layout:
    """What the parameters leave open is as in the default layout, unless it is used for something else."""
    default = DEFAULT_LAYOUTS[params["vary"]] if params["vary"] else _default_layout(params, trust)
    used = {default.varied.key, params["rows"], params["columns"], params["subrows"]}
    free = [axis for axis in (*default.rows, default.columns, *AXES.values()) if axis.key not in used]
    rows = AXES[params["rows"]] if params["rows"] else free[0]
    free = [axis for axis in (default.columns, *free) if axis != rows and axis.key not in used]
    columns = AXES[params["columns"]] if params["columns"] else free[0]
    return Layout(default.varied, (rows, *_subrows(params, default, (rows, columns))), columns)


def _default_layout(params: Mapping[str, str], trust: Trust | None) -> Layout:
    default = default_layout(trust)
    used = {params["rows"], params["columns"], params["subrows"]}
    if default.varied.key not in used:
        return default
    return next(layout for key, layout in DEFAULT_LAYOUTS.items() if key not in used)


def _subrows(params: Mapping[str, str], default: Layout, used: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    if params["subrows"]:
        return () if params["subrows"] == NO_SUBROWS else (AXES[params["subrows"]],)
    # rows that somebody chose are not divided by what they did not choose
    if params["rows"] or params["columns"]:
        return ()
    return tuple(axis for axis in default.rows[1:] if axis not in used)


def _family(fingerprint: str, offered: Offered) -> Family | None:
    family = offered.find(fingerprint)
    if family is not None or not fingerprint:
        return family
    workload = Workload.objects.open().by_fingerprint(fingerprint)
    if workload is None:
        raise BadParameter("workload", "There is no such workload.", is_missing=True)
    return None if workload.fingerprint == fingerprint else _family(workload.fingerprint, offered)


def _choice(layout: Layout, family: Family, params: Mapping[str, str], trust: Trust | None) -> GridChoice | None:
    by_token = {layout.varied.token(value): value for value in family.submissions_by_value}
    unknown = tuple(params[side] for side in ("baseline", "variant") if params[side] and params[side] not in by_token)
    pair = _pair(family, by_token.get(params["baseline"]), by_token.get(params["variant"]))
    return GridChoice(layout, family, pair.baseline, pair.variant, unknown, trust) if pair else None


def _pair(family: Family, baseline: FactValue | None, variant: FactValue | None) -> Pair | None:
    if baseline is not None and variant is not None and baseline != variant:
        return Pair(baseline, variant)  # as asked, even if no cell has both
    if baseline == variant:
        variant = None
    return family.best_pair(baseline, variant)
