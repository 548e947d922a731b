"""What the value page finds, in sentences and as files."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from submissions.analysis.ranking import Standing
from submissions.formatting.numbers import significant
from submissions.questions.compare.query import system_name
from submissions.questions.value.query import Counts, Group, Selection, Systems
from submissions.questions.workload import leader as leading
from submissions.questions.workload.choice import WorkloadChoice
from submissions.questions.workload.grouping import GroupBy

MILLION = 1_000_000
MOST_REASONS = 3

_NUMBERS = (
    "rank",
    "n",
    "best_ops_per_usd",
    "worst_ops_per_usd",
    "best_submission",
    "trials",
    "throughput_ops_s",
    "latency_p99_ms",
    "latency_kind",
    "hourly_usd",
    "price_date",
)


def finding(by: GroupBy, groups: Sequence[Group], standings: Sequence[Standing], asked: Selection) -> str:
    """Who gives the most for the money, as far as noise allows to say; `standings` are those of the best groups."""
    if not groups:
        return "No priced submission of this workload is within these limits."
    names = {str(group.best.pk): group.name for group in groups}
    words = leading.Words(what=by.label, figure=_millions, superlative="best value")
    said = leading.sentence([(names[one.entry.key], one) for one in standings], words)
    limit = "" if asked.max_p99_ms is None else f", with a p99 of at most {asked.max_p99_ms:g} ms"
    return f"{said} ({asked.prices.words}{limit})."


def front_finding(systems: Systems, total: int) -> str:
    if not systems.front:
        return ""
    if len(systems.front) == 1:
        only = systems.front[0]
        return f"One system beats all others in both cost and throughput: #{only.pk}, {system_name(only)}."
    return f"{len(systems.front)} of {total:,} systems are on the Pareto front: no other is both cheaper and faster."


def left_out(asked: Selection, counts: Counts) -> list[str]:
    """What the p99 limit leaves out, each with its reason."""
    if asked.max_p99_ms is None:
        return []
    kind = counts.latency_kind.label
    reasons = (
        (counts.above_limit, f"above {asked.max_p99_ms:g} ms"),
        (counts.other_kind, f"with a latency that is not {kind}"),
        (counts.unknown_p99, "whose p99 is unknown"),
    )
    return [f"{count:,} {reason}" for count, reason in reasons if count]


def missing_prices(counts: Counts) -> list[tuple[int, str]]:
    """Why how many cannot be priced so, most frequent first."""
    shown = [(number, why) for why, number in counts.missing_prices[:MOST_REASONS]]
    others = counts.missing_prices[MOST_REASONS:]
    if others:
        shown.append((sum(number for _, number in others), f"{len(others):,} other prices are unknown."))
    return shown


def caveats(asked: Selection, groups: Sequence[Group]) -> list[str]:
    """What goes with the charts into their pictures."""
    days = sorted({group.best.price_date for group in groups if group.best.price_date})
    return [
        f"Value {asked.prices.words}{_between(days)}.",
        "Noise may decide between groups that lead together; see the ranks in the table." if len(groups) > 1 else "",
    ]


def columns(by: GroupBy) -> tuple[str, ...]:
    return (*by.columns, *_NUMBERS)


def rows(by: GroupBy, groups: Sequence[Group], standings: Sequence[Standing]) -> Iterator[tuple[Any, ...]]:
    """A row for each group, in the order of `columns`; money exact."""
    for values in group_values(by, groups, standings):
        yield tuple(values.values())


def group_values(by: GroupBy, groups: Sequence[Group], standings: Sequence[Standing]) -> list[dict[str, Any]]:
    ranks = {one.entry.key: one for one in standings}
    found = []
    for group in groups:
        best = group.best
        standing = ranks.get(str(best.pk))
        found.append(
            {
                **{column: getattr(best, column) for column in by.columns},
                "rank": standing and standing.rank,
                "n": group.n,
                "best_ops_per_usd": str(group.best_ops_per_usd),
                "worst_ops_per_usd": str(group.worst_ops_per_usd),
                "best_submission": best.pk,
                "trials": best.trials_count,
                "throughput_ops_s": best.throughput_ops_s,
                "latency_p99_ms": best.latency_p99_ms,
                "latency_kind": best.latency_kind,
                "hourly_usd": str(best.hourly_usd),
                "price_date": best.price_date and best.price_date.isoformat(),
            }
        )
    return found


def as_json(
    chosen: WorkloadChoice,
    by: GroupBy,
    asked: Selection,
    counts: Counts,
    groups: Sequence[Group],
    standings: Sequence[Standing],
    systems: Systems,
) -> dict[str, Any]:
    prices = asked.prices
    return {
        "workload": chosen.fingerprint,
        "workload_title": chosen.title,
        "by": by.value,
        "prices_on": prices.day and prices.day.isoformat(),
        "basis": prices.basis,
        "finding": finding(by, groups, standings, asked),
        "groups": group_values(by, groups, standings),
        "unpriced": counts.unpriced,
        "missing_prices": [{"submissions": number, "why": why} for why, number in counts.missing_prices],
        "doubtful": counts.doubtful,
        "pareto_front": [
            {
                "submission": row.pk,
                "hourly_usd": str(row.hourly_usd),
                "throughput_ops_s": row.throughput_ops_s,
                "ops_per_usd": str(row.ops_per_usd),
                "price_date": row.price_date and row.price_date.isoformat(),
            }
            for row in systems.front
        ],
    }


def _millions(ops_per_usd: float) -> str:
    return f"{significant(ops_per_usd / MILLION)} million operations per dollar"


def _between(days: Sequence[date]) -> str:
    if not days:
        return ""
    return f" (prices of {days[0]})" if days[0] == days[-1] else f" (prices of {days[0]} to {days[-1]})"
