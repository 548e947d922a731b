"""The part of the plan's form for loads beyond one: a list of them, or the limit of a search."""

import math
import re
from collections.abc import Mapping
from typing import Any

from django import forms

from runners.plan_schema.load_plan import DEFAULT_MAX_STEPS, MAX_STEPS
from submissions.api.number_fields import NumberField, WholeNumberField
from submissions.choices import Percentile
from submissions.upload.document_form import Place

ONE, LIST, SEARCH = "one", "steps", "slo"
KINDS = [
    (ONE, "one load"),
    (LIST, "a list of loads"),
    (SEARCH, "highest rate that keeps a limit"),
]
PLACES: Mapping[str, Place] = {
    "load_steps": ("load", "steps"),
    "slo_percentile": ("load", "slo", "percentile"),
    "slo_max_ms": ("load", "slo", "max_ms"),
    "slo_max_error_share": ("load", "slo", "max_error_share"),
    "start_ops_s": ("load", "start_ops_s"),
    "max_steps": ("load", "max_steps"),
}
_OF_KIND: Mapping[str, frozenset[str]] = {
    ONE: frozenset(),
    LIST: frozenset({"load_steps"}),
    SEARCH: frozenset(PLACES) - {"load_steps"},
}
# Of one load only: elsewhere the step sets the rate, and lasts a time
_OF_ONE = frozenset({"fixed_rate_ops_s", "operations"})
DEFAULTS = {"slo_percentile": Percentile.P99.value, "slo_max_ms": 10, "slo_max_error_share": 0.001}
DEFAULT_STEP_SECONDS = 20
_STEP = re.compile(r"(?P<number>\d{1,12}(?:\.\d{1,6})?)\s*(?P<threads>threads?)?", re.I)


class LoadStepsField(forms.CharField):
    """ "500, 1000, 16 threads": rates in ops/s of all clients together, or threads of each client."""

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        return [_step(part) for part in re.split(r"[,;\n]", text) if part.strip()] if text else []

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(map(_step_words, value)) if isinstance(value, list | tuple) else value


def kind_of(load: Mapping[str, Any] | None) -> str:
    if not load:
        return ONE
    return SEARCH if load.get("slo") else LIST


def left_out(kind: str) -> frozenset[str]:
    """The fields that a plan with this kind of load does not have."""
    others = frozenset(PLACES) - _OF_KIND.get(kind, frozenset())
    return others if kind == ONE else others | _OF_ONE


def part(kind: str, load: Mapping[str, Any]) -> dict[str, Any]:
    """The part of the plan, so that the plan's own model refuses what was left empty."""
    return {} if kind == ONE else {"load": {kind: [] if kind == LIST else {}, **load}}


def usual(kind: str, typed: Mapping[str, Any]) -> dict[str, Any]:
    """What the fields of a kind show where nothing else was typed."""
    values: dict[str, Any] = {"load_kind": kind}
    if kind == SEARCH:
        values |= {**DEFAULTS, "max_steps": DEFAULT_MAX_STEPS}
    if kind != ONE and not typed.get("duration_seconds"):
        values["duration_seconds"] = DEFAULT_STEP_SECONDS
    return values


class LoadFields(forms.Form):
    """The fields of PLACES; which of them a form has, depends on the kind."""

    load_steps = LoadStepsField(
        label="Loads",
        required=False,
        max_length=1_000,
        help_text="Rates in ops/s of all clients together, or threads per client: 500, 1000, 16 threads.",
        widget=forms.TextInput(attrs={"data-wide": "true"}),
    )
    slo_percentile = forms.ChoiceField(label="Percentile", choices=list(Percentile.pairs()), required=False)
    slo_max_ms = NumberField(unit="ms", label="At most (ms)", required=False, min_value=0, help_text="In every trial.")
    slo_max_error_share = NumberField(
        label="Share of errors, at most", required=False, min_value=0, max_value=1, help_text="A fraction: 0.001."
    )
    start_ops_s = NumberField(
        unit="ops/s", label="First rate (ops/s)", required=False, min_value=0, help_text="Empty: 70 % of the peak."
    )
    max_steps = WholeNumberField(
        label="Steps, at most",
        required=False,
        min_value=1,
        max_value=MAX_STEPS,
        help_text="All trials count, including those that confirm the rate. Each lasts the duration per trial; a p99"
        " needs 10,000 operations, so a slow system needs longer trials.",
    )


def _step(text: str) -> float | dict[str, int]:
    match = _STEP.fullmatch(text.strip())
    number = float(match["number"]) if match else math.nan
    if match is None or (match["threads"] and not number.is_integer()):
        raise forms.ValidationError(f"{text.strip()[:30]} is neither a rate nor a number of threads")
    return {"threads": int(number)} if match["threads"] else number


def _step_words(step: Any) -> str:
    return f"{step['threads']} threads" if isinstance(step, Mapping) else f"{step:.12g}"
