"""What the form offers, whatever is asked."""

from collections import Counter
from dataclasses import dataclass

from submissions.records.places import places


@dataclass(frozen=True, slots=True)
class Offers:
    """Databases, those with the most results first; regions by provider."""

    services: tuple[str, ...]
    places: tuple[tuple[str, tuple[str, ...]], ...]


def offers() -> Offers:
    """Of the results that can be recommended. Two queries, one while they are counted."""
    counted: Counter[str] = Counter()
    by_provider: dict[str, set[str]] = {}
    for place, n in places().items():
        if place.is_sound:
            counted[place.service] += n
            regions = by_provider.setdefault(place.provider, set())
            regions.update(filter(None, [place.region]))
    return Offers(
        tuple(sorted(counted, key=lambda service: (-counted[service], service))),
        tuple((provider, tuple(sorted(by_provider[provider]))) for provider in sorted(by_provider)),
    )
