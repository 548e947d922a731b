"""What a search found, in sentences."""

from collections.abc import Sequence

from submissions.formatting.text import plural
from submissions.search.found_place import FoundPlace
from submissions.search.query import MOST, Matches
from submissions.search.terms import Asked


def finding(search: Asked, matches: Matches) -> str:
    if not matches.count:
        return f"No result matches “{search.text}”."
    if matches.is_capped:
        return f"More than {MOST:,} results match “{search.text}”."
    verb = "matches" if matches.count == 1 else "match"
    return f"{plural(matches.count, 'result')} {verb} “{search.text}”."


def answered(places: Sequence[FoundPlace]) -> str:
    """Of a search that a comparison or another page answers; empty for any other."""
    place = next((place for place in places if place.kind in ("comparison", "answer")), None)
    if place is None:
        return ""
    return f"{place.label}: {place.note}." if place.note else f"{place.label}."


def note(matches: Matches) -> str:
    """What is not in the list; empty where all of it is."""
    if not matches.is_capped:
        return ""
    return f"Only the newest {MOST:,} are ranked and listed: add a word to find older ones."
