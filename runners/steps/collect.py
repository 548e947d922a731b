"""Collecting: copies raw outputs to the storage before any machine is deleted."""

import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchsite.storage.temporary import temporary_folder
from runners import clock, cluster, lifecycle
from runners.choices import EndReason, OutputKind, RunStatus
from runners.errors import RetryLater
from runners.hosts.hosts import HostLost
from runners.lifecycle import save_state
from runners.load_tools import for_plan
from runners.load_tools.base import OutputFile
from runners.models import Run, RunNode, RunOutput
from runners.providers.registry import hosts_for
from runners.steps.machines import node_states
from runners.steps.queued import WIND_DOWN
from submissions.choices import PricingModel
from submissions.formatting.text import plural
from submissions.ingest.files import storage

FILES_A_STEP = 8  # a step is short, so that a dying worker loses little
ATTEMPTS = 5  # to copy an output whose host does not answer; the pauses between them grow
SECONDS_A_STEP = 30.0  # hosts that no longer answer take their time


def step(run: Run) -> RunStatus | None:
    """Copy some of the outputs; continue with the next status when all are copied."""
    started = min(run.progress.get("trial", 0), cluster.trials_of(run))
    waiting = _outputs_to_copy(run, range(started))
    if not waiting:
        if taken_back := run.state.get("taken_back"):
            detail = f"the provider took back {', '.join(sorted(set(taken_back)))} before all outputs were copied"
            lifecycle.end(run, EndReason.SPOT_INTERRUPTED, detail)
            return None
        return RunStatus.TEARING_DOWN
    if run.deadline_at and clock.now() > run.deadline_at + WIND_DOWN:
        detail = f"{plural(len(waiting), 'output')} could not be copied in time; the machines are deleted now"
        lifecycle.end(run, EndReason.TIMED_OUT, detail)
        return None
    _copy_some(run, waiting)
    return None


def copy_trial(run: Run, trial: int) -> bool:
    """Copy some outputs of a trial that has ended; True when none is left to copy."""
    waiting = _outputs_to_copy(run, [trial])
    if waiting:
        _copy_some(run, waiting)
    return not waiting


def storage_errors() -> tuple[type[Exception], ...]:
    """Of the files of this machine, or of an S3 storage; called when one is raised, so that others load no SDK."""
    from boto3.exceptions import Boto3Error  # type: ignore[import-untyped]
    from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]

    return (OSError, BotoCoreError, ClientError, Boto3Error)


def _copy_some(run: Run, waiting: Sequence[RunOutput]) -> None:
    """As many as there is time for; first those whose hosts were not silent before. Raises RetryLater."""
    silent: dict[str, int] = dict(run.state.get("silent", {}))  # output -> how often its host did not answer
    until = time.monotonic() + SECONDS_A_STEP
    done = 0
    troubles: list[str] = []
    gone: set[str] | None = None  # the provider is asked once a step, when a host is silent
    for output in sorted(waiting, key=lambda output: silent.get(str(output.pk), 0))[:FILES_A_STEP]:
        if done + len(troubles) and time.monotonic() > until:
            break
        try:
            _copy(run, output)
        except HostLost as error:
            silent[str(output.pk)] = attempts = silent.get(str(output.pk), 0) + 1
            gone = _taken_back(run) if gone is None else gone
            if output.node.name in gone:
                if output.kind == OutputKind.LOG:  # without its other files, the result is whole
                    save_state(run, taken_back=[*run.state.get("taken_back", []), output.node.name])
            elif attempts < ATTEMPTS:
                troubles.append(str(error))
                continue
            _give_up(run, output, str(error))
        except storage_errors() as error:
            # the machines are kept until the storage is back, or until the deadline
            raise RetryLater(f"{output.name} could not be stored: {type(error).__name__}") from error
        done += 1
    save_state(run, waiting=len(waiting) - done, silent=silent)  # tells the worker that the step makes progress
    if troubles and not done:
        raise RetryLater(f"waiting for outputs: {troubles[0]}")


def _taken_back(run: Run) -> set[str]:
    """The hosts whose machines the cloud has taken back: their files are gone with them."""
    listed = node_states.look(run)
    is_spot = run.plan.get("pricing_model") == PricingModel.SPOT
    return {*node_states.interrupted(listed), *(node_states.missing(run, listed) if is_spot else ())}


def _outputs_to_copy(run: Run, trials: Iterable[int]) -> list[RunOutput]:
    """Creates a row for each output file of these trials; returns those still to be copied."""
    plan = cluster.plan_of(run)
    members = cluster.members_of(run.nodes.all())
    workload = for_plan(plan)
    expected = [
        file for trial in trials for file in workload.outputs(cluster.plan_of_trial(run, trial), members, trial)
    ]
    if run.progress.get("profiled"):
        expected += workload.profile_outputs(plan, members)
    nodes = {node.name: node for node in run.nodes.all()}
    known = {(output.node.name, output.path): output for output in run.outputs.select_related("node")}
    new = [_row(run, nodes[file.node], file) for file in expected if (file.node, file.path) not in known]
    RunOutput.objects.bulk_create(new, ignore_conflicts=True)
    keys = {(file.node, file.path) for file in expected}
    given_up = set(run.state.get("given_up", []))
    return [
        output
        for output in run.outputs.select_related("node")
        if (output.node.name, output.path) in keys and output.sha256 is None and output.pk not in given_up
    ]


def _row(run: Run, node: RunNode, file: OutputFile) -> RunOutput:
    return RunOutput(run=run, node=node, trial=file.trial, kind=file.kind, path=file.path, name=file.name)


def _copy(run: Run, output: RunOutput) -> None:
    with tempfile.TemporaryDirectory(prefix="collect-", dir=temporary_folder()) as folder:
        to = Path(folder) / "output"
        if not hosts_for(run).fetch(output.node.name, output.path, str(to)):
            _give_up(run, output, "the file does not exist")
            return
        stored = storage.store_path(to)
    output.sha256, output.size_bytes, output.original_sha256 = stored.sha256, stored.size_bytes, stored.original_sha256
    output.save(update_fields=["sha256", "size_bytes", "original_sha256"])


def _give_up(run: Run, output: RunOutput, why: str) -> None:
    lifecycle.note(run, f"{output.name} is missing: {why}")
    save_state(run, given_up=[*run.state.get("given_up", []), output.pk])
