"""The profiled trial, after all others: its figures do not count, and whatever happens in it costs no result."""

from datetime import timedelta

from runners import clock, cluster, lifecycle
from runners.endings.receipt import cost_so_far
from runners.errors import RunFailed
from runners.hosts.hosts import HostLost
from runners.lifecycle import save_progress, time_since
from runners.load_tools import for_plan
from runners.load_tools.base import Job
from runners.models import Run
from runners.providers.registry import hosts_for
from runners.steps import jobs

RESERVE = timedelta(seconds=60)  # before the deadline, to go on without it


class _NoProfile(RunFailed):
    """Why there is none; it does not end the run."""


def is_over(run: Run) -> bool:
    """Start or follow it; True when there is none, or when it has ended."""
    plan = cluster.plan_of(run)
    job = for_plan(plan).profile_job(plan, cluster.members_of(run.nodes.all()))
    if job is None:
        return True
    try:
        return _is_over(run, job)
    except (_NoProfile, HostLost) as error:
        lifecycle.note(run, f"there is no CPU profile: {error}")
        return True


def _is_over(run: Run, job: Job) -> bool:
    if run.progress.get("stage") != "profiling":
        save_progress(run, stage="profiling", expected_seconds=job.expected_seconds)
    if run.deadline_at and clock.now() > run.deadline_at - RESERVE:
        raise _NoProfile("the deadline is too near")
    if (spent := cost_so_far(run)) is not None and spent > run.max_usd:
        raise _NoProfile("the budget is spent")
    outcome = jobs.advance(run, hosts_for(run), job)
    if outcome.failed:
        name, status = next(iter(outcome.failed.items()))
        raise _NoProfile(f"{name} ended with status {status}: {jobs.tail_of(run, job, name)}")
    if outcome.is_over:
        save_progress(run, profiled=True)
        return True
    if time_since(run, "profiling") > timedelta(seconds=job.timeout_seconds):
        raise _NoProfile(f"it took more than {job.timeout_seconds:.0f} s")
    return False
