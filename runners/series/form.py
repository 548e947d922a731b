"""The form of a series: the plan as JSON, and a line for each fact that varies."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django import forms

from runners.choices import CellOrder, Clusters
from submissions.api.number_fields import AmountField, WholeNumberField

_BETWEEN = "|"  # of values
_ORDERS = (
    (CellOrder.INTERLEAVED.value, "Alternating (recommended): A B C, C B A"),
    (CellOrder.IN_TURN.value, "In turn: A A A, B B B, ..."),
)


_CLUSTERS = (
    (Clusters.SHARED.value, "Shared within a round"),
    (Clusters.SEPARATE.value, "Separate for each run"),
)


class SeriesForm(forms.Form):
    """`content()` is the body of POST series/, without who may see it."""

    plan = forms.CharField(
        label="Plan (JSON)",
        max_length=60_000,
        widget=forms.Textarea(attrs={"rows": 14, "spellcheck": "false", "class": "code"}),
        help_text="The body of POST /api/v1/runs/. Trials of each run: 1 unless it states more.",
    )
    vary = forms.CharField(
        label="What varies",
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false", "class": "code"}),
        help_text="A line for each: workload.threads: 8 | 32. Several facts together: "
        'provider + region: ["aws", "us-east-1"] | ["gce", "us-central1"].',
    )
    repetitions = WholeNumberField(label="Repetitions", min_value=1, max_value=20, initial=3)
    order = forms.ChoiceField(label="Order", choices=_ORDERS, widget=forms.Select(attrs={"data-wide": "true"}))
    clusters = forms.ChoiceField(
        label="Machines",
        choices=_CLUSTERS,
        initial=Clusters.SHARED.value,
        required=False,
        widget=forms.Select(attrs={"data-wide": "true"}),
        help_text="In clouds, cells of a round that need the same machines use them in turn, cleared in between.",
    )
    max_usd = AmountField(label="Budget of all runs (USD)", min_value=0, max_digits=12, decimal_places=4)
    max_minutes = WholeNumberField(unit="min", label="Time for all runs (minutes)", min_value=1)
    email = forms.BooleanField(label="Email me at the end", required=False)

    @classmethod
    def initial_of(cls, order: Mapping[str, Any]) -> dict[str, Any]:
        """What fills in the form, from the body of POST series/."""
        return {
            "plan": json.dumps(order["plan"], indent=2),
            "vary": "\n".join(_line(vary) for vary in order["vary"]),
            **{
                name: order[name]
                for name in ("repetitions", "order", "clusters", "max_usd", "max_minutes")
                if name in order
            },
        }

    def clean_plan(self) -> dict[str, Any]:
        try:
            plan = json.loads(self.cleaned_data["plan"], parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            raise forms.ValidationError(f"This is not JSON: {error}.") from error
        if not isinstance(plan, dict):
            raise forms.ValidationError("This must be a JSON object.")
        return plan

    def clean_vary(self) -> list[dict[str, Any]]:
        lines = [line.strip() for line in self.cleaned_data["vary"].splitlines() if line.strip()]
        return [_vary(line) for line in lines]

    def content(self) -> dict[str, Any]:
        """Of a valid form."""
        values = self.cleaned_data
        notify = {"notify": {"email": True}} if values["email"] else {}
        return {
            **{name: values[name] for name in ("plan", "vary", "repetitions", "order", "max_minutes")},
            "clusters": values["clusters"] or Clusters.SHARED.value,
            "max_usd": str(Decimal(values["max_usd"])),
            **notify,
        }


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number")


def _line(vary: Mapping[str, Any]) -> str:
    fields = vary.get("fields") or [vary["field"]]
    values: Sequence[Any] = vary["values"]
    return f"{' + '.join(fields)}: {f' {_BETWEEN} '.join(_text(value) for value in values)}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) and not _is_json(value) and _BETWEEN not in value else json.dumps(value)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _vary(line: str) -> dict[str, Any]:
    """ "jdk + region: a | b" as an item of `vary`; a value that is no JSON is text."""
    name, colon, rest = line.partition(":")
    values = [part.strip() for part in rest.split(_BETWEEN)]
    if not (colon and name.strip() and all(values)):
        raise forms.ValidationError(f"“{line[:80]}” is not a list of values: write workload.threads: 8 | 32.")
    return {"field": name.strip()[:100], "values": [_value(value) for value in values]}


def _value(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text
