"""What an uploader reads about masked secrets: how many and where, never what they were."""

from collections.abc import Sequence

from submissions.formatting.text import join_and, plural
from submissions.ingest.secrets.stream import Spot

_MOST_LINES = 8


def masked_in_file(name: str, spots: Sequence[Spot]) -> str:
    """ "stress.log: 2 secrets masked: line 3 (password), line 17 (private key)"."""
    shown = [f"line {spot.line} ({spot.kind})" for spot in spots[:_MOST_LINES]]
    left = len(spots) - len(shown)
    if left:
        shown.append(f"{left:,} more")
    return f"{name}: {plural(len(spots), 'secret')} masked: {join_and(shown)}"


def masked_in_facts(pointers: Sequence[str]) -> str:
    """ "" where there is none."""
    return f"Secrets are masked in {join_and(pointers[:_MOST_LINES])}" if pointers else ""
