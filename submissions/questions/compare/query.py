"""Submissions side by side: each compared with the first, their latencies by kind, the facts that differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Prefetch

from submissions.analysis.comparison.compare import Comparison, Measured, compare
from submissions.analysis.curves.load_curve import LatencyLimit
from submissions.analysis.documents import FactRow, fact_rows
from submissions.choices import LatencyKind, is_same_rate
from submissions.facts import FACTS
from submissions.formatting.load import held
from submissions.formatting.names import system_name
from submissions.ingest.checks.noise import NO_RUNS, ConfigurationRuns, configuration_runs
from submissions.load_curves.at_slo import AtSlo
from submissions.metrics import LATENCIES, Metric
from submissions.models import LoadPoint, Submission, Trial
from submissions.pricing.cost import ops_per_usd
from submissions.pricing.reprice import STORED, at_reader_prices
from submissions.pricing.terms import PriceTerms
from submissions.questions.boards.noise import series_of, workload_noise
from submissions.questions.boards.ranking import p99_bound_of
from submissions.questions.compare.at_limit import Breach, Limited, at_slos, limited, points_of, trials_of
from submissions.records.detail.latencies import latencies_by_kind


@dataclass(frozen=True, slots=True)
class Side:
    """A submission in a comparison; `against_first` is None for the first one itself."""

    submission: Submission
    measured: Measured
    latencies: dict[LatencyKind, dict[str, float]]  # ms, by kind and metric
    against_first: Comparison | None
    breach: Breach | None = None  # why it is not compared at the limit
    at_slo: AtSlo | None = None  # None without a load curve
    points: tuple[LoadPoint, ...] = ()  # of its load curve

    @property
    def name(self) -> str:
        return self.measured.name

    @property
    def has_other_bound(self) -> bool:
        """Its p99 is known, but not of what that of the first side is of, so no verdict is given."""
        own = self.against_first
        return own is not None and own.latency_p99 is None and self.submission.latency_p99_is_bound


@dataclass(frozen=True, slots=True)
class LatencyCell:
    """ms; `change` is the fraction against the first side, None where the two cannot be compared."""

    value: float | None
    change: float | None


@dataclass(frozen=True, slots=True)
class LatencyTable:
    """One kind of latency: kinds never share a row."""

    kind: LatencyKind
    rows: tuple[tuple[Metric, tuple[LatencyCell, ...]], ...]


@dataclass(frozen=True, slots=True)
class CompareResult:
    """Two or more sides with all their facts."""

    sides: tuple[Side, ...]
    differing: tuple[FactRow, ...]
    same: tuple[FactRow, ...]
    workload_differences: tuple[str, ...]  # "consistency level", ...; empty: one workload
    max_p99_ms: float | None = None  # each load curve is at its highest load that keeps it

    @property
    def slo_limit(self) -> LatencyLimit | None:
        """Of the sides' `at_slo`; None without a load curve."""
        return next((side.at_slo.limit for side in self.sides if side.at_slo), None)

    @property
    def first(self) -> Side:
        return self.sides[0]

    @property
    def second(self) -> Side:
        return self.sides[1]

    @property
    def others(self) -> tuple[Side, ...]:
        return self.sides[1:]

    @property
    def same_workload(self) -> tuple[Side, ...]:
        """The first side and those that ran its workload: only they may share a chart."""
        workload = self.first.submission.workload_id
        return tuple(side for side in self.sides if side.submission.workload_id == workload)

    @property
    def charted(self) -> tuple[Side, ...]:
        """Of one workload, without those that do not keep the limit; none where fewer than two are left."""
        sides = tuple(side for side in self.same_workload if not side.breach)
        return sides if len(sides) > 1 else ()

    @property
    def breaching(self) -> tuple[Side, ...]:
        return tuple(side for side in self.same_workload if side.breach)

    @property
    def other_workloads(self) -> tuple[Side, ...]:
        return tuple(side for side in self.sides if side not in self.same_workload)

    @property
    def latency_tables(self) -> list[LatencyTable]:
        """A table for each kind of latency that any side knows."""
        kinds = dict.fromkeys(kind for side in self.sides for kind in side.latencies)
        return [LatencyTable(kind, tuple(self._latency_rows(kind))) for kind in kinds]

    def _latency_rows(self, kind: LatencyKind) -> list[tuple[Metric, tuple[LatencyCell, ...]]]:
        return [
            (metric, tuple(self._latency_cell(side, kind, metric.key) for side in self.sides))
            for metric in LATENCIES
            if any(metric.key in side.latencies.get(kind, {}) for side in self.sides)
        ]

    def _latency_cell(self, side: Side, kind: LatencyKind, key: str) -> LatencyCell:
        value = side.latencies.get(kind, {}).get(key)
        base = self.first.latencies.get(kind, {}).get(key)
        has_same_workload = side.against_first is not None and side.against_first.same_workload
        is_comparable = has_same_workload and kind != LatencyKind.UNKNOWN and self._is_at_one_rate(side)
        is_comparable &= not (self.first.breach or side.breach)
        return LatencyCell(value, value / base - 1 if is_comparable and value is not None and base else None)

    def _is_at_one_rate(self, side: Side) -> bool:
        """Where the load tool held one side to a rate, the other has to have done the same."""
        first, own = self.first.submission, side.submission
        if not (self.first.measured.held or side.measured.held):
            return True
        rate, other = first.throughput_ops_s, own.throughput_ops_s
        return rate is not None and other is not None and is_same_rate(other, rate)


