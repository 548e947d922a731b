"""The load curve of a run as it grows: the answer of its search, the steps so far, and the chart of both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from runners.load_search import sentences
from runners.models import Run
from runners.views.load_curve_chart import Mark, load_curve_figure
from submissions.analysis.curves.load_curve import LatencyLimit
from submissions.choices import Percentile
from submissions.formatting import numbers
from submissions.formatting.charts import Chart
from submissions.formatting.text import plural

PURPOSES: Mapping[str, str] = {
    "peak": "the peak",
    "bracket": "bracket",
    "bisect": "bisect the bracket",
    "step_down": "step down",
    "confirm": "confirm",
    "upper_end": "upper end again",
    "list": "of the list",
}
_WHY: Mapping[str, str] = {
    "rate": "the offered rate was not reached",
    "latency": "latency above the limit",
    "errors": "too many errors",
}
DEFAULT_PERCENTILE = Percentile.P99.value


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step as the table shows it; what is None has not been measured yet, or is not known."""

    trial: int  # from 1
    purpose: str
    offered_ops_s: float | None
    threads: int | None
    duration_seconds: int | None
    is_measured: bool
    ops_s: float | None
    latency_ms: float | None
    latency_kind: str  # "" where it is not measured
    errors: int | None
    client_cpu_percent: float | None
    keeps_limit: bool | None  # None: not judged
    why: str

    @property
    def limit_words(self) -> str:
        if not self.is_measured:
            return "running"
        if self.keeps_limit is None:
            return sentences.NOT_JUDGED if self.purpose == PURPOSES["peak"] else "–"
        return "kept" if self.keeps_limit else f"broken: {self.why}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search has found so far. None: no rate keeps the limit, or it is not known."""

    limit: str  # "p99 ≤ 20 ms"
    percentile: str
    ops_s: float | None  # offered
    measured_ops_s: float | None  # the mean of the trials at that rate
    latency_ms: float | None  # the highest of those trials
    trials: int
    peak_ops_s: float | None  # unthrottled


@dataclass(frozen=True, slots=True)
class LoadCurveView:
    percentile: str  # its label
    answer: Answer | None  # None for a list of loads
    finding: str  # "" for a list of loads, as `evidence`
    evidence: str
    notes: Sequence[str]
    rows: Sequence[StepRow]
    chart: Chart | None
    has_client_cpu: bool


def load_curve_of(run: Run) -> LoadCurveView | None:
    """None for a run with one load, or without a step so far."""
    load, steps = run.plan.get("load"), run.progress.get("load_steps")
    if not load or not steps:
        return None
    slo = load.get("slo")
    percentile = slo["percentile"] if slo else DEFAULT_PERCENTILE
    rows = [_row(step, percentile) for step in steps]
    search = run.progress.get("load_search") if slo else None
    label = Percentile(percentile).label
    return LoadCurveView(
        percentile=label,
        answer=_answer(slo, search, rows) if search else None,
        finding=sentences.finding(search, sum(row.is_measured for row in rows)) if search else "",
        evidence=sentences.evidence(slo, search) if search else "",
        notes=_notes(slo, steps, rows) if slo else (),
        rows=rows,
        chart=_chart(rows, label, slo, search),
        has_client_cpu=any(row.client_cpu_percent is not None for row in rows),
    )


def _row(step: Mapping[str, Any], percentile: str) -> StepRow:
    return StepRow(
        trial=step["trial"] + 1,
        purpose=PURPOSES[step["purpose"]],
        offered_ops_s=step["offered_ops_s"],
        threads=step["threads"],
        duration_seconds=step["duration_seconds"],
        is_measured="ops_s" in step,
        ops_s=step.get("ops_s"),
        latency_ms=step.get("latency_ms", {}).get(percentile),
        latency_kind=step.get("latency_kind", ""),
        errors=step.get("errors"),
        client_cpu_percent=step.get("client_cpu_percent"),
        # threads that wait for an answer hold their load back: the search decides nothing by the peak
        keeps_limit=None if step["purpose"] == "peak" else step.get("keeps_limit"),
        why=_WHY.get(step.get("why", ""), ""),
    )


def _answer(slo: Mapping[str, Any], search: Mapping[str, Any], rows: Sequence[StepRow]) -> Answer:
    low = search["low_ops_s"]
    at_low = [row for row in rows if row.keeps_limit and row.offered_ops_s == low]
    return Answer(
        limit=sentences.short_limit_words(slo),
        percentile=Percentile(slo["percentile"]).label,
        ops_s=low,
        measured_ops_s=fmean(row.ops_s for row in at_low if row.ops_s is not None) if at_low else None,
        latency_ms=max((row.latency_ms for row in at_low if row.latency_ms is not None), default=None),
        trials=search["low_trials"],
        peak_ops_s=_peak(rows),
    )


def _peak(rows: Sequence[StepRow]) -> float | None:
    return next((row.ops_s for row in rows if row.purpose == PURPOSES["peak"]), None)


def _notes(slo: Mapping[str, Any], steps: Sequence[Mapping[str, Any]], rows: Sequence[StepRow]) -> list[str]:
    notes = []
    broken = [row.offered_ops_s for row in rows if row.keeps_limit is False and row.offered_ops_s]
    peak = _peak(rows)
    if broken and peak and min(broken) < sentences.FAR_BELOW * peak:
        notes.append(sentences.far_below(min(broken), peak))
    fewest = LatencyLimit(**slo).fewest_operations
    few = [step for step in steps if step.get("operations") is not None and step["operations"] < fewest]
    if few:
        notes.append(sentences.few_operations(slo, fewest, len(few)))
    return notes


def _chart(
    rows: Sequence[StepRow], percentile: str, slo: Mapping[str, Any] | None, search: Mapping[str, Any] | None
) -> Chart | None:
    marks = [
        Mark(
            row.ops_s,
            row.latency_ms,
            row.keeps_limit,
            row.latency_kind,
            is_peak_of_search=slo is not None and row.offered_ops_s is None,
            name=f"step {row.trial}: {_load_words(row)}",
        )
        for row in rows
        if row.ops_s is not None and row.latency_ms is not None
    ]
    if not marks:
        return None
    ends = [search[name] for name in ("low_ops_s", "high_ops_s") if search and search[name] is not None]
    label = f"{percentile} latency against throughput" + (", with the limit and the bracket" if slo else "")
    return Chart("load-chart", load_curve_figure(marks, percentile, slo["max_ms"] if slo else None, ends), label)


def _load_words(row: StepRow) -> str:
    if row.offered_ops_s is not None:
        return f"{numbers.ops_s(row.offered_ops_s)} offered"
    return f"{plural(row.threads, 'thread')} per client" if row.threads else "no throttle"
