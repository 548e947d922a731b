"""Stressing: one trial after another, on all clients at once, until the last has ended."""

from datetime import timedelta

from runners import clock, cluster
from runners.choices import RunStatus
from runners.endings.receipt import cost_so_far
from runners.errors import BudgetExceeded, SpotInterrupted, StressFailed
from runners.hosts.hosts import HostLost
from runners.lifecycle import ask_again, save_progress, save_state, time_since
from runners.load_tools import for_plan
from runners.models import Run
from runners.plan_schema.run_plan import RunPlan
from runners.providers.registry import hosts_for
from runners.steps import jobs
from runners.steps.loads import load_steps, profiling
from runners.steps.machines import node_states

SPOT_LOOK = timedelta(seconds=10)  # clouds give at least half a minute of notice
LOOK = timedelta(seconds=30)


def step(run: Run) -> RunStatus | None:
    """Start or follow the current trial."""
    plan = cluster.plan_of(run)
    trial = run.state.get("trial", 0)
    over = _is_over(run, plan, trial)
    if over:
        return RunStatus.COLLECTING if profiling.is_over(run) else None
    if over is None:
        return None
    _check_budget(run)
    every = SPOT_LOOK if plan.is_spot else LOOK
    _check_machines(run, every)
    if trial and time_since(run, f"pause_{trial}") < timedelta(seconds=plan.workload.pause_seconds):
        return None
    workload, trial_plan = for_plan(plan), cluster.plan_of_trial(run, trial)
    job = workload.trial_job(trial_plan, cluster.members_of(run.nodes.all()), trial)
    _show_progress(run, trial, plan.most_trials, job.expected_seconds)
    try:
        outcome = jobs.advance(run, hosts_for(run), job, trial=trial, workload=workload)
    except HostLost as error:
        raise node_states.unanswered(run, error, StressFailed) from error
    node_states.answered(run)
    if outcome.failed:
        name, status = next(iter(outcome.failed.items()))
        raise StressFailed(
            f"the load tool on {name} ended with status {status} in trial {trial + 1}: {jobs.tail_of(run, job, name)}"
        )
    if outcome.is_over:
        save_state(run, trial=trial + 1)
        save_progress(run, trials_done=trial + 1)
        return None
    elapsed = time_since(run, f"started_{trial}")
    if elapsed > timedelta(seconds=job.timeout_seconds):
        raise StressFailed(f"trial {trial + 1} took more than {job.timeout_seconds:.0f} s")
    ask_again(run, min(jobs.pause_of(job, elapsed), every))
    return None


def _is_over(run: Run, plan: RunPlan, trial: int) -> bool | None:
    """Whether there is no such trial; None when that is not known yet."""
    return load_steps.is_over(run, plan, trial) if plan.load else trial >= plan.trials


def _check_budget(run: Run) -> None:
    """The cost of the machine time so far, against the budget of the run."""
    spent = cost_so_far(run)
    if spent is not None and spent > run.max_usd:
        raise BudgetExceeded(f"{spent:.2f} USD were spent; the budget is {run.max_usd:.2f} USD")


def _check_machines(run: Run, every: timedelta) -> None:
    """A load tool continues when a replica is lost: its further results are those of another cluster."""
    if time_since(run, "looked") < every:
        return
    listed = node_states.look(run)
    if interrupted := node_states.interrupted(listed):
        raise SpotInterrupted(f"the provider took back {', '.join(interrupted)}")
    missing = node_states.missing(run, listed)
    # a machine may be absent from one list that is out of date, but not from two
    if missing and missing == run.state.get("missing"):
        raise node_states.loss_of(run, f"{', '.join(missing)} disappeared under load", StressFailed)
    save_state(run, looked=clock.now().isoformat(), missing=missing)


def _show_progress(run: Run, trial: int, trials: int, expected_seconds: float) -> None:
    if run.progress.get("stage") == "stressing" and run.progress.get("trial") == trial + 1:
        return
    save_progress(
        run,
        stage="stressing",
        trial=trial + 1,
        of=trials,
        trial_started_at=clock.now().isoformat(),
        expected_seconds=expected_seconds,
    )