def load(ids: Sequence[int], user: User | AnonymousUser | None = None, keys: Sequence[str] = ()) -> list[Submission]:
    """Those of `ids` that the user (None: anybody) may open with these keys of links, in that order; two queries.

    Without retracted ones.
    """
    trials = Prefetch("trials", Trial.objects.repetitions().defer("histograms"))
    open_to_user = Submission.objects.by_link(user or AnonymousUser(), keys)
    rows = open_to_user.filter(pk__in=ids, retracted_at=None).select_related("workload").prefetch_related(trials)
    by_id = {submission.pk: submission for submission in rows}
    return [by_id[pk] for pk in ids if pk in by_id]


def compare_submissions(
    submissions: Sequence[Submission], max_p99_ms: float | None = None, terms: PriceTerms = STORED
) -> CompareResult:
    """Each of the others against the first; under a limit load curves become those at their load that keeps it.

    At the stored prices, or those less a discount.

    Four queries, two while the noise of the workload is cached; of load curves one more, under a limit two.
    """
    at_reader_prices(submissions, terms)
    first, *others = submissions
    points = points_of(submissions)
    slos = at_slos(submissions, points, max_p99_ms)
    limits = limited(submissions, points, max_p99_ms)
    trials = trials_of(submissions)
    kind = LatencyKind(first.latency_kind)
    book = workload_noise(first.workload_id, kind)
    runs = configuration_runs(submissions, kind)
    base, *measures = (
        measured(row, trials[row.pk], NO_RUNS if row.shown_load else runs[row.pk], own)
        for row, own in zip(submissions, limits, strict=True)
    )
    compared = [
        compare(base, measure, book.of_pair(first.trust_filter, other.trust_filter))
        for other, measure in zip(others, measures, strict=True)
    ]
    comparisons = [
        None,
        *(
            Comparison(None, None, None, comparison.same_workload) if limits[0].breach or own.breach else comparison
            for comparison, own in zip(compared, limits[1:], strict=True)
        ),
    ]
    rows = fact_rows([submission.document for submission in submissions])
    return CompareResult(
        sides=tuple(
            Side(
                row,
                measure,
                latencies_by_kind(row, trials[row.pk]),
                comparison,
                own.breach,
                slo,
                tuple(points.get(row.pk, ())),
            )
            for row, measure, comparison, own, slo in zip(
                submissions, [base, *measures], comparisons, limits, slos, strict=True
            )
        ),
        differing=tuple(row for row in rows if not row.is_same),
        same=tuple(row for row in rows if row.is_same),
        workload_differences=_workload_differences(submissions),
        max_p99_ms=max_p99_ms,
    )


def measured(
    submission: Submission, trials: Sequence[Trial], runs: ConfigurationRuns, limit: Limited | None = None
) -> Measured:
    """What the arithmetic needs of a submission with its trials.

    A load that keeps a limit, where a higher one broke it, is what the system can do, even if the load tool offered it.
    """
    p99s = [trial.latency_p99_ms for trial in trials]
    kind = LatencyKind(submission.latency_kind)
    has_one_kind = all(trial.latency_kind == kind for trial in trials)
    is_relative = submission.throughput_ops_s is None
    rates = [trial.relative_throughput if is_relative else trial.throughput_ops_s for trial in trials]
    return Measured(
        name=f"#{submission.pk} ({system_name(submission)})",
        workload=submission.workload.fingerprint,
        throughputs=tuple(rate for rate in rates if rate is not None),
        ops_per_usd=_relative_value(submission) if is_relative else submission.ops_per_usd,
        p99_ms=submission.latency_p99_at_most_ms,
        p99_bound=p99_bound_of(submission),
        trial_p99s_ms=tuple(p99 for p99 in p99s if p99 is not None) if has_one_kind else (),
        latency_kind=kind,
        relative_base=submission.relative_base if is_relative else "",
        held="" if submission.shown_load and limit and limit.is_bounded else held(submission),
        averaged_over=submission.averaged_over,
        configuration=submission.configuration,
        runs=runs.throughput,
        p99_runs=None if submission.latency_p99_is_bound else runs.latency_p99,
        series=series_of(submission, trials),
    )


def _relative_value(submission: Submission) -> Decimal | None:
    """Relative throughput per dollar: only its ratio to another of the same base has a meaning."""
    if submission.hourly_usd is None or submission.relative_throughput is None:
        return None
    return ops_per_usd(hourly_usd=submission.hourly_usd, throughput_ops_s=submission.relative_throughput)


def _workload_differences(submissions: Sequence[Submission]) -> tuple[str, ...]:
    if len({submission.workload_id for submission in submissions}) == 1:
        return ()
    canonical: list[dict[str, Any]] = [submission.workload.canonical for submission in submissions]
    names = sorted({name for facts in canonical for name in facts})
    return tuple(
        FACTS[name].noun if name in FACTS else name.replace("_", " ")
        for name in names
        if any(facts.get(name) != canonical[0].get(name) for facts in canonical)
    )
