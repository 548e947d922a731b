"""The boxes by which a reader chooses machines, with counts, and a chip for each choice."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from submissions.aggregates.workloads import levels_in
from submissions.api.facet_field import UNKNOWN
from submissions.facts import FACTS
from submissions.formatting.names import provider_name
from submissions.questions.boards.grouping import NOT_STATED, architecture_name
from submissions.questions.value.clusters import machine_counts
from submissions.questions.value.form import ValueForm
from submissions.questions.value.machines import FACETS, Chosen, facet_counts
from submissions.questions.value.query import ValueResult
from submissions.records.list.facets import Facet, FacetValue

FEW = 5  # results of a workload: all are seen at once
MOST_VALUES = 60  # of a facet, beside those that are chosen

_NAMES: Mapping[str, Callable[[str], str]] = {"provider": provider_name, "architecture": architecture_name}


@dataclass(frozen=True, slots=True)
class MachineChip:
    label: str
    value: str
    address: str  # of the page without it


def facets_of(result: ValueResult, chosen: Chosen) -> list[Facet]:
    """Counts are of the results of this trust filter, with and without a price."""
    levels = levels_in(result.workload.pk, result.params.trust)
    counts = facet_counts(machine_counts(result.workload.pk, levels), chosen)
    return [_facet(name, counts[name], getattr(chosen, name)) for name in FACETS]


def machines_html(facets: list[Facet], chosen: Chosen) -> SafeString:
    """Empty where there is little to choose from, and nothing is chosen."""
    if chosen.is_all and sum(value.count for value in facets[0].values) <= FEW:
        return SafeString("")
    return render_to_string("components/facets.html", {"facets": facets})


def machine_chips(form: ValueForm, fingerprint: str) -> list[MachineChip]:
    """Each with the address of the page that is not restricted so."""
    values = form.cleaned_data
    chips = []
    for name in FACETS:
        for value in getattr(form.chosen, name):
            others = [other for other in values[name] if other != value]
            address = form.page_address(fingerprint, **{name: others})
            chips.append(MachineChip(FACTS[name].label, _label(name, value), address))
    for name in ("min_vcpus", "max_vcpus"):
        if values[name] is not None:
            address = form.page_address(fingerprint, **{name: None})
            chips.append(MachineChip(str(form.fields[name].label), f"{values[name]:,}", address))
    return chips


def no_machines() -> dict[str, Any]:
    """The changes of an address that removes every choice."""
    return {**dict.fromkeys(FACETS, ()), "min_vcpus": None, "max_vcpus": None}


def _facet(name: str, counts: Counter[str | None], chosen: tuple[str | None, ...]) -> Facet:
    by_count = sorted({*counts, *chosen}, key=lambda value: (-counts[value], value is None, value or ""))
    values = [value for place, value in enumerate(by_count) if place < MOST_VALUES or value in chosen]
    return Facet(
        name=name,
        label=FACTS[name].label,
        values=tuple(
            FacetValue(UNKNOWN if value is None else value, _label(name, value), counts[value], value in chosen)
            for value in values
        ),
        hidden_count=len(by_count) - len(values),
    )


def _label(name: str, value: str | None) -> str:
    if value is None:
        return NOT_STATED
    return _NAMES.get(name, str)(value)
