"""What the page of a run shows that changes while it is open: stage, times, results so far, logs, machines, history."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.utils.text import capfirst

from runners.choices import OutputKind, RunStatus
from runners.endings.receipt import cost_so_far
from runners.models import Run, RunEvent, RunNode, RunOutput
from runners.views.diagnosis import DiagnosisView, diagnosis_of
from runners.views.load_curve import LoadCurveView, load_curve_of
from submissions.analysis.curves.steady_state import Row
from submissions.formatting.charts import Chart
from submissions.records.curves.interval_chart import intervals_figure
from submissions.records.curves.interval_series import live_series

STAGES = (
    RunStatus.QUEUED,
    RunStatus.LAUNCHING,
    RunStatus.BOOTSTRAPPING,
    RunStatus.STRESSING,
    RunStatus.COLLECTING,
    RunStatus.TEARING_DOWN,
    RunStatus.SUBMITTING,
)
LOGS = 3
LOG_LINES = 25
POINTS = 200  # in the table of numbers; the chart has all of them
CHART_LABEL = "Throughput and p99 latency over time"


@dataclass(frozen=True, slots=True)
class RunView:
    """`elapsed_seconds` and `expected_seconds` are of the whole run; None where not known."""

    is_planned: bool
    has_succeeded: bool
    has_failed: bool
    stage: int  # of `stages`, counted from 1; 0 before the first and after the last
    stages: int
    stage_label: str
    elapsed_seconds: int | None
    expected_seconds: int | None
    spent_usd: Decimal | None
    load_curve: LoadCurveView | None
    chart: Chart | None
    points: Sequence[tuple[str, float, float, float | None]]  # trial and client, s, ops/s, p99 ms
    logs: Sequence[tuple[str, str]]  # title, last lines
    diagnosis: DiagnosisView | None
    nodes: Sequence[RunNode]
    events: Sequence[RunEvent]
    receipt: dict[str, Any] | None  # with times instead of their texts


def run_view(run: Run, *, with_details: bool, now: datetime) -> RunView:
    """Logs, machines and history are empty without details."""
    outputs = list(run.outputs.select_related("node").filter(trial__isnull=False))
    until = run.ended_at or now
    return RunView(
        is_planned=run.status == RunStatus.PLANNED,
        has_succeeded=run.status == RunStatus.SUCCEEDED,
        has_failed=run.status == RunStatus.FAILED,
        stage=STAGES.index(RunStatus(run.status)) + 1 if run.status in STAGES else 0,
        stages=len(STAGES),
        stage_label=_stage_label(run),
        elapsed_seconds=round((until - run.launched_at).total_seconds()) if run.launched_at else None,
        expected_seconds=(run.estimate or {}).get("expected_seconds"),
        spent_usd=cost_so_far(run, until) if run.launched_at else None,
        load_curve=load_curve_of(run),
        chart=_chart(outputs),
        points=[
            (_series_name(output), elapsed, ops_s, p99_ms)
            for output in outputs
            for elapsed, ops_s, p99_ms in output.series[-POINTS:]
        ],
        logs=_logs(run) if with_details else (),
        diagnosis=diagnosis_of(run) if with_details else None,
        nodes=list(run.nodes.all()) if with_details else (),
        events=list(run.events.all()) if with_details else (),
        receipt=_receipt(run.receipt) if run.receipt else None,
    )


def _stage_label(run: Run) -> str:
    progress = run.progress
    if run.status == RunStatus.STRESSING and progress.get("stage") == "profiling":
        return "profiling: one more trial; its figures are not part of the result"
    if run.status == RunStatus.STRESSING and "trial" in progress:
        most = "at most " if (run.plan.get("load") or {}).get("slo") else ""
        return f"stressing: trial {progress['trial']} of {most}{progress['of']}"
    if run.status == RunStatus.BOOTSTRAPPING and "job" in progress:
        return f"bootstrapping: {progress['job']} ({progress['done']} of {progress['of']} jobs done)"
    return RunStatus(run.status).label


def _chart(outputs: Sequence[RunOutput]) -> Chart | None:
    series = live_series([(_series_name(output), [_row(*point[:3]) for point in output.series]) for output in outputs])
    return Chart("live-chart", intervals_figure(series), CHART_LABEL) if series else None


def _row(elapsed_seconds: float, throughput_ops_s: float | None, p99_ms: float | None) -> Row:
    return Row(elapsed_seconds, None, None, throughput_ops_s, p99_ms)


def _series_name(output: RunOutput) -> str:
    """Trials are counted from 1 for readers, in the chart as in the logs."""
    return f"trial {(output.trial or 0) + 1}, {output.node.name}"


def _logs(run: Run) -> list[tuple[str, str]]:
    """The last lines of the newest logs, the newest first."""
    printed = run.outputs.exclude(tail="").exclude(kind=OutputKind.DIAGNOSIS)
    outputs = printed.select_related("node").order_by("-id")[:LOGS]
    return [(_log_title(output), "\n".join(output.tail.splitlines()[-LOG_LINES:])) for output in outputs]


def _log_title(output: RunOutput) -> str:
    return output.name or output.path if output.trial is None else capfirst(_series_name(output))


def _receipt(receipt: Mapping[str, Any]) -> dict[str, Any]:
    machines = [
        {**line, "from": datetime.fromisoformat(line["from"]), "to": datetime.fromisoformat(line["to"])}
        for line in receipt["machines"]
    ]
    return {**receipt, "verified_at": datetime.fromisoformat(receipt["verified_at"]), "machines": machines}
