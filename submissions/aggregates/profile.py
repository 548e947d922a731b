"""What excludes a result from boards, of one row: each condition stands here, once.

SQL gives facts of rows; what they mean for a board is decided here. The same conditions for querysets that list rows
are those of `SubmissionQuerySet`: a test compares the two.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from django.db.models import Case, Count, F, Max, Min, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.db.models.lookups import GreaterThan, IsNull

from submissions.choices import EXCLUDING_FLAGS, PROVEN, Flag, Role, Trust
from submissions.models import IS_UNRANKED, NodeGroup, Submission, SubmissionQuerySet, has_mixed_machines

_UNRELIABLE = frozenset(flag.value for flag in EXCLUDING_FLAGS)
SEVERAL = "mixed"


class ExclusionProfile(NamedTuple):
    """Of a public result; results with the same profile are counted together."""

    is_retracted: bool
    is_relative: bool  # without an absolute rate
    is_unreliable: bool
    is_throttled: bool  # its rate is the load tool's limit, not a capacity
    is_unranked: bool
    is_unpriced: bool  # a throttled one has a price, but no value
    is_price_off: bool
    is_without_storage: bool  # beside no other price: an article's own comparison stays
    is_undated: bool
    has_caches: bool
    has_mixed_machines: bool
    has_p99: bool
    has_positive_p99: bool
    trust: str
    latency_kind: str
    bought: str  # the pricing model of all machines of the system; SEVERAL; empty without any

    @property
    def is_rankable(self) -> bool:
        return not (
            self.is_retracted or self.is_relative or self.is_unreliable or self.is_throttled or self.is_unranked
        )

    @property
    def is_valued(self) -> bool:
        """Whether boards of money rank it."""
        return self.is_rankable and not (self.is_unpriced or self.is_price_off or self.is_without_storage)

    @property
    def is_proven(self) -> bool:
        """Whether it makes the default trust filter of its workload one for results with a raw log."""
        return self.is_rankable and self.trust in PROVEN

    @property
    def key(self) -> str:
        return " ".join(str(int(part)) if isinstance(part, bool) else part for part in self)


@lru_cache(10_000)
def profile_of_key(key: str) -> ExclusionProfile:
    *flags, trust, kind, bought = key.split(" ")
    return ExclusionProfile._make([*(flag == "1" for flag in flags), trust, kind, bought])


def exclusion_profile(
    *,
    flags: Collection[str],
    is_unranked: bool,
    has_rate: bool,
    trust: str,
    latency_kind: str = "",
    has_value: bool = False,
    is_retracted: bool = False,
    is_undated: bool = False,
    has_caches: bool = False,
    has_mixed_machines: bool = False,
    has_p99: bool = False,
    has_positive_p99: bool = False,
    bought: str = "",
) -> ExclusionProfile:
    """Of the facts of a row; who does not need one of them leaves it out."""
    is_throttled = Flag.THROTTLED in flags
    return ExclusionProfile(
        is_retracted=is_retracted,
        is_relative=not has_rate,
        is_unreliable=not _UNRELIABLE.isdisjoint(flags),
        is_throttled=is_throttled,
        is_unranked=is_unranked,
        is_unpriced=not has_value and not is_throttled,
        is_price_off=Flag.STATED_PRICE_OFF in flags,
        is_without_storage=Flag.WITHOUT_STORAGE in flags and trust != Trust.HISTORICAL,
        is_undated=is_undated,
        has_caches=has_caches,
        has_mixed_machines=has_mixed_machines,
        has_p99=has_p99,
        has_positive_p99=has_positive_p99,
        trust=trust,
        latency_kind=latency_kind,
        bought=bought,
    )


def is_true(condition: Q) -> Case:
    """As a column: null is false."""
    return Case(When(condition, then=Value(True)), default=Value(False))


IS_UNRANKED_COLUMN = is_true(IS_UNRANKED)


def _facts_of_machines() -> Mapping[str, Any]:
    system = NodeGroup.objects.filter(submission=OuterRef("pk"), role__in=Role.SYSTEM_UNDER_TEST).order_by()
    models = system.values("submission").annotate(first=Min("pricing_model"), last=Max("pricing_model"))
    model = Case(When(first=F("last"), then=F("first")), default=Value(SEVERAL))
    bought = Coalesce(Subquery(models.annotate(model=model).values("model")), Value(""))
    return {"has_mixed_machines": is_true(has_mixed_machines()), "bought": bought}


_FACTS: Mapping[str, Any] = {
    "is_retracted": IsNull(F("retracted_at"), False),
    "has_rate": IsNull(F("throughput_ops_s"), False),
    "is_unranked": IS_UNRANKED_COLUMN,
    "has_value": IsNull(F("ops_per_usd"), False),
    "is_undated": IsNull(F("measured_at"), True),
    "has_caches": GreaterThan(F("cache_node_count"), 0),
    "has_p99": IsNull(F("latency_p99_at_most_ms"), False),
    "has_positive_p99": is_true(Q(latency_p99_at_most_ms__gt=0)),
}
_COLUMNS = ("flags", "trust", "latency_kind")
_NAMES = (*_COLUMNS, *_FACTS, "has_mixed_machines", "bought")  # of exclusion_profile


class ProfileCount(NamedTuple):
    workload: int
    profile: ExclusionProfile
    conditions: tuple[bool, ...]  # whether these hold
    n: int
    newest: datetime | None  # of their dated measurements

    @classmethod
    def of(cls, row: tuple[Any, ...]) -> "ProfileCount":
        workload, *values, n, newest = row
        profile = exclusion_profile(**dict(zip(_NAMES, values[: len(_NAMES)], strict=True)))
        return cls(workload, profile, tuple(values[len(_NAMES) :]), n, newest)


def profile_query(rows: SubmissionQuerySet, *conditions: Q) -> QuerySet[Submission, tuple[Any, ...]]:
    """How many of these rows have each profile, and whether the conditions hold: a ProfileCount of each."""
    # named apart from columns and methods of the same name
    facts = {f"fact_{name}": fact for name, fact in (*_FACTS.items(), *_facts_of_machines().items())}
    holds = {f"condition_{place}": is_true(condition) for place, condition in enumerate(conditions)}
    groups = rows.order_by().annotate(**facts, **holds).values_list("workload_id", *_COLUMNS, *facts, *holds)
    return groups.annotate(n=Count("pk"), newest=Max("measured_at"))


def public_rows(submissions: SubmissionQuerySet) -> SubmissionQuerySet:
    """Those among these that can be counted, retracted ones too."""
    return Submission.objects.using(submissions.db).with_retracted() & submissions
