"""How many results of a workload an answer rests on, and which are excluded and why: one query, one wording.

A question lists its reasons in the order in which they are applied; each result is counted once, under the first
reason that applies to it. A p99 rule comes after all of them:

    counts = count(
        Submission.objects.with_rate().filter(workload=workload),
        {Reason.FLAGGED: IS_UNRELIABLE, Reason.WITH_CACHE: Q(cache_node_count__gt=0)},
        latency_kind=form_kind,  # None: the most common known kind
        max_p99_ms=limit,  # None: no limit
    )
    counts.usable, counts.latency_kind, counts.p99_by_kind  # {LatencyKind.SERVICE_TIME: 12}
    counts.excluded  # {Reason.FLAGGED: 3, Reason.WITH_CACHE: 0}, and the p99 reasons where a p99 is needed
    excluded_sentence(counts)  # "Excluded: 3 with a data-quality flag and 2 with a p99 above 10 ms."
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db.models import Case, Count, Exists, IntegerField, OuterRef, Q, Value, When

from submissions.choices import Choice, LatencyKind, Role, Trust
from submissions.formatting.text import join_and, plural
from submissions.models import (
    IS_THROTTLED,
    IS_UNRANKED,
    IS_UNRELIABLE,
    NodeGroup,
    SubmissionQuerySet,
    has_p99_of,
    has_proven,
    keeps_p99,
)


class Reason(Choice):
    """Why a result of the workload takes no part in an answer. The values are keys of JSON answers."""

    RETRACTED = "retracted"
    RELATIVE = "relative"
    FLAGGED = "doubtful"  # with a flag that excludes it
    THROTTLED = "throttled"  # its rate is the load tool's limit, not a capacity
    OTHER_RATE = "other_rate"
    UNRANKED = "unranked"  # awaits a moderator, or one took it from the boards
    UPLOADED = "uploaded"  # without a log
    HISTORICAL = "historical"  # from an article
    WITH_LOG = "with_log"  # beside historical ones
    LOW_TRUST = "low_trust"
    PRICE_OFF = "stated_price_off"
    UNPRICED = "unpriced"
    UNDATED = "undated"
    AGED = "aged"  # with an age mark that the reader leaves out
    WITH_CACHE = "with_cache"
    MIXED_MACHINES = "mixed_machines"
    UNKNOWN_P99 = "unknown_p99"
    OTHER_LATENCY_KIND = "other_latency_kind"
    ABOVE_LIMIT = "above_limit"


IS_RETRACTED = Q(retracted_at__isnull=False)
IS_RELATIVE = Q(throughput_ops_s=None)
IS_UNDATED = Q(measured_at=None)
HAS_P99 = Q(latency_p99_at_most_ms__isnull=False)


def has_mixed_machines() -> Q:
    """Database nodes of another instance type beside those of the largest group."""
    groups = NodeGroup.objects.filter(submission=OuterRef("pk"), role=Role.DATABASE)
    return Q(Exists(groups.exclude(instance_type=OuterRef("instance_type"))))


def board_reasons(trust: Trust | None) -> dict[Reason, Q]:
    """What no board takes, and what this one leaves to other shelves; see `SubmissionQuerySet.on_shelf`."""
    reasons = {Reason.FLAGGED: IS_UNRELIABLE, Reason.THROTTLED: IS_THROTTLED, Reason.UNRANKED: IS_UNRANKED}
    is_historical = Q(trust=Trust.HISTORICAL)
    if trust == Trust.HISTORICAL:
        return {**reasons, Reason.UPLOADED: Q(trust=Trust.UPLOADED), Reason.WITH_LOG: ~is_historical}
    reasons[Reason.HISTORICAL] = is_historical if trust else is_historical & has_proven()
    if trust != Trust.UPLOADED:
        reasons[Reason.UPLOADED] = Q(trust=Trust.UPLOADED)
    if trust is not None and trust.rank > Trust.LOG_VERIFIED.rank:
        reasons[Reason.LOW_TRUST] = ~Q(trust__in=trust.and_higher)
    return reasons


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


def count(
    rows: SubmissionQuerySet,
    reasons: Mapping[Reason, Q],
    *,
    latency_kind: LatencyKind | None = None,
    needs_p99: bool = False,
    max_p99_ms: float | None = None,
    has_p99: Q = HAS_P99,
) -> Counts:
    """One query. `rows` holds the results to exclude too; a limit implies `needs_p99`, and curves are at its load."""
    if max_p99_ms is not None:
        return _count_within(rows, reasons, latency_kind, max_p99_ms)
    first = Case(
        *(When(applies, then=Value(place)) for place, applies in enumerate(reasons.values())),
        default=Value(None),
        output_field=IntegerField(),
    )
    groups = (
        rows.order_by()
        .annotate(first_reason=first, is_with_p99=Case(When(has_p99, then=Value(True)), default=Value(False)))
        .values_list("first_reason", "is_with_p99", "latency_kind", "trust")
        .annotate(n=Count("pk"))
    )
    by_place, historical = dict.fromkeys((None, *range(len(reasons))), 0), 0
    known = dict.fromkeys(LatencyKind, 0)
    for place, is_with_p99, kind, trust, n in groups:
        by_place[place] += n
        if place is None:
            historical += n * (trust == Trust.HISTORICAL)
            known[LatencyKind(kind)] += n * is_with_p99
    p99_by_kind = {kind: n for kind, n in known.items() if n}
    return Counts(
        usable=by_place[None],
        latency_kind=latency_kind or LatencyKind.usual(p99_by_kind),
        p99_by_kind=p99_by_kind,
        own_reasons={reason: by_place[place] for place, reason in enumerate(reasons)},
        needs_p99=needs_p99,
        historical=historical,
    )


def _count_within(
    rows: SubmissionQuerySet, reasons: Mapping[Reason, Q], latency_kind: LatencyKind | None, max_p99_ms: float
) -> Counts:
    """With a limit: a load curve may have a p99 of several kinds."""
    usable = Q()
    wanted: dict[str, Count] = {}
    for reason, applies in reasons.items():
        wanted[f"reason_{reason}"] = Count("pk", filter=usable & applies)
        usable &= ~applies
    wanted["usable"] = Count("pk", filter=usable)
    wanted["historical"] = Count("pk", filter=usable & Q(trust=Trust.HISTORICAL))
    for kind in LatencyKind:
        known = usable & has_p99_of(kind)
        wanted[f"p99_{kind}"] = Count("pk", filter=known)
        wanted[f"above_{kind}"] = Count("pk", filter=known & ~keeps_p99(kind, max_p99_ms))
    numbers: dict[str, int] = rows.order_by().aggregate(**wanted)
    p99_by_kind = {kind: numbers[f"p99_{kind}"] for kind in LatencyKind if numbers[f"p99_{kind}"]}
    kind = latency_kind or LatencyKind.usual(p99_by_kind)
    return Counts(
        usable=numbers["usable"],
        latency_kind=kind,
        p99_by_kind=p99_by_kind,
        own_reasons={reason: numbers[f"reason_{reason}"] for reason in reasons},
        needs_p99=True,
        max_p99_ms=max_p99_ms,
        above_limit=numbers[f"above_{kind}"],
        historical=numbers["historical"],
    )


def excluded_words(counts: Counts) -> list[str]:
    """ "3 with a data-quality flag": each reason that excludes any result, with how many it excludes.

    Other shelves have a link of their own (shelves.py), an unknown p99 under a limit has `unknown_p99_sentence`.
    """
    elsewhere = _ON_OTHER_SHELVES if counts.max_p99_ms is None else {*_ON_OTHER_SHELVES, Reason.UNKNOWN_P99}
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
    Reason.UNPRICED: "without a known price",
    Reason.UNDATED: "without a measurement date",
    Reason.AGED: "with the note on age that is left out",
    Reason.WITH_CACHE: "with a cache in front of the database",
    Reason.MIXED_MACHINES: "with database nodes of several instance types",
    Reason.UNKNOWN_P99: "without a p99",
}

_ON_OTHER_SHELVES = (Reason.UPLOADED, Reason.HISTORICAL, Reason.WITH_LOG)
