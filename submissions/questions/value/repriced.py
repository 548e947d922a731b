"""Operations per dollar at other prices than the stored ones: a day's, or another basis."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet

from submissions.analysis.pareto import Point, pareto_front
from submissions.choices import LatencyKind
from submissions.models import IS_EXCLUDED, Submission
from submissions.pricing.reprice import RowCost, at_cost, costs_of_rows
from submissions.questions.value.front import CHART_ROWS
from submissions.questions.value.query import Counts, Group, Selection, Systems, best_first, kind_to_limit, systems_of
from submissions.questions.workload.grouping import GroupBy

_COLUMNS = ("throughput_ops_s", "latency_kind", "latency_p99_ms")


@dataclass(frozen=True, slots=True)
class _Row:
    pk: int
    throughput_ops_s: float
    latency_kind: str
    p99_ms: float | None
    values: tuple[Any, ...]  # of every column that a grouping looks at
    cost: RowCost
    ops_per_usd: Decimal


class RepricedValue:
    """A `Valuation`: the rows are priced once, each distinct cluster by one book, and grouped in memory."""

    def __init__(self, selection: Selection):
        """Five queries, whatever the number of rows."""
        self._selection = selection
        with_rate = Submission.objects.with_rate().filter(workload__fingerprint=selection.workload)
        ranked = with_rate.filter(selection.is_trusted).exclude(IS_EXCLUDED)
        repricing = costs_of_rows(ranked, selection.prices)
        rows = _read(ranked, repricing.costs)
        known = [row for row in rows if row.p99_ms is not None]
        by_kind = {LatencyKind(kind): n for kind, n in Counter(row.latency_kind for row in known).items()}
        kind = kind_to_limit(selection, by_kind)
        of_kind = [row for row in known if row.latency_kind == kind]
        limit = selection.max_p99_ms
        self.counts = Counts(
            priced=len(rows),
            unpriced=repricing.unpriced,
            doubtful=with_rate.filter(IS_EXCLUDED).count(),
            by_kind=by_kind,
            latency_kind=kind,
            unknown_p99=len(rows) - len(known),
            other_kind=len(known) - len(of_kind),
            above_limit=sum(row.p99_ms > (limit or 0) for row in of_kind if row.p99_ms is not None),
            missing_prices=repricing.missing,
        )
        self._rows = rows
        if limit is not None:
            self._rows = [row for row in of_kind if row.p99_ms is not None and row.p99_ms <= limit]

    def groups(self, by: GroupBy) -> list[Group]:
        """One query."""
        places = [_GROUPED.index(column) for column in by.columns]
        grouped: dict[tuple[Any, ...], list[_Row]] = defaultdict(list)
        for row in self._rows:
            grouped[tuple(row.values[place] for place in places)].append(row)
        bests = [max(rows, key=lambda row: (row.ops_per_usd, row.pk)) for rows in grouped.values()]
        found = self._submissions(bests)
        return best_first(
            [
                Group(by.name_of(best), len(rows), best, min(row.ops_per_usd for row in rows))
                for best, rows in zip(found, grouped.values(), strict=True)
            ]
        )

    def systems(self) -> Systems:
        """One query."""
        best = sorted(self._rows, key=lambda row: (-row.ops_per_usd, -row.pk))[:CHART_ROWS]
        by_key = {row.pk: row for row in self._rows}
        points = [Point(float(row.cost.hourly_usd), row.throughput_ops_s, row.pk) for row in self._rows]
        front = [by_key[point.key] for point in pareto_front(points)]
        shown = {row.pk: row for row in (*best, *front)}
        return systems_of(self._submissions(list(shown.values())))

    def _submissions(self, rows: list[_Row]) -> list[Submission]:
        """The rows as they are shown, at their prices, in this order."""
        found = Submission.objects.listed().in_bulk([row.pk for row in rows])
        return [at_cost(found[row.pk], row.cost) for row in rows]


_GROUPED = tuple(dict.fromkeys(column for by in GroupBy for column in by.columns))


def _read(rows: QuerySet[Submission], costs: dict[int, RowCost]) -> list[_Row]:
    found = []
    for pk, rate, kind, p99, *values in rows.order_by("pk").values_list("pk", *_COLUMNS, *_GROUPED):
        cost = costs.get(pk)
        if cost is not None:
            found.append(_Row(pk, rate, kind, p99, tuple(values), cost, cost.ops_per_usd(rate)))
    return found
