"""How many listed results each database has in each place."""

import json
from collections import Counter
from typing import NamedTuple

from submissions.aggregates.read import site_counts
from submissions.records.aggregate import FACETS, PLACE
from submissions.records.cache import cached


class Place(NamedTuple):
    service: str
    provider: str
    region: str | None
    is_sound: bool  # no moderator held it back, and no flag doubts its figures or its price


def places() -> Counter[Place]:
    """Results with a rate. Four queries, one while they are cached."""
    return cached(("places",), _places)


def _places() -> Counter[Place]:
    counts = site_counts(FACETS, PLACE)
    return Counter({Place(*json.loads(key.removeprefix(PLACE))): n for key, n in counts.items()})
