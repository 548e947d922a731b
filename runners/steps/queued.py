"""Queued: waits for its turn and for the budget; nothing exists in a cloud yet."""

from datetime import timedelta

from django.conf import settings
from django.db import connection, transaction

from runners import clock, lifecycle
from runners.choices import EndReason, RunStatus
from runners.creation import NOT_ON_THIS_MACHINE, may_run_on
from runners.hosts.keys import make_keys, seal
from runners.limits import budget, queue
from runners.load_tools import UnsupportedWorkload, for_plan
from runners.models import Run
from runners.plan_schema.run_plan import RunPlan
from runners.providers.registry import offered
from runners.steps.machines import handover

# Time to copy the outputs and delete the machines of a run that reached its deadline.
WIND_DOWN = timedelta(minutes=15)

_BUDGET_LOCK = 0x62656E6368  # two workers must not both spend the last dollar


def step(run: Run) -> RunStatus | None:
    """Start the run when the limits allow it: the check and the change of status are one transaction."""
    if reason := _obstacle(run):
        lifecycle.end(run, EndReason.BOOTSTRAP_FAILED, reason)
        return None
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_BUDGET_LOCK])
        refusal = budget.refusal(run)
        giver = handover.giver_for(run)
        if refusal is None and not queue.has_turn(run, in_place_of=giver):
            return None
        if refusal is None:
            _start(run, giver)
    if refusal is not None:
        lifecycle.end(run, EndReason.BUDGET_EXCEEDED, refusal)
    return None


def _obstacle(run: Run) -> str | None:
    """Why the run can no longer start: it may have waited while the site or its owner's account changed."""
    if not run.owner.is_active:
        return "the account of its owner is closed"
    if run.provider not in offered():
        return f"this site no longer offers runs on {run.provider}"
    if not may_run_on(run.provider, run.owner):
        return NOT_ON_THIS_MACHINE
    try:
        for_plan(RunPlan.model_validate(run.plan))
    except UnsupportedWorkload as error:
        return str(error)
    return None


def _start(run: Run, giver: Run | None) -> None:
    plan = RunPlan.model_validate(run.plan)
    now = clock.now()
    deadline = now + timedelta(minutes=plan.max_duration_minutes)
    if giver is not None:
        handover.take_over(run, giver, now, deadline)
        return
    keys = make_keys()
    expires = deadline + WIND_DOWN + timedelta(minutes=settings.RUN_SWEEP_MARGIN_MINUTES)
    lifecycle.advance(
        run,
        RunStatus.LAUNCHING,
        launched_at=now,
        deadline_at=deadline,
        # the tag by which a sweep deletes what is left if no worker is running
        expires_at=expires + handover.more_time(run, now, expires - now),
        ssh_key=seal(keys.private),
        host_key=seal(keys.host_private),
    )
