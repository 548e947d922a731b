"""What a series found: the figures of each combination, its verdicts, the matrix, the scaling; from its runs alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import product
from statistics import fmean, median
from typing import Any

from runners.models import Series
from runners.series.paths import cell_words, noun_of, value_words
from runners.series.readers import VisibleCell
from runners.series.receipt import SeriesReceipt, receipt_of_runs
from runners.series.verdicts import Measure, paired, unpaired
from submissions.analysis.cluster_size.scaling import Point, scaling
from submissions.analysis.comparison.verdicts import Judgement
from submissions.formatting.text import join_and
from submissions.models import Submission
from submissions.pricing.cost import ops_per_usd
from submissions.questions.scaling.query import Series as ScalingSeries
from submissions.questions.scaling.query import SeriesKey, SeriesPoint

NODES = "database.count"
MOST_COMPARED = 6  # results side by side on /compare/


@dataclass(frozen=True, slots=True)
class Combined:
    """A combination of values over its repetitions. A figure is None where no run of it has one."""

    number: int
    values: Mapping[str, Any]
    cells: tuple[VisibleCell, ...]  # current attempts, in the order of their starts
    throughput_ops_s: float | None  # mean over the runs
    p99_ms: float | None  # median over the runs; None where they have several kinds of latency
    hourly_usd: Decimal | None  # None: unknown, or not the same in all runs
    paired: Judgement | None = None  # against the reference
    unpaired: Judgement | None = None
    measures: tuple[Measure, ...] = field(default=(), repr=False)

    @property
    def words(self) -> str:
        return cell_words(self.values)

    @property
    def results(self) -> list[Submission]:
        return [cell.submission for cell in self.cells if cell.submission is not None]

    @property
    def verdict(self) -> Judgement | None:
        """By round where there are enough of them."""
        return self.paired or self.unpaired

    @property
    def ops_per_usd(self) -> Decimal | None:
        if self.hourly_usd is None or self.throughput_ops_s is None:
            return None
        return ops_per_usd(hourly_usd=self.hourly_usd, throughput_ops_s=self.throughput_ops_s)


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows are the values of all that varies but the last, columns those of the last."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Combined | None, ...]], ...]


@dataclass(frozen=True, slots=True)
class Report:
    """`reference` is what the verdicts are against."""

    series: Series
    combined: tuple[Combined, ...]
    reference: Combined
    attempts: tuple[VisibleCell, ...]  # all of them, those that were replaced too
    receipt: SeriesReceipt

    @property
    def current(self) -> list[VisibleCell]:
        return [cell for cell in self.attempts if cell.cell.is_current]

    @property
    def done(self) -> int:
        return sum(not (cell.cell.is_waiting or cell.cell.is_running) for cell in self.current)

    @property
    def missing(self) -> int:
        """Cells that ended without a result: they can run again."""
        return sum(cell.cell.has_ended_badly for cell in self.current)

    @property
    def on_shared_machines(self) -> int:
        """Runs that took over the machines of another one."""
        return sum(bool(cell.run and cell.run.took_over_from_id) for cell in self.attempts)

    @property
    def with_figures(self) -> list[Combined]:
        return [each for each in self.combined if each.throughput_ops_s is not None]

    @property
    def fastest(self) -> Combined | None:
        return max(self.with_figures, key=lambda each: each.throughput_ops_s or 0, default=None)

    @property
    def best_value(self) -> Combined | None:
        priced = [each for each in self.combined if each.ops_per_usd is not None]
        return max(priced, key=lambda each: each.ops_per_usd or 0, default=None)

    @property
    def compared(self) -> list[Submission]:
        """The newest result of each combination, to be compared side by side."""
        return [each.results[-1] for each in self.combined if each.results][:MOST_COMPARED]

    @property
    def matrix(self) -> Matrix | None:
        """None where a single thing varies."""
        vary = self.series.vary
        if len(vary) < 2:
            return None
        by_number = {each.number: each for each in self.combined}
        counts = [len(each["values"]) for each in vary]
        rows = []
        for places in product(*(range(count) for count in counts[:-1])):
            first = 0
            for count, place in zip(counts[:-1], places, strict=True):
                first = first * count + place
            numbers = range(first * counts[-1], (first + 1) * counts[-1])
            names = [_words(each, place) for each, place in zip(vary[:-1], places, strict=True)]
            rows.append((", ".join(names), tuple(by_number.get(number) for number in numbers)))
        columns = tuple(_words(vary[-1], place) for place in range(counts[-1]))
        return Matrix(columns, tuple(rows))


def _words(vary: Mapping[str, Any], place: int) -> str:
    return cell_words(dict(zip(vary["fields"], vary["values"][place], strict=True)))


def report_of(series: Series, attempts: Sequence[VisibleCell], reference: int | None = None) -> Report:
    """`reference`: the number of the combination that the verdicts are against, by default the first with a result."""
    by_number: dict[int, list[VisibleCell]] = {}
    for attempt in attempts:
        if attempt.cell.is_current:
            by_number.setdefault(attempt.cell.number, []).append(attempt)
    combined = [_combined(number, cells) for number, cells in sorted(by_number.items())]
    known = [each for each in combined if each.measures]
    base = next((each for each in known if each.number == reference), (known or combined)[0])
    judged = tuple(_judged(each, base, known) for each in combined)
    receipt = receipt_of_runs(attempt.cell.run for attempt in attempts if attempt.cell.run is not None)
    return Report(series, judged, next(each for each in judged if each.number == base.number), tuple(attempts), receipt)


def _combined(number: int, cells: Sequence[VisibleCell]) -> Combined:
    pairs = [(cell, cell.submission) for cell in cells if cell.submission is not None]
    results = [result for _, result in pairs if result.throughput_ops_s is not None]
    rates = {result.hourly_usd for result in results}
    kinds = {result.latency_kind for result in results}
    p99s = [result.latency_p99_ms for result in results if result.latency_p99_ms is not None]
    return Combined(
        number=number,
        values=cells[0].cell.values,
        cells=tuple(cells),
        throughput_ops_s=fmean([result.throughput_ops_s or 0 for result in results]) if results else None,
        p99_ms=median(p99s) if p99s and len(p99s) == len(results) and len(kinds) == 1 else None,
        hourly_usd=next(iter(rates)) if len(rates) == 1 else None,
        measures=tuple(_measure(cell, result) for cell, result in pairs if result.throughput_ops_s is not None),
    )


def _measure(cell: VisibleCell, result: Submission) -> Measure:
    begun = (cell.run and (cell.run.launched_at or cell.run.created_at)) or result.created_at
    return Measure(cell.cell.round, begun, result.throughput_ops_s or 0, max(result.trials_count, 1))


def _judged(each: Combined, base: Combined, known: Sequence[Combined]) -> Combined:
    if each is base or not each.measures or not base.measures:
        return each
    return replace(
        each,
        paired=paired(base.measures, each.measures, len(known)),
        unpaired=unpaired(base.measures, each.measures, [other.measures for other in known]),
    )


def scaling_series(report: Report) -> list[ScalingSeries]:
    """A curve over the node count for each combination of everything else that varies; none with a single size."""
    groups: dict[str, list[Combined]] = {}
    for each in report.with_figures:
        if NODES in each.values:
            others = {path: value for path, value in each.values.items() if path not in (NODES, "client.count")}
            groups.setdefault(cell_words(others), []).append(each)
    return [_curve(name, cells) for name, cells in groups.items() if len(cells) > 1]


def _curve(name: str, cells: Sequence[Combined]) -> ScalingSeries:
    plan = cells[0].cells[0].cell.plan
    ordered = sorted(cells, key=lambda each: int(each.values[NODES]))
    result = scaling([_point(each) for each in ordered])
    points = tuple(
        SeriesPoint(
            scaled=scaled,
            newest=each.results[-1].pk,
            clients=(scaled.point.client_count,) * 2 if scaled.point.client_count else None,
            ideal=result.ideal(scaled.point.node_count),
            law=result.usl.throughput(scaled.point.node_count) if result.usl else None,
        )
        for each, scaled in zip(ordered, result.points, strict=True)
    )
    key = SeriesKey(plan["provider"], ", ".join(filter(None, [plan["database"]["instance_type"], name])))
    return ScalingSeries(key, points, result, ())


def _point(each: Combined) -> Point:
    client = each.cells[0].cell.plan.get("client") or {}
    return Point(int(each.values[NODES]), each.throughput_ops_s or 0, client.get("count"), len(each.results))


def varied_words(series: Series) -> list[tuple[str, str]]:
    """(what varies, its values), for the head of the page."""
    return [
        (
            join_and([noun_of(path) for path in vary["fields"]]),
            " · ".join(value_words(row[0] if len(row) == 1 else row) for row in vary["values"]),
        )
        for vary in series.vary
    ]
