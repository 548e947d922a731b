"""The load curve of a submission on its page, or the one that it is a point of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from submissions.analysis.curves.load_curve import (
    Confidence,
    CurvePoint,
    LatencyLimit,
    LoadTrial,
    keeps,
    load_points,
    peak,
)
from submissions.choices import ArtifactKind, LatencyKind, LoadMode, Percentile
from submissions.formatting.charts import Chart
from submissions.load_curves import sentences
from submissions.load_curves.at_slo import AtSlo, at_slo, limit_of
from submissions.load_curves.chart import Mark, load_curve_figure
from submissions.load_curves.form import LimitForm
from submissions.models import Artifact, LoadPoint, Submission

# Their logs with several thread counts became a result for each of them
_STRESS = ("cassandra-stress", "cql-stress")
_AUTO_TOOLS = (*_STRESS, "hammerdb")
_KEPT = {True: "yes", False: "no", None: "unknown"}


@dataclass(frozen=True, slots=True)
class PointRow:
    """A point of the table; latencies in ms. `submission` is set where it is a result of its own."""

    offered_ops_s: float | None
    threads: int | None
    throughput_ops_s: float
    latency_ms: dict[str, float | None]
    error_share: float | None
    trials_count: int
    worst_ms: float | None  # of the limit's percentile, the highest of the trials
    kept: bool | None
    is_sustained: bool
    is_peak: bool
    submission: Submission | None = None
    is_comparable: bool = True
    mean_ms: float | None = None

    @property
    def kept_words(self) -> str:
        return _KEPT[self.kept] if self.is_comparable else sentences.NOT_JUDGED

    @property
    def name(self) -> str:
        """ "200 threads", "7,000 ops/s offered"."""
        return sentences.load_name(self.offered_ops_s, self.threads)

    @property
    def p50_ms(self) -> float | None:
        return self.latency_ms.get(Percentile.P50)

    @property
    def p99_ms(self) -> float | None:
        return self.latency_ms.get(Percentile.P99)


@dataclass(frozen=True, slots=True)
class LoadCurve:
    rows: tuple[PointRow, ...]
    at: AtSlo
    form: LimitForm
    former: tuple[Submission, ...] = ()  # the results that are its points, where it is not a result itself
    is_of_search: bool = False  # it was measured to find the rate at a limit: that is its answer, not its peak

    @property
    def limit(self) -> LatencyLimit:
        return self.at.limit

    @property
    def limit_ms(self) -> str:
        """ "12.5", as an input takes it."""
        return f"{self.limit.max_ms:g}"

    @property
    def limit_words(self) -> str:
        return sentences.limit_words(self.limit)

    @property
    def percentile_label(self) -> str:
        return Percentile(self.limit.percentile).label

    @property
    def errors_words(self) -> str:
        return sentences.errors_words(self.limit)

    @property
    def answer(self) -> PointRow | None:
        """The highest load that kept the limit; None: none is known to."""
        return None if self.at.found.index is None else self.rows[self.at.found.index]

    @property
    def peak(self) -> PointRow | None:
        return next((row for row in self.rows if row.is_peak), None)

    @property
    def finding(self) -> str:
        return sentences.finding(self.at.found, self.limit)

    @property
    def notes(self) -> list[str]:
        return sentences.notes(self.at.found, self.limit)

    @property
    def former_words(self) -> str:
        return sentences.former_words([each.pk for each in self.former]) if self.former else ""

    @property
    def has_offered(self) -> bool:
        return any(row.offered_ops_s is not None for row in self.rows)

    @property
    def is_of_slowest(self) -> bool:
        """Whether its latencies are those of the slowest type of operation."""
        return Confidence.SLOWEST_OPERATION in self.at.found.confidence

    @property
    def has_chart(self) -> bool:
        """Whether there is a latency to draw."""
        return any(value for row in self.rows for value in row.latency_ms.values())

    @property
    def has_means_only(self) -> bool:
        """Whether means are all that is known of its latencies: no percentile of any load."""
        return not self.has_chart and any(row.mean_ms is not None for row in self.rows)

    def chart(self, name: str) -> Chart:
        marks = [
            Mark(row.throughput_ops_s, row.latency_ms, row.name, row.is_peak, row.is_comparable) for row in self.rows
        ]
        figure = load_curve_figure(marks, self.limit, self.at.found)
        return Chart("load-curve", figure, sentences.chart_label(name, self.limit))


def load_curve(submission: Submission, form: LimitForm | None = None) -> LoadCurve | None:
    """None for what is no point of any; one query for a curve and for a log of a tool that measures several loads."""
    form = form or LimitForm()
    if submission.load_mode == LoadMode.CURVE:
        points = list(submission.load_points.all())
        limit = form.limit(limit_of(submission.at_slo))
        found = at_slo(points, limit, hourly_usd=submission.hourly_usd)
        rows = tuple(_row(each, limit) for each in points)
        is_of_search = bool(submission.document.get("slo"))
        return None if found is None else LoadCurve(rows, found, form, is_of_search=is_of_search)
    siblings = _of_the_same_log(submission)
    return _former_curve(siblings, form) if siblings else None


def _row(point: LoadPoint, limit: LatencyLimit) -> PointRow:
    return PointRow(
        point.offered_ops_s,
        point.threads,
        point.throughput_ops_s,
        _latencies(point),
        point.error_share,
        point.trials_count,
        point.worst_ms(limit.percentile),
        keeps(point, limit),
        point.is_sustained,
        point.is_peak,
        is_comparable=point.is_comparable,
        mean_ms=point.latency_mean_ms,
    )


def _of_the_same_log(submission: Submission) -> Sequence[Submission]:
    """Before there were load curves, a log at several thread counts became a result for each of them."""
    if submission.tool not in _AUTO_TOOLS or submission.threads is None or submission.throughput_ops_s is None:
        return ()
    command = (submission.document.get("workload") or {}).get("command")
    if command and submission.tool in _STRESS and " auto" not in command:
        return ()
    logs = {file.sha256 for file in submission.artifacts.all() if file.kind == ArtifactKind.LOAD_LOG}
    if len(logs) != 1:
        return ()
    same = Artifact.objects.filter(sha256__in=logs, kind=ArtifactKind.LOAD_LOG).values("submission")
    rows = Submission.objects.listed().filter(
        pk__in=same,
        submitted_by=submission.submitted_by_id,
        workload=submission.workload_id,
        threads__isnull=False,
        throughput_ops_s__isnull=False,
    )
    found = list(rows.order_by("threads", "pk"))
    is_curve = len({row.threads for row in found}) > 1 and any(row.pk == submission.pk for row in found)
    return found if is_curve else ()


def _former_curve(rows: Sequence[Submission], form: LimitForm) -> LoadCurve:
    trials = [
        LoadTrial(
            index,
            row.fixed_rate_ops_s,
            row.threads,
            row.throughput_ops_s,
            _latencies(row),
            LatencyKind(row.latency_kind),
            row.operations,
            row.errors,
        )
        for index, row in enumerate(rows)
    ]
    points: Sequence[Any] = load_points(trials)
    highest = peak(points)
    limit = form.limit(limit_of(None))
    found = at_slo(points, limit, hourly_usd=rows[0].hourly_usd)
    assert found is not None  # noqa: S101 (there are points)
    return LoadCurve(
        tuple(_former_row(point, rows[point.trials[0].index], limit, is_peak=point is highest) for point in points),
        found,
        form,
        tuple(rows),
    )


def _former_row(point: CurvePoint, row: Submission, limit: LatencyLimit, *, is_peak: bool) -> PointRow:
    return PointRow(
        point.offered_ops_s,
        row.threads,
        point.throughput_ops_s,
        _latencies(row),
        point.error_share,
        point.trials_count,
        point.worst_ms(limit.percentile),
        keeps(point, limit),
        point.is_sustained,
        is_peak,
        row,
        mean_ms=row.latency_mean_ms,
    )


def _latencies(row: Submission | LoadPoint) -> dict[str, float | None]:
    if isinstance(row, LoadPoint) and row.is_of_slowest:  # over all types of operation none are known
        return {str(each): row.worst_ms(each) for each in Percentile}
    return {str(each): getattr(row, f"latency_{each}_ms") for each in Percentile}
