"""Detached commands on the hosts: started once, then followed by any worker."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from runners.choices import OutputKind
from runners.hosts.hosts import Hosts
from runners.load_tools.base import Job, Workload
from runners.models import Run, RunNode, RunOutput
from submissions.ingest.secrets.mask import mask_text

LONGEST_PAUSE = timedelta(seconds=30)  # between two looks at a long job
SHORTEST_PAUSE_A_HOST, LONGEST_PAUSE_A_HOST = timedelta(seconds=0.015), timedelta(seconds=0.08)  # 5 and 28 s at 348
TAIL_CHARACTERS = 8_000
SERIES_POINTS = 2_000  # for the live page; the log has the whole series


@dataclass(frozen=True, slots=True)
class Outcome:
    """The state of a job on all of its hosts."""

    running: tuple[str, ...]
    failed: Mapping[str, int]  # host -> exit status
    missing: tuple[str, ...] = ()  # never started there

    @property
    def is_over(self) -> bool:
        return not self.running


def advance(run: Run, hosts: Hosts, job: Job, *, trial: int | None = None, workload: Workload | None = None) -> Outcome:
    """Follow the job on every host, and start it where it has not been started.

    Before the first start, nothing is there to look at: each host is spared a connection.
    """
    if not run.outputs.filter(path=job.log_path).exists():
        _outputs(run, job, trial)
        outcome = Outcome(running=(), failed={}, missing=tuple(sorted(job.commands)))
    else:
        outcome = look(run, hosts, job, trial=trial, workload=workload)
    if not outcome.missing:
        return outcome
    files = {name: job.files[name] for name in outcome.missing if name in job.files}
    hosts.start({name: job.commands[name] for name in outcome.missing}, job=job.name, files=files)
    return replace(outcome, running=(*outcome.running, *outcome.missing), missing=())


def look(run: Run, hosts: Hosts, job: Job, *, trial: int | None = None, workload: Workload | None = None) -> Outcome:
    """Tail the job's log on each host into its RunOutput, and return the state of the job."""
    outputs = _outputs(run, job, trial)
    progress = hosts.look(
        sorted(job.commands),
        job=job.name,
        path=job.log_path,
        offsets={name: output.offset_bytes for name, output in outputs.items()},
    )
    for name, state in progress.items():
        if state.new_output:
            _append(outputs[name], state.new_output, state.offset, workload)
    ended = {name: state.exit_status for name, state in progress.items() if not state.is_running}
    return Outcome(
        # a host that was not reached in time is asked again by the next step
        running=tuple(name for name in sorted(job.commands) if name not in progress or progress[name].is_running),
        missing=tuple(sorted(name for name, exit_status in ended.items() if exit_status is None)),
        failed={name: exit_status for name, exit_status in ended.items() if exit_status},
    )


def pause_of(job: Job, elapsed: timedelta) -> timedelta:
    """The time until the next look: longer in a long job, shorter towards its expected end.

    A look at few hosts costs nothing: they are looked at as often as before.
    """
    hosts = len(job.commands)
    shortest, longest = SHORTEST_PAUSE_A_HOST * hosts, min(LONGEST_PAUSE, LONGEST_PAUSE_A_HOST * hosts)
    pause = max(shortest, min(longest, elapsed / 10))
    left = timedelta(seconds=job.expected_seconds) - elapsed
    return min(pause, max(left, shortest)) if left > timedelta(0) else pause


def tail_of(run: Run, job: Job, name: str) -> str:
    """The last lines of the job on a host, for the error that ends the run."""
    output = run.outputs.filter(node__name=name, path=job.log_path).first()
    return output.tail[-500:].strip() if output else ""


def _outputs(run: Run, job: Job, trial: int | None) -> dict[str, RunOutput]:
    nodes = RunNode.objects.filter(run=run, name__in=job.commands)
    RunOutput.objects.bulk_create(
        [
            RunOutput(
                run=run,
                node=node,
                path=job.log_path,
                trial=trial,
                kind=OutputKind.LOG if trial is not None else OutputKind.BOOTSTRAP,
                # trials are counted from 1 for readers; the name of the job is the folder on the host
                name=f"{node.name}-{job.name}.log" if trial is None else f"trial-{trial + 1}-{node.name}.log",
            )
            for node in nodes
        ],
        ignore_conflicts=True,
    )
    outputs = RunOutput.objects.filter(run=run, path=job.log_path, node__in=nodes).select_related("node")
    return {output.node.name: output for output in outputs}


def _append(output: RunOutput, new: bytes, offset: int, workload: Workload | None) -> None:
    # PostgreSQL cannot store NUL in a text
    text = new.decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
    if workload is not None:
        # the new output may begin in the middle of a line whose start is in the tail
        lines = (output.tail.rpartition("\n")[2] + text).splitlines()
        last: float = output.series[-1][0] if output.series else -1.0
        points = [list(point) for point in workload.progress(lines) if point[0] > last]
        output.series = (output.series + points)[-SERIES_POINTS:]
    output.tail = mask_text(output.tail + text)[-TAIL_CHARACTERS:]
    output.offset_bytes = offset
    output.save(update_fields=["tail", "series", "offset_bytes"])
