"""Operations per dollar within one workload: groups, the Pareto front, and what a limit leaves out."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Min, Q, QuerySet

from submissions import queries
from submissions.choices import Choice, LatencyKind, PricingModel, Trust
from submissions.models import Submission


class GroupBy(Choice):
    PROVIDER = "provider"
    INSTANCE_TYPE = "instance_type"
    JDK = "jdk"
    DISK = "disk"

    @property
    def columns(self) -> tuple[str, ...]:
        return _COLUMNS[self]


_COLUMNS = {
    GroupBy.PROVIDER: ("provider",),
    GroupBy.INSTANCE_TYPE: ("provider", "instance_type"),
    GroupBy.JDK: ("jdk_vendor", "jdk_version"),
    GroupBy.DISK: ("disk_kind",),
}


@dataclass(frozen=True, slots=True)
class Selection:
    """What is looked at; None is no restriction. `max_p99_ms` is of `latency_kind`."""

    workload: str  # fingerprint
    basis: PricingModel | None = None
    trust: Trust | None = None  # at least
    max_p99_ms: float | None = None
    latency_kind: LatencyKind | None = None  # None: the kind that most of the workload knows

    @property
    def trust_levels(self) -> tuple[Trust, ...]:
        return tuple(level for level in Trust if not self.trust or level.rank >= self.trust.rank)


@dataclass(frozen=True, slots=True)
class Counts:
    """Submissions of the workload, and how many each restriction leaves out."""

    priced: int  # under basis and trust, before the limit
    unpriced: int  # of the whole workload
    doubtful: int  # priced, but with a flag that puts the rate itself in doubt
    by_basis: dict[PricingModel, int]
    by_kind: dict[LatencyKind, int]  # with a p99
    latency_kind: LatencyKind
    unknown_p99: int
    other_kind: int
    above_limit: int


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


def counts(selection: Selection) -> Counts:
    """One query."""
    is_priced, is_doubtful = Q(ops_per_usd__isnull=False), Q(flags__overlap=queries.DOUBTFUL_RATE)
    chosen = is_priced & ~is_doubtful & _basis_and_trust(selection)
    over = Q(latency_p99_ms__gt=selection.max_p99_ms or 0)
    wanted = {
        "priced": Count("pk", filter=chosen),
        "unpriced": Count("pk", filter=~is_priced),
        "doubtful": Count("pk", filter=is_priced & is_doubtful),
        "known_p99": Count("pk", filter=chosen & Q(latency_p99_ms__isnull=False)),
        **{
            f"basis_{basis}": Count("pk", filter=is_priced & ~is_doubtful & Q(pricing_model=basis))
            for basis in PricingModel
        },
    }
    for kind in LatencyKind:
        known = chosen & Q(latency_kind=kind, latency_p99_ms__isnull=False)
        wanted[f"kind_{kind}"] = Count("pk", filter=known)
        wanted[f"over_{kind}"] = Count("pk", filter=known & over)
    found = Submission.objects.rankable().filter(workload__fingerprint=selection.workload).aggregate(**wanted)
    by_kind = {kind: found[f"kind_{kind}"] for kind in LatencyKind if found[f"kind_{kind}"]}
    kind = selection.latency_kind or _most_frequent(by_kind)
    return Counts(
        priced=found["priced"],
        unpriced=found["unpriced"],
        doubtful=found["doubtful"],
        by_basis={b: found[f"basis_{b}"] for b in PricingModel if found[f"basis_{b}"]},
        by_kind=by_kind,
        latency_kind=kind,
        unknown_p99=found["priced"] - found["known_p99"],
        other_kind=found["known_p99"] - found[f"kind_{kind}"],
        above_limit=found[f"over_{kind}"],
    )


def groups(selection: Selection, by: GroupBy, kind: LatencyKind) -> list[Group]:
    """The best value first; two queries. Each group has its best, its worst and its size."""
    columns = by.columns
    rows = _within(selection, kind)
    sizes = {
        tuple(row[column] for column in columns): row
        for row in rows.order_by().values(*columns).annotate(n=Count("pk"), worst=Min("ops_per_usd"))
    }
    best_of_each = rows.order_by(*columns, "-ops_per_usd", "-pk").distinct(*columns)
    found = []
    for best in best_of_each:
        row = sizes[tuple(getattr(best, column) for column in columns)]
        found.append(Group(_name(best, columns), row["n"], best, row["worst"]))
    return sorted(found, key=lambda group: (-group.best_ops_per_usd, group.name))


def systems(selection: Selection, kind: LatencyKind) -> Systems:
    """The best value and, whatever they give, the systems of the Pareto front; two queries."""
    rows = queries.value_rows(_within(selection, kind))
    cheapest_first = sorted(rows, key=lambda row: (row.hourly_usd, row.throughput_ops_s, row.pk))
    return Systems(tuple(cheapest_first), tuple(queries.front_of(rows)))


def sound_rows() -> QuerySet[Submission]:
    """Priced, with a rate that no flag puts in doubt."""
    return queries.listed().priced().exclude(flags__overlap=queries.DOUBTFUL_RATE)


def _within(selection: Selection, kind: LatencyKind) -> QuerySet[Submission]:
    rows = sound_rows().filter(_basis_and_trust(selection), workload__fingerprint=selection.workload)
    if selection.max_p99_ms is not None:
        rows = rows.filter(latency_kind=kind, latency_p99_ms__lte=selection.max_p99_ms)
    return rows


def _basis_and_trust(selection: Selection) -> Q:
    condition = Q(trust__in=selection.trust_levels) if selection.trust else Q()
    if selection.basis:
        condition &= Q(pricing_model=selection.basis)
    return condition


def _most_frequent(by_kind: dict[LatencyKind, int]) -> LatencyKind:
    # what is known says more than what is not, however frequent that is
    known = {kind: count for kind, count in by_kind.items() if kind != LatencyKind.UNKNOWN}
    return max(known, key=lambda kind: known[kind], default=LatencyKind.UNKNOWN)


def _name(row: Submission, columns: Sequence[str]) -> str:
    values = [getattr(row, column) for column in columns]
    return " ".join(value for value in values if value) or "not stated"
