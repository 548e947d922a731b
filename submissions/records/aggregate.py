"""Listed results by value of each facet, by place and by database: figures of the store, for the whole site too."""

import json
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import Case, QuerySet, Value, When

from submissions.aggregates.kinds import Kind, State
from submissions.choices import UNSOUND_FLAGS, is_off_money_boards
from submissions.models import IS_UNRANKED, Submission, SubmissionQuerySet
from submissions.records.list.facet_counts import values_in_address
from submissions.records.list.facet_order import FACET_COLUMNS

PLACE = "place="
MACHINE = "machine="

_UNSOUND = frozenset(flag.value for flag in UNSOUND_FLAGS)
_COLUMNS = {name: column for name, column in FACET_COLUMNS.items() if name != "age"}  # marks are of a day
_OTHERS = ("service_version", "measured_at", "vcpus", "memory_gib")
_CPU = ("architecture", "cpu_model")


class FacetsKind(Kind):
    """`facets`: by name and value in an address; `places`; `machines`: by type and the facts that results state;
    `services`: [results, newest, providers, versions].
    """

    name = "facets"
    code = "2"

    def rows(self, submissions: SubmissionQuerySet) -> QuerySet[Submission, tuple[Any, ...]]:
        listed = Submission.objects.using(submissions.db).with_rate() & submissions
        is_unranked = Case(When(IS_UNRANKED, then=Value(True)), default=Value(False))
        return (
            listed.order_by().annotate(is_unranked=is_unranked).values_list(*_COLUMNS.values(), *_OTHERS, "is_unranked")
        )

    def add(self, state: State, row: tuple[Any, ...]) -> None:
        values = dict(zip(_COLUMNS, row, strict=False))
        version, measured_at, vcpus, memory_gib, is_unranked = row[len(_COLUMNS) :]
        facets = state.setdefault("facets", {})
        for name, value in values.items():
            counts = facets.setdefault(name, {})
            for text in values_in_address(name, value):
                counts[text] = counts.get(text, 0) + 1
        is_sound = not is_unranked and _UNSOUND.isdisjoint(values["flag"])
        is_sound = is_sound and not is_off_money_boards(values["flag"], values["trust"])
        service, provider = values["service"], values["provider"]
        place = json.dumps([service, provider, values["region"], is_sound])
        places = state.setdefault("places", {})
        places[place] = places.get(place, 0) + 1
        machine = json.dumps([provider, values["instance_type"], vcpus, memory_gib, *(values[name] for name in _CPU)])
        machines = state.setdefault("machines", {})
        machines[machine] = machines.get(machine, 0) + 1
        _add_to_service(state.setdefault("services", {}), service, provider, version, measured_at)

    def labels(self, state: State) -> list[Any]:
        return [[service, *figures] for service, figures in sorted(state.get("services", {}).items())]

    def site_counts(self, state: State) -> Mapping[str, int]:
        of_facets = {
            f"{name}={value}": n for name, counts in state.get("facets", {}).items() for value, n in counts.items()
        }
        of_places = {f"{PLACE}{place}": n for place, n in state.get("places", {}).items()}
        return of_facets | of_places | {f"{MACHINE}{machine}": n for machine, n in state.get("machines", {}).items()}


def _add_to_service(
    services: dict[str, list[Any]], service: str, provider: str, version: str | None, measured_at: datetime | None
) -> None:
    n, newest, providers, versions = services.get(service) or [0, "", [], {}]
    measured = measured_at.isoformat() if measured_at else ""  # from the database: all are UTC, and sorted as texts
    if provider not in providers:
        providers.append(provider)
    text = version or ""
    versions[text] = versions.get(text, 0) + 1
    services[service] = [n + 1, max(newest, measured), sorted(providers), versions]


def facets_of_site(counts: Mapping[str, int]) -> dict[str, Counter[str]]:
    """Of site counts, by facet."""
    by_facet: dict[str, Counter[str]] = {name: Counter() for name in FACET_COLUMNS}
    for key, n in counts.items():
        name, _, value = key.partition("=")
        if name in by_facet:
            by_facet[name][value] = n
    return by_facet


FACETS = FacetsKind()
