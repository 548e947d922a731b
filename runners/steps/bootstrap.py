"""Bootstrapping: the jobs of the workload, one after another, until the system is ready for the load."""

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta

from runners import cluster, lifecycle
from runners.choices import RunStatus
from runners.errors import BootstrapFailed
from runners.hosts.hosts import HostLost
from runners.lifecycle import ask_again, save_progress, save_state, time_since
from runners.load_tools import for_plan, job_parts
from runners.load_tools.base import Job, Member
from runners.models import Run, RunNode
from runners.providers.registry import hosts_for
from runners.steps import jobs
from runners.steps.machines import node_states, replacement

FACTS_JOB = "facts"  # prints one JSON object for its host
RESET_EXPECTED_SECONDS, RESET_LIMIT_SECONDS = 20.0, 600.0


def step(run: Run) -> RunStatus | None:
    """Start or follow the current job; go to the next one when every host has finished."""
    plan = cluster.plan_of(run)
    members = cluster.members_of(run.nodes.all(), plan)
    job_list = [*_reset_jobs(run, members), *for_plan(plan).bootstrap_jobs(plan.heaviest, members)]
    index = run.state.get("job", 0)
    if index >= len(job_list):
        return RunStatus.STRESSING
    job = job_list[index]
    try:
        outcome = _advance(run, job)
        if outcome.failed:
            _try_again(run, job_list, index, outcome.failed)
            return None
    except HostLost as error:
        failure = node_states.unanswered(run, error, BootstrapFailed)
        if not isinstance(failure, BootstrapFailed):
            raise failure from error
        current = run.nodes.filter(replaced_at=None).values_list("name", flat=True)
        _replace(run, job_list[: index + 1], error.names, list(current), failure)
        return None
    node_states.answered(run)
    if outcome.is_over:
        if job.name == FACTS_JOB:
            _store_facts(run, job)
        _show_progress(run, job_list, index + 1)
        save_state(run, job=index + 1)
        return None
    elapsed = time_since(run, f"started_{index}")
    if elapsed > timedelta(seconds=job.timeout_seconds):
        raise BootstrapFailed(
            f"{job.name} took more than {job.timeout_seconds:.0f} s on {', '.join(outcome.running[:10])}"
        )
    ask_again(run, jobs.pause_of(job, elapsed))
    return None


def _reset_jobs(run: Run, members: Sequence[Member]) -> list[Job]:
    """What a run does first on hosts that another run had before; none for a run that launched its machines."""
    if run.took_over_from is None:
        return []
    from runners.hosts.remote import folder_of  # here: it loads asyncssh, 10 MB of each process of the site

    command = f"sh bin/reset.sh {folder_of(run.took_over_from)}"
    files = {member.name: job_parts.scripts(["reset.sh"]) for member in members}
    names = dict.fromkeys((member.name for member in members), command)
    return [job_parts.job("reset", names, RESET_EXPECTED_SECONDS, RESET_LIMIT_SECONDS, files=files)]


def _advance(run: Run, job: Job) -> jobs.Outcome:
    return jobs.advance(run, hosts_for(run), job)


def _try_again(run: Run, job_list: Sequence[Job], index: int, failed: Mapping[str, int]) -> None:
    """Repeat the job where it failed, if few hosts fail. A host that fails twice is replaced.

    Raises BootstrapFailed otherwise.
    """
    job = job_list[index]
    tried = run.state.get(f"tried_again_{index}", [])
    twice = sorted(set(tried) & set(failed))
    if twice or not job.is_repeatable or not replacement.are_few({*tried, *failed}, job.commands):
        name = twice[0] if twice else next(iter(failed))
        detail = f"{job.name} on {name} ended with status {failed[name]}: {jobs.tail_of(run, job, name)}"
        _replace(run, job_list[: index + 1], twice, list(job.commands), BootstrapFailed(detail))
        return
    again = hosts_for(run).set_aside(sorted(failed), job=job.name)
    for name in again:
        detail = f"{job.name} on {name} ended with status {failed[name]} and is tried again"
        lifecycle.note(run, f"{detail}: {jobs.tail_of(run, job, name)}")
    run.outputs.filter(path=job.log_path, node__name__in=again).update(offset_bytes=0)
    save_state(run, **{f"tried_again_{index}": sorted({*tried, *again})})


def _replace(
    run: Run, begun: Sequence[Job], names: Sequence[str], among: Sequence[str], error: BootstrapFailed
) -> None:
    """No host is replaced once data is being loaded: its part would be missing. Raises the error otherwise."""
    if not all(job.is_before_data for job in begun):
        raise error
    replacement.replace(run, names, among, error)


def _store_facts(run: Run, job: Job) -> None:
    """The facts that each host reports about itself; invalid JSON leaves them unknown."""
    nodes = []
    for output in run.outputs.filter(path=job.log_path).select_related("node"):
        try:
            facts = json.loads(output.tail)
        except ValueError:
            continue
        if isinstance(facts, dict):
            output.node.facts = facts
            nodes.append(output.node)
    RunNode.objects.bulk_update(nodes, ["facts"])


def _show_progress(run: Run, job_list: Sequence[Job], done: int) -> None:
    progress = {"stage": "bootstrapping", "done": done, "of": len(job_list)}
    if done < len(job_list):
        progress["job"] = job_list[done].name
    save_progress(run, **progress)
