"""What a trial measured, read from its outputs as soon as it has ended: by the same parsers as every upload."""

import io
from collections.abc import Sequence
from contextlib import ExitStack

from benchsite.http.refusals import Refusal
from runners.choices import OutputKind
from runners.errors import StressFailed
from runners.load_tools import for_plan
from runners.models import Run, RunOutput
from runners.plan_schema.run_plan import RunPlan
from submissions.analysis.curves import steady_state
from submissions.analysis.host_metrics import host_use
from submissions.analysis.host_metrics.host_use import HostUse
from submissions.choices import Role
from submissions.ingest import uploads
from submissions.ingest.document.readings import Interval
from submissions.ingest.files import storage
from submissions.ingest.logs.document import submissions_in
from submissions.ingest.logs.read import read_logs
from submissions.ingest.logs.trial_results import TrialResult

_PARSED = (OutputKind.LOG, OutputKind.HDR)
_ALL_OPERATIONS = "total"


def trial_result(run: Run, plan: RunPlan, trial: int) -> TrialResult:
    """Of a trial whose outputs are stored; `plan` is that of the trial. Raises StressFailed where they cannot be read.

    A file that is gone raises the storage's own errors.
    """
    outputs = list(run.outputs.filter(trial=trial, kind__in=_PARSED, sha256__isnull=False))
    stated = for_plan(plan).document(plan, {})
    metadata = {"nodes": [{"role": Role.DATABASE.value}], "workload": stated.get("workload", {})}
    with ExitStack() as stack:
        files = [stack.enter_context(uploads.stored_file(output.name, output.sha256 or "")) for output in outputs]
        try:
            [imported] = submissions_in(metadata, read_logs(uploads.offered(files, [str(trial)] * len(files))))
            [result] = imported.trials
        except (Refusal, ValueError) as error:
            raise StressFailed(f"the outputs of trial {trial + 1} could not be read: {error}") from error
    return result


def client_cpu_percent(run: Run, trial: int) -> float | None:
    """Mean use of the busiest client's processors; None where the clients share their host, or left no samples."""
    uses = [
        use
        for output in run.outputs.filter(trial=trial, kind=OutputKind.SAMPLES, sha256__isnull=False).select_related(
            "node"
        )
        if output.node.role == Role.CLIENT and (use := _use(output)) is not None
    ]
    return max((use.cpu_percent for use in uses), default=None)


def warm_up_seconds(result: TrialResult) -> float | None:
    """What MSER-5 would cut from the start of the trial; None where it is too short, or never steady."""
    series = [_series(rows) for rows in result.intervals]
    end = steady_state.warm_up(series) if series and all(series) else None
    return end if isinstance(end, float) else None


def steady_ops_s(result: TrialResult, warm_up: float | None) -> float | None:
    """The throughput after the warm-up; that of the whole trial where none is known."""
    if warm_up:
        series = [_series(rows) for rows in result.intervals]
        end = min(each[-1].end_s for each in series)
        if (window := steady_state.trial_window(series, start_s=warm_up, end_s=end)) is not None:
            return window.throughput_ops_s
    return result.throughput_ops_s


def _series(rows: Sequence[Interval]) -> tuple[steady_state.Interval, ...]:
    return steady_state.intervals(
        [
            steady_state.Row(row.elapsed_seconds, row.operations, row.errors, row.throughput_ops_s, row.latency.p99)
            for row in rows
            if row.operation == _ALL_OPERATIONS
        ]
    )


def _use(output: RunOutput) -> HostUse | None:
    with io.TextIOWrapper(storage.open_stored(output.sha256 or ""), encoding="utf-8") as lines:
        try:
            return host_use.parse(lines)
        except ValueError:  # noted when the hosts are summarized
            return None
