"""The counts of a board from the totals of its workload; from its rows where totals cannot tell."""

from collections.abc import Callable, Mapping

from django.db.models import Q

from submissions.choices import PROVEN, LatencyKind, Trust
from submissions.models import Submission
from submissions.questions.workload.counts import Counts, Reason, count
from submissions.summaries.traits import CONDITIONS, Trait, TraitCount, trait_counts

_TRAITS: Mapping[Reason, Trait] = {
    Reason.RETRACTED: Trait.RETRACTED,
    Reason.RELATIVE: Trait.RELATIVE,
    Reason.FLAGGED: Trait.UNRELIABLE,
    Reason.THROTTLED: Trait.THROTTLED,
    Reason.UNRANKED: Trait.UNRANKED,
    Reason.PRICE_OFF: Trait.PRICE_OFF,
    Reason.UNDATED: Trait.UNDATED,
    Reason.WITH_CACHE: Trait.WITH_CACHE,
    Reason.MIXED_MACHINES: Trait.MIXED_MACHINES,
}


def board_counts(
    workload_id: int,
    reasons: Mapping[Reason, Q],
    trust: Trust | None,
    *,
    with_retracted: bool = False,
    latency_kind: LatencyKind | None = None,
    needs_p99: bool = False,
    max_p99_ms: float | None = None,
    p99: Trait = Trait.WITH_P99,
    only: Q | None = None,
) -> Counts:
    """As `count` of the submissions with a rate, or of all with the retracted ones; `reasons` are those of a board.
    `only`: of the rows with this condition alone.

    One query; two where the totals are not current, and one that reads the rows for a limit, a rate or a condition.
    """
    rules = _rules(trust)
    if only is None and max_p99_ms is None and all(reason in rules for reason in reasons):
        parts = trait_counts(workload_id)
        if parts:
            counted = parts if with_retracted else [part for part in parts if _has_rate(part)]
            return _counts(
                counted, parts, [(reason, rules[reason]) for reason in reasons], latency_kind, needs_p99, p99
            )
    every = Submission.objects.with_retracted() if with_retracted else Submission.objects.with_rate()
    return count(
        every.filter(Q(workload=workload_id) if only is None else Q(only, workload=workload_id)),
        reasons,
        latency_kind=latency_kind,
        needs_p99=needs_p99,
        max_p99_ms=max_p99_ms,
        has_p99=CONDITIONS[p99],
    )


_Rule = Callable[[TraitCount, bool], bool]  # of a part, and whether the workload has ranked results with a log


def _rules(trust: Trust | None) -> dict[Reason, _Rule]:
    """What `counts.board_reasons` and the reasons of traits say, of a part."""
    return {
        **{reason: _has(trait) for reason, trait in _TRAITS.items()},
        Reason.UNPRICED: lambda part, _: part.traits & (Trait.WITHOUT_VALUE | Trait.THROTTLED) == Trait.WITHOUT_VALUE,
        Reason.UPLOADED: lambda part, _: part.trust == Trust.UPLOADED,
        Reason.WITH_LOG: lambda part, _: part.trust != Trust.HISTORICAL,
        Reason.HISTORICAL: lambda part, proven: part.trust == Trust.HISTORICAL and (trust is not None or proven),
        Reason.LOW_TRUST: lambda part, _: trust is not None and part.trust not in trust.and_higher,
    }


def _has(trait: Trait) -> _Rule:
    return lambda part, _: bool(part.traits & trait)


def _has_rate(part: TraitCount) -> bool:
    return not part.traits & (Trait.RETRACTED | Trait.RELATIVE)


def _counts(
    counted: list[TraitCount],
    parts: list[TraitCount],
    rules: list[tuple[Reason, _Rule]],
    latency_kind: LatencyKind | None,
    needs_p99: bool,
    p99: Trait,
) -> Counts:
    proven = any(part.is_ranked and part.trust in PROVEN for part in parts)
    excluded = dict.fromkeys((reason for reason, _ in rules), 0)
    usable: list[TraitCount] = []
    for part in counted:
        reason = next((reason for reason, applies in rules if applies(part, proven)), None)
        if reason is None:
            usable.append(part)
        else:
            excluded[reason] += part.n
    p99_by_kind = {
        kind: n
        for kind in LatencyKind
        if (n := sum(part.n for part in usable if part.latency_kind == kind and part.traits & p99))
    }
    return Counts(
        usable=sum(part.n for part in usable),
        latency_kind=latency_kind or LatencyKind.usual(p99_by_kind),
        p99_by_kind=p99_by_kind,
        own_reasons=excluded,
        needs_p99=needs_p99,
        historical=sum(part.n for part in usable if part.trust == Trust.HISTORICAL),
    )
