"""What excludes a submission from boards, as bits: how many submissions of a workload have each combination."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntFlag

from django.db.models import Q

from submissions.choices import LatencyKind, Trust
from submissions.models import HAS_RATE, IS_PRICE_OFF, IS_THROTTLED, IS_UNRANKED, IS_UNRELIABLE, TraitTotals


class Trait(IntFlag):
    """The values are those of `submissions_totals_add` and `_remove` in migrations/sql/totals_*.sql."""

    RETRACTED = 1
    RELATIVE = 2  # without a rate
    UNRELIABLE = 4
    THROTTLED = 8
    UNRANKED = 16
    WITHOUT_VALUE = 32  # without operations per dollar
    PRICE_OFF = 64
    WITH_P99 = 128
    WITH_POSITIVE_P99 = 256
    UNDATED = 512
    WITH_CACHE = 1024
    MIXED_MACHINES = 2048  # database nodes of several instance types


# Those that are columns of the submission itself.
CONDITIONS: Mapping[Trait, Q] = {
    Trait.RETRACTED: Q(retracted_at__isnull=False),
    Trait.RELATIVE: ~HAS_RATE,
    Trait.UNRELIABLE: IS_UNRELIABLE,
    Trait.THROTTLED: IS_THROTTLED,
    Trait.UNRANKED: IS_UNRANKED,
    Trait.WITHOUT_VALUE: Q(ops_per_usd=None),
    Trait.PRICE_OFF: IS_PRICE_OFF,
    Trait.WITH_P99: Q(latency_p99_at_most_ms__isnull=False),
    Trait.WITH_POSITIVE_P99: Q(latency_p99_at_most_ms__gt=0),
    Trait.UNDATED: Q(measured_at=None),
    Trait.WITH_CACHE: Q(cache_node_count__gt=0),
}
UNRANKABLE = Trait.RETRACTED | Trait.RELATIVE | Trait.UNRELIABLE | Trait.THROTTLED | Trait.UNRANKED


@dataclass(frozen=True, slots=True)
class TraitCount:
    """`n` submissions of a workload that are public, neither hidden nor superseded; retracted ones have a trait."""

    trust: Trust
    latency_kind: LatencyKind
    bought: str  # the pricing model of all machines of the system; "mixed" with several, empty without any
    traits: Trait
    n: int

    @property
    def is_ranked(self) -> bool:
        """As `SubmissionQuerySet.rankable`."""
        return not self.traits & UNRANKABLE


def trait_counts(workload_id: int) -> list[TraitCount]:
    """Empty where the totals are not current, or count nothing: then the rows are to be read. One query."""
    rows = TraitTotals.objects.current().filter(workload=workload_id, n__gt=0)
    return [
        TraitCount(Trust(trust), LatencyKind(kind), bought, Trait(traits), n)
        for trust, kind, bought, traits, n in rows.values_list("trust", "latency_kind", "bought", "traits", "n")
    ]
