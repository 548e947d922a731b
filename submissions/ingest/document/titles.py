"""Titles of workloads beside each other: what differs between those of one database comes first."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from submissions.formatting.names import service_name, tool_name
from submissions.ingest.document.fingerprint import WORK, joined_facts, workload_facts

_Form = Mapping[str, Any]  # a canonical form


@dataclass(frozen=True, slots=True)
class GroupTitles:
    """Of workloads of one database."""

    common: str  # "YCSB, RF 3": the facts that all of them state alike; empty for a single workload
    differing: Mapping[str, str]  # "95% read + 5% update, zipfian", by fingerprint


def group_titles(forms: Mapping[str, _Form]) -> GroupTitles:
    """The operations first, where they differ; then each fact before those that more workloads share the value of.

    The operations are there too where a workload states none of the differing facts: something has to name it.
    `forms`: canonical forms of one database by fingerprint. A form without facts has an empty title.
    """
    facts = {key: workload_facts(form, tool_name(form.get("tool") or "")) for key, form in forms.items()}
    values: dict[str, Counter[str | None]] = {}
    for each in facts.values():
        for name, text in each.items():
            values.setdefault(name, Counter())[text] += 1
    differing = {name for name, counts in values.items() if len(counts) > 1 or len(forms) == 1}
    if not all(any(each[name] for name in differing) for each in facts.values()):
        differing |= set(WORK)
    telling = sorted(differing, key=lambda name: _rank(name, values))
    titles = {key: joined_facts((name, each[name]) for name in telling) for key, each in facts.items()}
    shared = next(iter(facts.values()), {})
    common = joined_facts((name, text) for name, text in shared.items() if name not in differing)
    return GroupTitles(common, distinct_titles(titles))


def workload_labels(forms: Mapping[str, _Form]) -> dict[str, str]:
    """By fingerprint, of several databases, as a selector has them: "ScyllaDB: 95% read + 5% update, YCSB, RF 3".

    The facts that all workloads of a database have in common are last.
    """
    by_service: dict[str, dict[str, _Form]] = {}
    for key, form in forms.items():
        by_service.setdefault(form.get("service") or "", {})[key] = form
    labels = {}
    for service, own in by_service.items():
        titles = group_titles(own)
        for key, differing in titles.differing.items():
            words = ", ".join(filter(None, [differing, titles.common]))
            labels[key] = f"{service_name(service)}: {words}" if words else ""
    return labels


def distinct_titles(titles: Mapping[str, str]) -> dict[str, str]:
    """By fingerprint; titles that several workloads have get the start of the fingerprint."""
    uses = Counter(titles.values())
    return {
        fingerprint: title if uses[title] == 1 or not title else f"{title} ({fingerprint[:6]})"
        for fingerprint, title in titles.items()
    }


def _rank(name: str, values: Mapping[str, Counter[str | None]]) -> tuple[bool, int, int]:
    return name not in WORK, max(values[name].values()), list(values).index(name)
