"""Celery's part in a run: nudges. The database knows what is due; a lost message is only late."""

from celery import shared_task
from django.utils import timezone

from runners import driver, lifecycle
from runners.models import Run
from runners.sweep import sweep


@shared_task(ignore_result=True)
def drive_due() -> None:
    """Beat's nudge: one message for each run that a driver should look at."""
    for run_id in Run.objects.due(timezone.now()).values_list("pk", flat=True):
        drive.delay(run_id)


@shared_task(ignore_result=True, time_limit=driver.STEP_LIMIT.total_seconds())
def drive(run_id: int) -> None:
    """One step of one run."""
    if not lifecycle.hold(run_id, driver.STEP_LIMIT):
        return  # delivered twice, or another worker was faster
    try:
        driver.drive_once(Run.objects.get(pk=run_id))
    finally:
        lifecycle.release(run_id, driver.PAUSE)


@shared_task(ignore_result=True)
def sweep_all() -> None:
    """Delete what outlived its run."""
    sweep()
