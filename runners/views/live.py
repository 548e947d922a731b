"""What the live page shows of a run: stage, times, throughput so far, log tail, machines, history."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from runners.choices import RunStatus
from runners.endings.receipt import cost_so_far
from runners.models import Run, RunEvent, RunNode, RunOutput
from submissions.records.curves.interval_chart import Series, intervals_figure

STAGES = (
    RunStatus.QUEUED,
    RunStatus.LAUNCHING,
    RunStatus.BOOTSTRAPPING,
    RunStatus.STRESSING,
    RunStatus.COLLECTING,
    RunStatus.TEARING_DOWN,
    RunStatus.SUBMITTING,
)
LOG_LINES = 25


@dataclass(frozen=True, slots=True)
class Picture:
    """`elapsed_seconds` and `expected_seconds` are of the whole run; None where not known."""

    stage: int  # of `stages`, counted from 1; 0 before the first and after the last
    stages: int
    stage_label: str
    elapsed_seconds: float | None
    expected_seconds: float | None
    spent_usd: Decimal | None
    figure: dict[str, Any] | None
    points: Sequence[tuple[str, float, float, float | None]]  # trial and client, s, ops/s, p99 ms
    logs: Sequence[tuple[str, str]]
    nodes: Sequence[RunNode]
    events: Sequence[RunEvent]


def picture_of(run: Run, *, sees_all: bool, now: datetime) -> Picture:
    """Logs, machines and history are empty for whoever may not see them."""
    outputs = list(run.outputs.select_related("node").filter(trial__isnull=False))
    stage = STAGES.index(RunStatus(run.status)) + 1 if run.status in STAGES else 0
    return Picture(
        stage=stage,
        stages=len(STAGES),
        stage_label=_stage_label(run),
        elapsed_seconds=((run.ended_at or now) - run.launched_at).total_seconds() if run.launched_at else None,
        expected_seconds=(run.estimate or {}).get("expected_seconds"),
        spent_usd=cost_so_far(run, run.ended_at or now) if run.launched_at else None,
        figure=_figure(outputs),
        points=[(_name(output), point[0], point[1], point[2]) for output in outputs for point in output.series[-200:]],
        logs=_logs(run) if sees_all else (),
        nodes=list(run.nodes.all()) if sees_all else (),
        events=list(run.events.all()) if sees_all else (),
    )


def _stage_label(run: Run) -> str:
    progress = run.progress
    if run.status == RunStatus.STRESSING and "trial" in progress:
        return f"stressing, trial {progress['trial']} of {progress['of']}"
    if run.status == RunStatus.BOOTSTRAPPING and "job" in progress:
        return f"bootstrapping, {progress['job']} ({progress['done']} of {progress['of']} done)"
    return RunStatus(run.status).label


def _figure(outputs: Sequence[RunOutput]) -> dict[str, Any] | None:
    series = [
        Series(
            name=_name(output),
            elapsed_seconds=[point[0] for point in output.series],
            throughput_ops_s=[point[1] for point in output.series],
            latency_p99_ms=[point[2] for point in output.series],
        )
        for output in outputs
        if output.series
    ]
    return intervals_figure(series) if series else None


def _name(output: RunOutput) -> str:
    return f"trial {(output.trial or 0) + 1}, {output.node.name}"


def _logs(run: Run) -> list[tuple[str, str]]:
    """The last lines of what was written to last."""
    latest = run.outputs.select_related("node").exclude(tail="").order_by("-id")[:3]
    return [
        (f"{output.node.name}: {output.name or output.path}", "\n".join(output.tail.splitlines()[-LOG_LINES:]))
        for output in latest
    ]
