"""A search for one database against another, such as "mongodb vs cassandra"."""

from collections.abc import Sequence
from itertools import product

from submissions.formatting.names import service_name
from submissions.search.terms import Asked

_BETWEEN = frozenset({"vs", "versus", "or", "against"})


def databases_of(search: Asked, services: Sequence[str]) -> tuple[str, str] | None:
    """The two databases that a search sets against each other; of several with a name the first of `services`."""
    places = [place for place, term in enumerate(search.terms) if len(term.pieces) == 1 and term.pieces[0] in _BETWEEN]
    if len(places) != 1:
        return None
    one, other = (Asked("", terms) for terms in (search.terms[: places[0]], search.terms[places[0] + 1 :]))
    sides = [[slug for slug in services if side.matches(slug, service_name(slug))] for side in (one, other)]
    return next(((a, b) for a, b in product(*sides) if a != b), None)
