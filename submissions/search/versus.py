"""A search for one database against another, such as "mongodb vs cassandra"."""

from collections.abc import Sequence
from itertools import product

from submissions.formatting.names import service_name
from submissions.search.intents.words import SYNONYMS
from submissions.search.terms import Asked


def databases_of(sides: tuple[Asked, Asked], services: Sequence[str]) -> tuple[str, str] | None:
    """The two databases of the sides; of several with a name the first of `services`."""
    ways = [[slug for slug in services if _is_meant(side, slug)] for side in sides]
    return next(((a, b) for a, b in product(*ways) if a != b), None)


def _is_meant(side: Asked, slug: str) -> bool:
    is_synonym = len(side.terms) == 1 and SYNONYMS.get(side.terms[0].text.lower()) == slug
    return is_synonym or side.matches(slug, service_name(slug))
