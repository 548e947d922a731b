"""How many results of a workload an answer rests on, and which are excluded and why: one wording.

A question lists its reasons in the order in which they are applied; each result is counted once, under the first
reason that applies to it. A p99 rule comes after all of them:

    counts = board_counts(
        [workload_id],
        [*board_reasons(trust), Reason.WITH_CACHE],
        trust,
        latency_kind=form_kind,  # None: the most common known kind
        max_p99_ms=limit,  # None: no limit
    )
    counts.usable, counts.latency_kind, counts.p99_by_kind  # {LatencyKind.SERVICE_TIME: 12}
    counts.excluded  # {Reason.FLAGGED: 3, Reason.WITH_CACHE: 0}, and the p99 reasons where a p99 is needed
    excluded_sentence(counts)  # "Excluded: 3 with a data-quality flag and 2 with a p99 above 10 ms."
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Q

from submissions.aggregates.boards import BOARDS, has_proven, profiles_in
from submissions.aggregates.profile import ExclusionProfile, ProfileCount, profile_query
from submissions.aggregates.read import states_by_workload
from submissions.aggregates.workloads import with_proven
from submissions.choices import LatencyKind, Trust
from submissions.formatting.text import join_and, plural
from submissions.models import Submission, SubmissionQuerySet, has_p99_of, keeps_p99
from submissions.questions.boards.reasons import Reason, first_reason


@dataclass(frozen=True, slots=True)
class Counts:
    """`latency_kind` is the chosen one, else the most common known kind, else unknown."""

    usable: int  # results that none of the question's own reasons excludes; the p99 rule is not applied yet
    latency_kind: LatencyKind
    p99_by_kind: Mapping[LatencyKind, int]  # of the usable ones, those with a p99
    own_reasons: Mapping[Reason, int] = field(default_factory=dict)
    needs_p99: bool = False
    max_p99_ms: float | None = None
    above_limit: int = 0  # usable ones with a p99 of `latency_kind` above `max_p99_ms`
    historical: int = 0  # usable ones from articles

    @property
    def total(self) -> int:
        """All results that were counted."""
        return self.usable + sum(self.own_reasons.values())

    @property
    def p99_unknown(self) -> int:
        """Results that a limit leaves out because it is unknown whether they keep it; 0 without a limit."""
        return 0 if self.max_p99_ms is None else self.excluded[Reason.UNKNOWN_P99]

    @property
    def excluded(self) -> dict[Reason, int]:
        """Every reason that the question applies, none twice; 0 where it excludes nothing."""
        excluded = dict(self.own_reasons)
        if self.needs_p99:
            known = sum(self.p99_by_kind.values())
            excluded[Reason.UNKNOWN_P99] = self.usable - known
            excluded[Reason.OTHER_LATENCY_KIND] = known - self.p99_by_kind.get(self.latency_kind, 0)
        if self.max_p99_ms is not None:
            excluded[Reason.ABOVE_LIMIT] = self.above_limit
        return excluded


class Counted(NamedTuple):
    """`n` results of one workload with the same profile."""

    profile: ExclusionProfile
    n: int
    has_proven: bool  # its workload has ranked results with a raw log
    holding: Collection[Reason] = ()  # that no profile knows
    p99_kinds: Collection[LatencyKind] = ()  # of which there is a p99
    above_limit: Collection[LatencyKind] = ()  # of which it is above the limit


def board_counts(
    workload_ids: Collection[int] | None,
    reasons: Sequence[Reason],
    trust: Trust | None,
    *,
    conditions: Mapping[Reason, Q] | None = None,
    only: Q | None = None,
    with_relative: bool = False,
    latency_kind: LatencyKind | None = None,
    needs_p99: bool = False,
    is_p99_positive: bool = False,
    max_p99_ms: float | None = None,
) -> Counts:
    """Of results with an absolute rate, of these workloads or of all; with RETRACTED among the reasons, of all results.

    `conditions` are those of reasons that no profile knows; `only`: of the rows with this condition alone. Two queries;
    where there are such conditions or a limit one that reads rows, and two more for the default trust filter.
    """
    is_of_all = Reason.RETRACTED in reasons
    if only is None and not conditions and max_p99_ms is None:
        counted: Iterable[Counted] = stored_profiles(workload_ids, is_p99_positive=is_p99_positive)
        if not is_of_all:
            counted = (
                one
                for one in counted
                if not one.profile.is_retracted and (with_relative or not one.profile.is_relative)
            )
        return counts_of(counted, reasons, trust, latency_kind=latency_kind, needs_p99=needs_p99)
    rows = Submission.objects.with_retracted() if is_of_all else Submission.objects.with_rate()
    of_these = Q() if workload_ids is None else Q(workload__in=workload_ids)
    return count(
        rows.filter(of_these if only is None else Q(only, of_these)),
        reasons,
        trust,
        conditions=conditions,
        latency_kind=latency_kind,
        needs_p99=needs_p99,
        is_p99_positive=is_p99_positive,
        max_p99_ms=max_p99_ms,
    )


def stored_profiles(workload_ids: Collection[int] | None, *, is_p99_positive: bool = False) -> Iterator[Counted]:
    """Of all results, retracted ones too. Two queries."""
    for state in states_by_workload(BOARDS, workload_ids).values():
        is_proven = has_proven(state)
        for profile, n in profiles_in(state):
            yield Counted(profile, n, is_proven, p99_kinds=_p99_kinds(profile, is_positive=is_p99_positive))


def _p99_kinds(profile: ExclusionProfile, *, is_positive: bool) -> Collection[LatencyKind]:
    has_p99 = profile.has_positive_p99 if is_positive else profile.has_p99
    return (LatencyKind(profile.latency_kind),) if has_p99 else ()


def counts_of(
    counted: Iterable[Counted],
    reasons: Sequence[Reason],
    trust: Trust | None,
    *,
    latency_kind: LatencyKind | None = None,
    needs_p99: bool = False,
    max_p99_ms: float | None = None,
) -> Counts:
    usable = historical = 0
    excluded = dict.fromkeys(reasons, 0)
    with_p99, above_limit = Counter[LatencyKind](), Counter[LatencyKind]()
    for one in counted:
        reason = first_reason(one.profile, reasons, trust, has_proven=one.has_proven, holding=one.holding)
        if reason is not None:
            excluded[reason] += one.n
            continue
        usable += one.n
        historical += one.n * (one.profile.trust == Trust.HISTORICAL)
        for kind in one.p99_kinds:
            with_p99[kind] += one.n
        for kind in one.above_limit:
            above_limit[kind] += one.n
    p99_by_kind = {kind: with_p99[kind] for kind in LatencyKind if with_p99[kind]}
    kind = latency_kind or LatencyKind.usual(p99_by_kind)
    return Counts(
        usable=usable,
        latency_kind=kind,
        p99_by_kind=p99_by_kind,
        own_reasons=excluded,
        needs_p99=needs_p99 or max_p99_ms is not None,
        max_p99_ms=max_p99_ms,
        above_limit=above_limit[kind],
        historical=historical,
    )


def count(
    rows: SubmissionQuerySet,
    reasons: Sequence[Reason],
    trust: Trust | None,
    *,
    conditions: Mapping[Reason, Q] | None = None,
    latency_kind: LatencyKind | None = None,
    needs_p99: bool = False,
    is_p99_positive: bool = False,
    max_p99_ms: float | None = None,
) -> Counts:
    """The same of some rows, which hold the results to exclude too. A limit implies `needs_p99`, and load curves are at
    its load. One query; two more for the default trust filter.
    """
    stated = dict(conditions or {})
    kinds = list(LatencyKind) if max_p99_ms is not None else []  # a load curve may have a p99 of several
    limits = [has_p99_of(kind) for kind in kinds]
    limits += [has_p99_of(kind) & ~keeps_p99(kind, max_p99_ms) for kind in kinds if max_p99_ms is not None]
    groups = [ProfileCount.of(row) for row in profile_query(rows, *stated.values(), *limits).iterator()]
    proven = with_proven({group.workload for group in groups}) if trust is None else frozenset()

    def counted(group: ProfileCount) -> Counted:
        holding = [reason for reason, holds in zip(stated, group.conditions, strict=False) if holds]
        of_kinds = group.conditions[len(stated) :]
        known = [kind for kind, holds in zip(kinds, of_kinds, strict=False) if holds]
        above = [kind for kind, holds in zip(kinds, of_kinds[len(kinds) :], strict=True) if holds]
        p99_kinds = known if kinds else _p99_kinds(group.profile, is_positive=is_p99_positive)
        return Counted(group.profile, group.n, group.workload in proven, holding, p99_kinds, above)

    return counts_of(
        map(counted, groups), reasons, trust, latency_kind=latency_kind, needs_p99=needs_p99, max_p99_ms=max_p99_ms
    )


def excluded_words(counts: Counts) -> list[str]:
    """ "3 with a data-quality flag": each reason that excludes any result, with how many it excludes.

    Other trust filters have links of their own (trust_filter.py), an unknown p99 under a limit `unknown_p99_sentence`.
    """
    elsewhere = _OF_OTHER_TRUST_FILTERS if counts.max_p99_ms is None else {*_OF_OTHER_TRUST_FILTERS, Reason.UNKNOWN_P99}
    return [
        f"{number:,} {_words(reason, counts)}"
        for reason, number in counts.excluded.items()
        if number and reason not in elsewhere
    ]


def excluded_sentence(counts: Counts) -> str:
    """ "Excluded: 3 with a data-quality flag and 2 without a p99."; empty where nothing is excluded."""
    words = excluded_words(counts)
    sentences = (f"Excluded: {join_and(words)}." if words else "", unknown_p99_sentence(counts))
    return " ".join(filter(None, sentences))


def unknown_p99_sentence(counts: Counts) -> str:
    """ "Of 3 results the p99 is unknown."; empty without a limit, and where it is known of all."""
    return f"Of {plural(counts.p99_unknown, 'result')} the p99 is unknown." if counts.p99_unknown else ""


def _words(reason: Reason, counts: Counts) -> str:
    if reason == Reason.OTHER_LATENCY_KIND:
        return f"with a p99 not known to be {counts.latency_kind.label}"
    if reason == Reason.ABOVE_LIMIT:
        return f"with a p99 above {counts.max_p99_ms:g} ms"
    return _WORDS[reason]


_WORDS = {
    Reason.RETRACTED: "retracted",
    Reason.RELATIVE: "with relative figures only",
    Reason.FLAGGED: "with a data-quality flag",
    Reason.THROTTLED: "limited to a rate by the load tool",
    Reason.OTHER_RATE: "at another rate",
    Reason.UNRANKED: "awaiting a moderator",
    Reason.LOW_TRUST: "below the minimum trust level",
    Reason.PRICE_OFF: "with a stated price far from the list price",
    Reason.WITHOUT_STORAGE: "without storage in the price",
    Reason.UNPRICED: "without a known price",
    Reason.UNDATED: "without a measurement date",
    Reason.AGED: "with the note on age that is left out",
    Reason.WITH_CACHE: "with a cache in front of the database",
    Reason.MIXED_MACHINES: "with database nodes of several instance types",
    Reason.UNKNOWN_P99: "without a p99",
}

_OF_OTHER_TRUST_FILTERS = (Reason.UPLOADED, Reason.HISTORICAL, Reason.WITH_LOG)
