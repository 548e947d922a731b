"""Operations per dollar within one workload: groups, the Pareto front, and what a limit leaves out."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from django.db.models import Count, Min, Q

from submissions.choices import LatencyKind, Trust
from submissions.models import IS_EXCLUDED, Submission, SubmissionQuerySet
from submissions.pricing.terms import PriceTerms
from submissions.questions.value.front import front_of, value_rows
from submissions.questions.workload.grouping import GroupBy


@dataclass(frozen=True, slots=True)
class Selection:
    """What is looked at; None is no restriction. `max_p99_ms` is of `latency_kind`."""

    workload: str  # fingerprint
    prices: PriceTerms = field(default_factory=PriceTerms)
    trust: Trust | None = None  # at least
    max_p99_ms: float | None = None
    latency_kind: LatencyKind | None = None  # None: the kind that most of the workload knows

    @property
    def trust_levels(self) -> tuple[Trust, ...]:
        return tuple(level for level in Trust if not self.trust or level.rank >= self.trust.rank)

    @property
    def is_trusted(self) -> Q:
        return Q(trust__in=self.trust_levels) if self.trust else Q()


@dataclass(frozen=True, slots=True)
class Counts:
    """Submissions of the workload, and how many each restriction leaves out."""

    priced: int  # under the least trust, before the limit
    unpriced: int  # with a rate, but without a cost at these prices
    doubtful: int  # with a flag that puts the rate itself in doubt
    by_kind: dict[LatencyKind, int]  # with a p99
    latency_kind: LatencyKind
    unknown_p99: int
    other_kind: int
    above_limit: int
    missing_prices: tuple[tuple[str, int], ...] = ()  # (why, submissions) of the unpriced, where it is known


@dataclass(frozen=True, slots=True)
class Group:
    """Submissions that share the value; `best` is the one with the most operations per dollar."""

    name: str
    n: int
    best: Submission
    worst_ops_per_usd: Decimal

    @property
    def best_ops_per_usd(self) -> Decimal:
        assert self.best.ops_per_usd is not None  # noqa: S101 - only priced ones are grouped
        return self.best.ops_per_usd


@dataclass(frozen=True, slots=True)
class Systems:
    """What the scatter draws, cheapest first, and the part of it that nothing beats."""

    shown: tuple[Submission, ...]
    front: tuple[Submission, ...]


class Valuation(Protocol):
    """The submissions of a selection at its prices; the rows that it hands out have these prices."""

    @property
    def counts(self) -> Counts: ...

    def groups(self, by: GroupBy) -> list[Group]:
        """The best value first. Each group has its best, its worst and its size."""

    def systems(self) -> Systems:
        """The best value and, whatever they give, the systems of the Pareto front."""


class StoredValue:
    """At the prices that the submissions keep: all of it is worked out by the database."""

    def __init__(self, selection: Selection):
        """One query."""
        self._selection = selection
        self.counts = _counts(selection)

    def groups(self, by: GroupBy) -> list[Group]:
        """Two queries."""
        columns, rows = by.columns, self._rows()
        sizes = {
            tuple(row[column] for column in columns): row
            for row in rows.order_by().values(*columns).annotate(n=Count("pk"), worst=Min("ops_per_usd"))
        }
        found = []
        for best in rows.order_by(*columns, "-ops_per_usd", "-pk").distinct(*columns):
            row = sizes[by.values_of(best)]
            found.append(Group(by.name_of(best), row["n"], best, row["worst"]))
        return best_first(found)

    def systems(self) -> Systems:
        """Two queries."""
        return systems_of(value_rows(self._rows()))

    def _rows(self) -> SubmissionQuerySet:
        selection = self._selection
        rows = ranked_rows().filter(selection.is_trusted, workload__fingerprint=selection.workload)
        if selection.max_p99_ms is not None:
            rows = rows.filter(latency_kind=self.counts.latency_kind, latency_p99_ms__lte=selection.max_p99_ms)
        return rows


def ranked_rows() -> SubmissionQuerySet:
    """Priced, with a rate that can be ranked."""
    return Submission.objects.listed().rankable().priced()


def best_first(groups: list[Group]) -> list[Group]:
    return sorted(groups, key=lambda group: (-group.best_ops_per_usd, group.name))


def systems_of(rows: list[Submission]) -> Systems:
    """Priced rows as the scatter draws them. No query."""
    cheapest_first = sorted(rows, key=lambda row: (row.hourly_usd, row.throughput_ops_s, row.pk))
    return Systems(tuple(cheapest_first), tuple(front_of(rows)))


def kind_to_limit(selection: Selection, by_kind: dict[LatencyKind, int]) -> LatencyKind:
    """What is asked for; else what most know, and known before unknown, however frequent that is."""
    if selection.latency_kind:
        return selection.latency_kind
    known = {kind: count for kind, count in by_kind.items() if kind != LatencyKind.UNKNOWN}
    return max(known, key=lambda kind: known[kind], default=LatencyKind.UNKNOWN)


def _counts(selection: Selection) -> Counts:
    is_priced, is_doubtful = Q(ops_per_usd__isnull=False), IS_EXCLUDED
    chosen = is_priced & ~is_doubtful & selection.is_trusted
    over = Q(latency_p99_ms__gt=selection.max_p99_ms or 0)
    wanted = {
        "priced": Count("pk", filter=chosen),
        "unpriced": Count("pk", filter=~is_priced),
        "doubtful": Count("pk", filter=is_priced & is_doubtful),
        "known_p99": Count("pk", filter=chosen & Q(latency_p99_ms__isnull=False)),
    }
    for kind in LatencyKind:
        known = chosen & Q(latency_kind=kind, latency_p99_ms__isnull=False)
        wanted[f"kind_{kind}"] = Count("pk", filter=known)
        wanted[f"over_{kind}"] = Count("pk", filter=known & over)
    found = Submission.objects.with_rate().filter(workload__fingerprint=selection.workload).aggregate(**wanted)
    by_kind = {kind: found[f"kind_{kind}"] for kind in LatencyKind if found[f"kind_{kind}"]}
    kind = kind_to_limit(selection, by_kind)
    return Counts(
        priced=found["priced"],
        unpriced=found["unpriced"],
        doubtful=found["doubtful"],
        by_kind=by_kind,
        latency_kind=kind,
        unknown_p99=found["priced"] - found["known_p99"],
        other_kind=found["known_p99"] - found[f"kind_{kind}"],
        above_limit=found[f"over_{kind}"],
    )
