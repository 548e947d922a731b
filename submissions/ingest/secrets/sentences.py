"""What an uploader reads about masked secrets: how many and where, never what they were."""

from collections import Counter
from collections.abc import Sequence

from submissions.formatting.text import join_and, plural
from submissions.ingest.secrets.stream import Spot

_MOST_LINES = 8


def masked_in_file(name: str, spots: Sequence[Spot]) -> str:
    """ "stress.log: 3 secrets masked: line 3 (password), line 17 (2 x private key)"."""
    places = Counter((spot.line, spot.kind) for spot in spots)
    first = list(places.items())[:_MOST_LINES]
    shown = [f"line {line} ({kind if count == 1 else f'{count} x {kind}'})" for (line, kind), count in first]
    left = len(spots) - sum(count for _, count in first)
    if left:
        shown.append(f"{left:,} more")
    return f"{name}: {plural(len(spots), 'secret')} masked: {join_and(shown)}"


def masked_in_facts(pointers: Sequence[str]) -> str:
    """ "" where there is none."""
    return f"Secrets are masked in {join_and(pointers[:_MOST_LINES])}" if pointers else ""
