"""Bootstrapping: the workload's jobs one after the other, until the system is ready to be stressed."""

import json
from collections.abc import Sequence
from datetime import timedelta

from runners import cluster
from runners.choices import RunStatus
from runners.errors import BootstrapFailed
from runners.hosts.hosts import HostLost, HostNotReady
from runners.load_tools import for_plan
from runners.load_tools.base import Job
from runners.models import Run, RunNode
from runners.providers.registry import hosts_for
from runners.steps import jobs, machines
from runners.steps.clock import remember, since

FACTS_JOB = "facts"  # prints one JSON object for its host


def step(run: Run) -> RunStatus | None:
    """Start or look at the current job; go to the next when every host has done it."""
    plan = cluster.plan_of(run)
    todo = for_plan(plan).bootstrap_jobs(plan, cluster.members_of(run.nodes.all()))
    index = run.state.get("job", 0)
    if index >= len(todo):
        return RunStatus.STRESSING
    job = todo[index]
    try:
        outcome = _advance(run, job)
    except (HostLost, HostNotReady) as error:
        raise machines.why_lost(run, str(error), BootstrapFailed) from error
    if outcome.failed:
        name, status = next(iter(outcome.failed.items()))
        raise BootstrapFailed(f"{job.name} on {name} ended with {status}: {jobs.tail_of(run, job, name)}")
    if outcome.is_over:
        if job.name == FACTS_JOB:
            _keep_facts(run, job)
        _show(run, todo, index + 1)
        remember(run, job=index + 1)
        return None
    if since(run, f"started_{index}") > timedelta(seconds=job.timeout_seconds):
        raise BootstrapFailed(f"{job.name} took over {job.timeout_seconds:.0f} s on {', '.join(outcome.running[:10])}")
    return None


def _advance(run: Run, job: Job) -> jobs.Outcome:
    return jobs.advance(run, hosts_for(run), job)


def _keep_facts(run: Run, job: Job) -> None:
    """The host's own words about itself; what is no JSON is left unknown."""
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


def _show(run: Run, todo: Sequence[Job], done: int) -> None:
    progress = {"stage": "bootstrapping", "done": done, "of": len(todo)}
    if done < len(todo):
        progress["job"] = todo[done].name
    Run.objects.filter(pk=run.pk).update(progress={**run.progress, **progress})
