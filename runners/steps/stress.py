"""Stressing: trial after trial, all clients of a trial at once, until the last has ended."""

from datetime import timedelta

from django.utils import timezone

from runners import cluster
from runners.choices import RunStatus
from runners.endings.receipt import cost_so_far
from runners.errors import BudgetExceeded, SpotInterrupted, StressFailed
from runners.hosts.hosts import HostLost, HostNotReady
from runners.load_tools import for_plan
from runners.models import Run
from runners.providers.registry import hosts_for
from runners.steps import jobs, machines
from runners.steps.clock import remember, since

SPOT_LOOK = timedelta(seconds=10)  # clouds give a notice of half a minute at least
LOOK = timedelta(seconds=30)


def step(run: Run) -> RunStatus | None:
    """Start or look at the current trial."""
    plan = cluster.plan_of(run)
    trial = run.state.get("trial", 0)
    if trial >= plan.trials:
        return RunStatus.COLLECTING
    _stay_within(run)
    _stay_whole(run, SPOT_LOOK if plan.is_spot else LOOK)
    if trial and since(run, f"pause_{trial}") < timedelta(seconds=plan.workload.pause_seconds):
        return None
    workload = for_plan(plan)
    job = workload.trial_job(plan, cluster.members_of(run.nodes.all()), trial)
    _show(run, trial, plan.trials, job.expected_seconds)
    try:
        outcome = jobs.advance(run, hosts_for(run), job, trial=trial, workload=workload)
    except (HostLost, HostNotReady) as error:
        raise machines.why_lost(run, str(error), StressFailed) from error
    if outcome.failed:
        name, status = next(iter(outcome.failed.items()))
        raise StressFailed(
            f"the load tool on {name} ended with {status} in trial {trial + 1}: {jobs.tail_of(run, job, name)}"
        )
    if outcome.is_over:
        remember(run, trial=trial + 1)
        Run.objects.filter(pk=run.pk).update(progress={**run.progress, "trials_done": trial + 1})
        return None
    if since(run, f"started_{trial}") > timedelta(seconds=job.timeout_seconds):
        raise StressFailed(f"trial {trial + 1} took over {job.timeout_seconds:.0f} s")
    return None


def _stay_within(run: Run) -> None:
    """The run's own cap, against the machine time used so far."""
    spent = cost_so_far(run)
    if spent is not None and spent > run.max_usd:
        raise BudgetExceeded(f"{spent:.2f} USD are spent, the limit is {run.max_usd:.2f} USD")


def _stay_whole(run: Run, every: timedelta) -> None:
    """A load tool goes on when a replica goes: what it prints from then on is of another cluster."""
    if since(run, "looked") < every:
        return
    found = machines.look(run)
    if taken := machines.taken_back(found):
        raise SpotInterrupted(f"the provider took back {', '.join(taken)}")
    missing = machines.gone(run, found)
    # a list that once leaves a machine out may be late; one that does so twice is not
    if missing and missing == run.state.get("missing"):
        raise machines.why_lost(run, f"{', '.join(missing)} is gone while the load ran", StressFailed)
    remember(run, looked=timezone.now().isoformat(), missing=missing)


def _show(run: Run, trial: int, trials: int, expected_seconds: float) -> None:
    if run.progress.get("stage") == "stressing" and run.progress.get("trial") == trial + 1:
        return
    run.progress = {
        **run.progress,
        "stage": "stressing",
        "trial": trial + 1,
        "of": trials,
        "trial_started_at": timezone.now().isoformat(),
        "expected_seconds": expected_seconds,
    }
    Run.objects.filter(pk=run.pk).update(progress=run.progress)
