"""What a search found, in sentences."""

from collections.abc import Sequence

from submissions.formatting.text import plural
from submissions.search.places import FoundPlace
from submissions.search.query import MOST, Matches
from submissions.search.terms import Asked


def finding(search: Asked, matches: Matches) -> str:
    if not matches.count:
        return f"No result matches “{search.text}”."
    if matches.is_capped:
        return f"More than {MOST:,} results match “{search.text}”."
    verb = "matches" if matches.count == 1 else "match"
    return f"{plural(matches.count, 'result')} {verb} “{search.text}”."


def side_by_side(places: Sequence[FoundPlace]) -> str:
    """Of a search for one database against another; empty for any other."""
    place = next((place for place in places if place.kind == "comparison"), None)
    return f"{place.label}: {place.note}." if place else ""


def note(matches: Matches) -> str:
    """What is not in the list; empty where all of it is."""
    if not matches.is_capped:
        return ""
    return f"Only the newest {MOST:,} are ranked and listed: add a word to find older ones."
