"""What the form offers, whatever is asked."""

from collections import Counter
from dataclasses import dataclass

from submissions.records.databases.places import places


@dataclass(frozen=True, slots=True)
class Offers:
    """Databases, those with the most results first; providers; regions, each once, under all providers that have it."""

    services: tuple[str, ...]
    providers: tuple[str, ...]
    regions: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]  # (providers, their regions)


def offers() -> Offers:
    """Of the results that can be recommended. Two queries, one while they are counted."""
    counted: Counter[str] = Counter()
    providers: set[str] = set()
    by_region: dict[str, set[str]] = {}
    for place, n in places().items():
        if place.is_sound:
            counted[place.service] += n
            providers.add(place.provider)
            if place.region:
                by_region.setdefault(place.region, set()).add(place.provider)
    by_providers: dict[tuple[str, ...], list[str]] = {}
    for region in sorted(by_region):
        by_providers.setdefault(tuple(sorted(by_region[region])), []).append(region)
    return Offers(
        tuple(sorted(counted, key=lambda service: (-counted[service], service))),
        tuple(sorted(providers)),
        tuple((shared, tuple(by_providers[shared])) for shared in sorted(by_providers)),
    )
