"""How many results of each workload there are of each sort: what every board takes or leaves out, and why.

A sort is what the reasons of `counts.py` look at. The conditions here are theirs, for a sort instead of a row.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from django.db.models import Case, Q, QuerySet, Value, When

from submissions.aggregates.kinds import Kind, State
from submissions.aggregates.read import states_by_workload
from submissions.choices import EXCLUDING_FLAGS, PROVEN, Flag, LatencyKind, Trust
from submissions.models import IS_UNRANKED, Submission, SubmissionQuerySet
from submissions.questions.workload.counts import Counts, Reason, has_mixed_machines

_UNRELIABLE = frozenset(flag.value for flag in EXCLUDING_FLAGS)


class Sort(NamedTuple):
    """Of a published result with a rate; a relative rate is one too."""

    is_relative: bool
    is_unreliable: bool
    is_throttled: bool
    is_unranked: bool
    is_price_off: bool
    has_caches: bool
    is_mixed: bool
    has_p99: bool
    trust: str
    latency_kind: str

    @property
    def is_rankable(self) -> bool:
        return not (self.is_relative or self.is_unreliable or self.is_throttled or self.is_unranked)

    @property
    def key(self) -> str:
        return " ".join(str(int(part)) if isinstance(part, bool) else part for part in self)

    @classmethod
    def of(
        cls,
        rate: float | None,
        flags: Collection[str],
        *,
        is_unranked: bool,
        trust: str,
        latency_kind: str,
        p99: float | None,
    ) -> "Sort":
        """Of a row whose machines do not matter; `rate` is the absolute one."""
        return cls(
            is_relative=rate is None,
            is_unreliable=not _UNRELIABLE.isdisjoint(flags),
            is_throttled=Flag.THROTTLED in flags,
            is_unranked=is_unranked,
            is_price_off=Flag.STATED_PRICE_OFF in flags,
            has_caches=False,
            is_mixed=False,
            has_p99=p99 is not None,
            trust=trust,
            latency_kind=latency_kind,
        )

    @classmethod
    def of_key(cls, key: str) -> "Sort":
        *flags, trust, kind = key.split(" ")
        return cls._make([*(flag == "1" for flag in flags), trust, kind])


IsSort = Callable[[Sort], bool]


class SortsKind(Kind):
    name = "sorts"
    code = "2"

    def rows(self, submissions: SubmissionQuerySet) -> QuerySet[Submission, tuple[Any, ...]]:
        rows = Submission.objects.using(submissions.db).published() & submissions
        rated = rows.filter(Q(throughput_ops_s__gt=0) | Q(throughput_ops_s=None, relative_throughput__gt=0))
        return (
            rated.order_by()
            .annotate(
                is_unranked=Case(When(IS_UNRANKED, then=Value(True)), default=Value(False)),
                is_mixed=Case(When(has_mixed_machines(), then=Value(True)), default=Value(False)),
            )
            .values_list(
                *("throughput_ops_s", "flags", "is_unranked", "cache_node_count", "is_mixed"),
                *("latency_p99_at_most_ms", "trust", "latency_kind"),
            )
        )

    def add(self, state: State, row: tuple[Any, ...]) -> None:
        rate, flags, is_unranked, caches, is_mixed, p99, trust, kind = row
        sort = Sort.of(rate, flags, is_unranked=is_unranked, trust=trust, latency_kind=kind, p99=p99)
        sort = sort._replace(has_caches=caches > 0, is_mixed=is_mixed)
        state[sort.key] = state.get(sort.key, 0) + 1


SORTS = SortsKind()


def has_proven(state: State) -> bool:
    return any(sort.is_rankable and sort.trust in PROVEN for sort in map(Sort.of_key, state))


def board_sorts(trust: Trust | None, *, has_proven: bool) -> dict[Reason, IsSort]:
    """`board_reasons` of counts.py, for the results of one workload."""
    reasons: dict[Reason, IsSort] = {
        Reason.FLAGGED: lambda sort: sort.is_unreliable,
        Reason.THROTTLED: lambda sort: sort.is_throttled,
        Reason.UNRANKED: lambda sort: sort.is_unranked,
    }
    if trust == Trust.HISTORICAL:
        reasons[Reason.UPLOADED] = lambda sort: sort.trust == Trust.UPLOADED
        reasons[Reason.WITH_LOG] = lambda sort: sort.trust != Trust.HISTORICAL
        return reasons
    reasons[Reason.HISTORICAL] = lambda sort: sort.trust == Trust.HISTORICAL and (trust is not None or has_proven)
    if trust != Trust.UPLOADED:
        reasons[Reason.UPLOADED] = lambda sort: sort.trust == Trust.UPLOADED
    if trust is not None and trust.rank > Trust.LOG_VERIFIED.rank:
        reasons[Reason.LOW_TRUST] = lambda sort: sort.trust not in trust.and_higher
    return reasons


def counts_of(
    sorts: Iterable[tuple[Sort, int]], reasons: Mapping[Reason, IsSort], latency_kind: LatencyKind | None = None
) -> Counts:
    """What `count` of counts.py answers, without its rules about a p99."""
    usable = historical = 0
    own_reasons = dict.fromkeys(reasons, 0)
    p99_by_kind: dict[LatencyKind, int] = {}
    for sort, n in sorts:
        reason = next((reason for reason, applies in reasons.items() if applies(sort)), None)
        if reason is not None:
            own_reasons[reason] += n
            continue
        usable += n
        historical += n * (sort.trust == Trust.HISTORICAL)
        if sort.has_p99:
            kind = LatencyKind(sort.latency_kind)
            p99_by_kind[kind] = p99_by_kind.get(kind, 0) + n
    return Counts(
        usable=usable,
        latency_kind=latency_kind or LatencyKind.usual(p99_by_kind),
        p99_by_kind={kind: p99_by_kind[kind] for kind in LatencyKind if kind in p99_by_kind},
        own_reasons=own_reasons,
        historical=historical,
    )


def joined(counts: Iterable[Counts]) -> Counts | None:
    """Of several workloads, for the same reasons; None of none."""
    every = list(counts)
    if not every:
        return None
    p99_by_kind = {kind: n for kind in LatencyKind if (n := sum(one.p99_by_kind.get(kind, 0) for one in every))}
    return Counts(
        usable=sum(one.usable for one in every),
        latency_kind=LatencyKind.usual(p99_by_kind),
        p99_by_kind=p99_by_kind,
        own_reasons={reason: sum(one.own_reasons[reason] for one in every) for reason in every[0].own_reasons},
        historical=sum(one.historical for one in every),
    )


def board_counts(workloads: Collection[int] | None, trust: Trust | None) -> Counts:
    """Of these workloads (None: of all) what boards take and leave out, relative figures too. Two queries."""
    sorts = {True: Counter[Sort](), False: Counter[Sort]()}  # by whether the workload has results with a log
    for state in states_by_workload(SORTS, workloads).values():
        own = {_sort_of(key): n for key, n in state.items()}
        sorts[any(sort.is_rankable and sort.trust in PROVEN for sort in own)].update(own)
    every = [counts_of(of_these.items(), board_sorts(trust, has_proven=has_log)) for has_log, of_these in sorts.items()]
    return joined(every) or counts_of((), board_sorts(trust, has_proven=False))


_sort_of = lru_cache(10_000)(Sort.of_key)


def absolute(state: State) -> list[tuple[Sort, int]]:
    """The sorts of the results with an absolute rate."""
    sorts = ((Sort.of_key(key), n) for key, n in state.items())
    return [(sort, n) for sort, n in sorts if not sort.is_relative]
