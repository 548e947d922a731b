"""Celery's part in a run: nudges. The database knows what is due; a lost message is only late."""

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from runners import driver, lifecycle
from runners.models import Run
from runners.sweep import sweep

AT_A_STRETCH = timedelta(seconds=20)  # then other runs have their turn; far less than a worker's hold


@shared_task(ignore_result=True)
def drive_due() -> None:
    """Beat's nudge: one message for each run that a driver should look at."""
    for run_id in Run.objects.due(timezone.now()).values_list("pk", flat=True):
        drive.delay(run_id)


@shared_task(ignore_result=True, time_limit=driver.STEP_LIMIT.total_seconds())
def drive(run_id: int) -> None:
    """Steps of one run, until it has to wait for something."""
    if not lifecycle.hold(run_id, driver.STEP_LIMIT):
        return  # delivered twice, or another worker was faster
    try:
        _drive_while_it_moves(Run.objects.get(pk=run_id))
    finally:
        lifecycle.release(run_id, driver.PAUSE)


def _drive_while_it_moves(run: Run) -> None:
    """The next step at once where the one before has done something; a pause after each would double a short run."""
    until = timezone.now() + AT_A_STRETCH
    while not run.is_final and timezone.now() < until:
        before = (run.status, run.state)
        driver.drive_once(run)
        run.refresh_from_db()
        if (run.status, run.state) == before:
            return


@shared_task(ignore_result=True)
def sweep_all() -> None:
    """Delete what outlived its run."""
    sweep()
