"""What a search finds beside results: databases, workloads, instance types with prices, and pages of the site."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils.http import urlencode

from submissions.formatting.names import provider_name, service_name
from submissions.formatting.text import plural
from submissions.models import HAS_RATE, CompiledQuery, InstanceType, Submission, Workload, title_words
from submissions.pricing.machines.addresses import machine_address
from submissions.questions.databases.loads import load_of_databases
from submissions.questions.workload.query import service_counts
from submissions.search.found_place import FoundPlace
from submissions.search.intents.leads import leads
from submissions.search.intents.reading import Reading
from submissions.search.intents.words import SYNONYMS
from submissions.search.query import tsquery
from submissions.search.site_pages import SitePage, site_pages
from submissions.search.terms import Asked, Term

MOST = 4  # of a kind
MOST_TYPES = 6  # of instance types: their names are short
_WORKLOADS_TRIED = 4 * MOST


def places(reading: Reading) -> list[FoundPlace]:
    """Answers first, then databases, workloads, instance types, pages; at most MOST of a kind.

    At most four queries, one of them while the databases are counted; four more where a search asks for something.
    """
    if reading.typed.is_empty or not reading.typed.terms:
        return []
    services = dict(_services())
    search = reading.words
    answers = [*_versus(reading, services), *leads(reading, services)]
    if not search.terms:
        return answers
    others = [*_databases(reading, services), *_workloads(search), *_instance_types(search), *_pages(search)]
    answered = {answer.address for answer in answers}
    return [*answers, *(place for place in others if place.kind != "instance type" or place.address not in answered)]


def databases() -> list[FoundPlace]:
    """Those with most results, to begin with. At most two queries."""
    return [_database(service, n) for service, n in _services()[:MOST]]


def _services() -> list[tuple[str, int]]:
    """Every database with results that can be compared, and how many; most first."""
    counts = [(service, counts.submissions) for service, counts in service_counts().items()]
    return sorted(counts, key=lambda pair: (-pair[1], pair[0]))


def _databases(reading: Reading, services: Mapping[str, int]) -> list[FoundPlace]:
    search = reading.words
    found = [
        (service, n)
        for service, n in services.items()
        if service == reading.service or search.matches(service, service_name(service))
    ]
    return [_database(service, n) for service, n in found[:MOST]]


def _database(service: str, submissions: int) -> FoundPlace:
    address = reverse("submissions:service", args=[service])
    return FoundPlace("database", service_name(service), address, plural(submissions, "result"))


def _versus(reading: Reading, services: Mapping[str, int]) -> list[FoundPlace]:
    """Of "mongodb vs cassandra": the load that both share; else what would answer instead, and both."""
    pair = _two_databases(reading.sides, list(services)) if reading.sides else None
    if pair is None:
        return []
    name = " and ".join(map(service_name, pair))
    load = load_of_databases(*pair)
    if load is not None:
        address = f"{reverse('submissions:databases')}?{urlencode({'load': load.fingerprint})}"
        return [FoundPlace("comparison", f"{name} under the same load", address, load.title)]
    note = f"No load has been measured on both {name}: see what each needs for yours"
    return [
        FoundPlace("comparison", "Recommend", reverse("submissions:recommend"), note),
        *(_database(service, services[service]) for service in pair),
    ]


def _two_databases(sides: tuple[Asked, Asked], services: Sequence[str]) -> tuple[str, str] | None:
    """Those of the sides; of several with a name the first of `services`."""
    ways = [[slug for slug in services if _is_meant(side, slug)] for side in sides]
    return next(((a, b) for a, b in product(*ways) if a != b), None)


def _is_meant(side: Asked, slug: str) -> bool:
    is_synonym = len(side.terms) == 1 and SYNONYMS.get(side.terms[0].text.lower()) == slug
    return is_synonym or side.matches(slug, service_name(slug))


def _workloads(search: Asked) -> list[FoundPlace]:
    """Those with most results among the published ones that can be compared. One query."""
    found = _MOST_FIRST.rows_as_planned(words=search.tsquery)
    return [
        FoundPlace("workload", title, reverse("submissions:workload", args=[fingerprint]))
        for title, fingerprint in found
    ]


def _most_first(words: str) -> QuerySet[Workload, tuple[Any, ...]]:
    most_first = (F("figures__published").desc(nulls_last=True), "-pk")
    tried = Workload.objects.annotate(words=title_words()).filter(words=tsquery(words)).order_by(*most_first)
    with_results = Exists(Submission.objects.published().filter(HAS_RATE, workload=OuterRef("pk")))
    rows = Workload.objects.filter(with_results, pk__in=tried.values("pk")[:_WORKLOADS_TRIED]).order_by(*most_first)
    return rows.values_list("title", "fingerprint")[:MOST]


_MOST_FIRST = CompiledQuery(_most_first, words="?")


def _instance_types(search: Asked) -> list[FoundPlace]:
    """Those whose names begin with one of the terms, such as "i4i". One query."""
    begins = [term for term in search.all_terms if _may_be_type(term)]
    if not begins:
        return []
    rows = list(
        InstanceType.objects.filter(_any_begins(begins)).order_by("vcpus", "name", "provider")[: MOST_TYPES + 1]
    )
    found = [_type(row) for row in rows[:MOST_TYPES]]
    return found + [_more_types(_name(term)) for term in begins] if len(rows) > MOST_TYPES else found


def _may_be_type(term: Term) -> bool:
    return any(piece.isalnum() and not piece.isalpha() and not piece.isdigit() for piece in term.pieces)


def _any_begins(terms: Sequence[Term]) -> Q:
    condition = Q()
    for term in terms:
        condition |= Q(name__startswith=_name(term))
    return condition


def _name(term: Term) -> str:
    """All names of instance types are lower case."""
    return term.text.strip('"').lower()


def _more_types(begin: str) -> FoundPlace:
    address = f"{reverse('submissions:machines')}?{urlencode({'q': begin})}"
    return FoundPlace("instance type", f"All machine types with {begin}", address)


def _type(row: InstanceType) -> FoundPlace:
    facts: list[Any] = [
        provider_name(row.provider),
        f"{row.vcpus} vCPU" if row.vcpus else "",
        f"{row.memory_gib:g} GiB" if row.memory_gib else "",
    ]
    note = ", ".join(part for part in facts if part)
    return FoundPlace("instance type", row.name, machine_address(row.provider, row.name), note)


def _pages(search: Asked) -> list[FoundPlace]:
    return [_page(page) for page in site_pages() if search.matches(page.label, page.about)][:MOST]


def _page(page: SitePage) -> FoundPlace:
    return FoundPlace("page", page.label, page.address, page.about)
