"""The pages that answer a search, with their fields filled in."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from django.db.models import Exists, F, OuterRef
from django.urls import reverse
from django.utils.http import urlencode

from submissions.choices import Architecture
from submissions.facts import ARCHITECTURE
from submissions.formatting.names import provider_name
from submissions.models import Submission, Workload
from submissions.pricing.machines.addresses import comparison_address, machine_address
from submissions.questions.boards.grouping import GroupBy
from submissions.search.found_place import FoundPlace
from submissions.search.intents import sentences
from submissions.search.intents.machines import machine_named, pair_of, sides_of
from submissions.search.intents.reading import FactWord, Reading
from submissions.search.intents.words import Best

_OF_RECOMMENDATION = (FactWord.SERVICE, FactWord.PROVIDER, FactWord.REGION)
_ORDERINGS = {Best.CHEAPEST: "-ops_per_usd", Best.VALUE: "-ops_per_usd", Best.FASTEST: "-throughput_ops_s"}


def leads(reading: Reading, services: Collection[str]) -> list[FoundPlace]:
    """`services`: those with results. Four queries at most, and only for a search that asks for something."""
    if reading.machines:
        return list(_of_machines(*reading.machines))
    if reading.architectures:
        return list(_of_architectures(*reading.architectures, service=reading.side_service))
    if reading.machine and (key := machine_named(reading.machine)):
        address = machine_address(*key)
        return [FoundPlace("answer", sentences.machine(key.name), address, provider_name(key.provider))]
    if not reading.is_whole or reading.sides:
        return []
    return [*_questions(reading), *_list(reading, services)]


def _questions(reading: Reading) -> Iterator[FoundPlace]:
    if reading.best == Best.VALUE or (reading.of_clouds and not reading.limits.fields):
        yield _value(reading)
    elif (reading.best or reading.limits.fields) and set(reading.facts) <= set(_OF_RECOMMENDATION):
        facts = {name.value: reading.facts[name] for name in _OF_RECOMMENDATION if name in reading.facts}
        work = {"work": reading.work.value} if reading.work and reading.service else {}
        yield _place("recommend", sentences.recommendation(reading), {**facts, **work, **reading.limits.fields})


def _value(reading: Reading) -> FoundPlace:
    """Of the newest workload of the database with a price. One query."""
    query = {"by": GroupBy.PROVIDER.value} if reading.of_clouds else {}
    title = ""
    if reading.service:
        priced = Submission.objects.rankable().priced().filter(workload=OuterRef("pk"))
        newest_first = F("figures__newest").desc(nulls_last=True), "-pk"
        of_service = Workload.objects.filter(Exists(priced), service=reading.service).order_by(*newest_first)
        if newest := of_service.values_list("fingerprint", "title").first():
            query["workload"], title = newest
    return _place("value", sentences.value(reading), query, title)


def _list(reading: Reading, services: Collection[str]) -> Iterator[FoundPlace]:
    """The results with these facts; a database alone has its page."""
    facts = {name.value: reading.facts[name] for name in FactWord if name in reading.facts}
    limits = reading.limits.fields
    query = {**facts, **({"max_p99_ms": limits["max_p99_ms"]} if "max_p99_ms" in limits else {})}
    has_more = set(query) - {FactWord.SERVICE.value} or reading.best
    if query and has_more:
        order = {"ordering": _ORDERINGS[reading.best]} if reading.best else {}
        is_missing = reading.service and reading.service not in services
        note = sentences.no_result(reading.service) if is_missing else ""
        yield _place("list", sentences.listed(reading), {**query, **order}, note)


def _of_machines(one: str, other: str) -> Iterator[FoundPlace]:
    sides = sides_of(one, other)
    a, b = (side.machine for side in sides)
    if a and b:
        address = comparison_address(str(a), str(b))
        yield FoundPlace("comparison", sentences.machines(a.name, b.name), address, sentences.OF_MACHINES)
        return
    pair = pair_of(*sides)
    if pair is not None:
        address = f"{reverse('submissions:compare')}?{urlencode({'s': (pair.one, pair.other)}, doseq=True)}"
        yield FoundPlace("comparison", sentences.pair(one, other), address, pair.title)
    for side in sides:
        note = sentences.no_pair(one, other) if pair is None and side is sides[0] else ""
        yield _place("list", sentences.of_machine(side.name), side.fields, note)


def _of_architectures(one: str, other: str, service: str) -> Iterator[FoundPlace]:
    """What the architecture alone changes, and what each buys; of a database under its newest workload with both."""
    workload = _of_both_architectures(service) if service else {}
    query = {"fact": ARCHITECTURE.key, "baseline": one, "variant": other, **workload}
    yield _place("one_fact", sentences.architectures(service), query, kind="comparison")
    yield _place("value", sentences.value_by_architecture(service), {"by": GroupBy.ARCHITECTURE.value, **workload})


def _of_both_architectures(service: str) -> dict[str, str]:
    """One query; empty where no workload of the database ran on both."""
    ranked = Submission.objects.rankable()
    both = [Exists(ranked.filter(workload=OuterRef("pk"), architecture=each)) for each in Architecture]
    newest_first = F("figures__newest").desc(nulls_last=True), "-pk"
    newest = Workload.objects.filter(*both, service=service).order_by(*newest_first)
    fingerprint = newest.values_list("fingerprint", flat=True).first()
    return {"workload": fingerprint} if fingerprint else {}


def _place(
    page: str, label: str, query: Mapping[str, str | Sequence[str]], note: str = "", kind: str = "answer"
) -> FoundPlace:
    address = reverse(f"submissions:{page}")
    return FoundPlace(kind, label, f"{address}?{urlencode(query, doseq=True)}" if query else address, note)
