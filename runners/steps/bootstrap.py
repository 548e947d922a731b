"""Bootstrapping: the jobs of the workload, one after another, until the system is ready for the load."""

import json
from collections.abc import Sequence
from datetime import timedelta

from runners import cluster
from runners.choices import RunStatus
from runners.errors import BootstrapFailed
from runners.hosts.hosts import HostLost, HostNotReady
from runners.lifecycle import save_progress, save_state, time_since
from runners.load_tools import for_plan
from runners.load_tools.base import Job
from runners.models import Run, RunNode
from runners.providers.registry import hosts_for
from runners.steps import jobs, machines

FACTS_JOB = "facts"  # prints one JSON object for its host


def step(run: Run) -> RunStatus | None:
    """Start or follow the current job; go to the next one when every host has finished."""
    plan = cluster.plan_of(run)
    job_list = for_plan(plan).bootstrap_jobs(plan, cluster.members_of(run.nodes.all()))
    index = run.state.get("job", 0)
    if index >= len(job_list):
        return RunStatus.STRESSING
    job = job_list[index]
    try:
        outcome = _advance(run, job)
    except (HostLost, HostNotReady) as error:
        raise machines.loss_of(run, str(error), BootstrapFailed) from error
    if outcome.failed:
        name, status = next(iter(outcome.failed.items()))
        raise BootstrapFailed(f"{job.name} on {name} ended with status {status}: {jobs.tail_of(run, job, name)}")
    if outcome.is_over:
        if job.name == FACTS_JOB:
            _store_facts(run, job)
        _show_progress(run, job_list, index + 1)
        save_state(run, job=index + 1)
        return None
    if time_since(run, f"started_{index}") > timedelta(seconds=job.timeout_seconds):
        raise BootstrapFailed(
            f"{job.name} took more than {job.timeout_seconds:.0f} s on {', '.join(outcome.running[:10])}"
        )
    return None


def _advance(run: Run, job: Job) -> jobs.Outcome:
    return jobs.advance(run, hosts_for(run), job)


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
