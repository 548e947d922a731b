"""What a search found, in sentences."""

from submissions.formatting.text import plural
from submissions.search.query import MOST, Matches
from submissions.search.terms import Asked


def finding(search: Asked, matches: Matches) -> str:
    if not matches.count:
        return f"No result matches “{search.text}”."
    if matches.is_capped:
        return f"More than {MOST:,} results match “{search.text}”."
    verb = "matches" if matches.count == 1 else "match"
    return f"{plural(matches.count, 'result')} {verb} “{search.text}”."


def note(matches: Matches) -> str:
    """What is not in the list; empty where all of it is."""
    if not matches.is_capped:
        return ""
    return f"Only the newest {MOST:,} are ranked and listed: add a word to find older ones."
