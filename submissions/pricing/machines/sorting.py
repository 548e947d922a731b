"""The price book of one place in an order of its own, or limited by the size of machines."""

from operator import attrgetter

from django.http import QueryDict

from benchsite.http.pagination import SortLink
from submissions.pricing.machines.filters import PriceFilter
from submissions.pricing.machines.search import (
    PAGE_SIZE,
    LineKey,
    PageForm,
    PricePage,
    known_lines,
    lines_of,
)

_FIRST = {"vcpus": "-vcpus", "memory_gib": "-memory_gib", "monthly_usd": "monthly_usd"}  # what a first click orders by


def sorted_page(search: PriceFilter, form: PageForm) -> PricePage:
    """Of one place, whose lines are few; unknown values last. Three queries."""
    wanted = form.cleaned_data
    keys = known_lines(search).order_by(*LineKey._fields).values_list(*LineKey._fields).distinct()
    lines = [
        line
        for line in lines_of(search.qs, [LineKey(*values) for values in keys])
        if _is_at_least(line.vcpus, wanted["min_vcpus"]) and _is_at_least(line.memory_gib, wanted["min_memory_gib"])
    ]
    if ordering := wanted["ordering"]:
        value = attrgetter(ordering.removeprefix("-"))
        known = [line for line in lines if value(line) is not None]
        unknown = [line for line in lines if value(line) is None]
        lines = [*sorted(known, key=value, reverse=ordering.startswith("-")), *unknown]
    number: int = wanted["page"] or 1
    shown = lines[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    return PricePage(tuple(shown), None, number + 1 if number * PAGE_SIZE < len(lines) else None)


def _is_at_least(value: float | None, least: float | None) -> bool:
    return least is None or (value is not None and value >= least)


def has_one_place(search: PriceFilter) -> bool:
    given = search.form.cleaned_data
    return len(given["provider"]) == len(given["region"]) == 1


def sort_links(given: QueryDict, ordering: str) -> dict[str, SortLink]:
    links = {}
    for name, first in _FIRST.items():
        second = name if first.startswith("-") else f"-{name}"
        state = {name: "ascending", f"-{name}": "descending"}.get(ordering, "")
        address = changed_query(given, ordering=second if ordering == first else first, page="", after="")
        links[name] = SortLink(address, state)
    return links


def changed_query(given: QueryDict, **changes: str) -> str:
    """The query of this page with other values; without a parameter that is changed to nothing."""
    query = given.copy()
    for name, value in changes.items():
        query.pop(name, None)
        if value:
            query[name] = value
    return f"?{query.urlencode()}"
