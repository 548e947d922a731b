"""Celery only nudges runs. The database knows what is due; a lost message only means a delay.

The messages have a queue of their own (settings.py), so that no import keeps a run waiting, and expire: after an hour
without workers, a thousand of them would say the same.
"""

import time
from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.db import connection

from runners import clock, driver, lifecycle
from runners.models import Run, Series
from runners.schedules import turns
from runners.series import progress
from runners.sweep import sweep

SOON = timedelta(seconds=1)  # for a pause as short as this, the worker keeps the run: any other would come later
AGAIN_AFTER_SECONDS = (0, 1, 2, 4, 8)
TURN = timedelta(seconds=10)  # then it is the turn of other runs; with a long step, still less than the hold


@shared_task(ignore_result=True)
def drive_due() -> None:
    """Called by beat: one message for each run, and each series, that is due."""
    now = clock.now()
    for run_id in Run.objects.due(now).values_list("pk", flat=True):
        drive.apply_async([run_id], expires=settings.RUN_MESSAGE_SECONDS)
    for series_id in Series.objects.due(now).values_list("pk", flat=True):
        drive_series.apply_async([series_id], expires=settings.RUN_MESSAGE_SECONDS)


@shared_task(ignore_result=True, time_limit=driver.STEP_LIMIT.total_seconds())
def drive(run_id: int) -> None:
    """Performs the steps of a run until it has to wait for something."""
    token = lifecycle.hold(run_id, driver.STEP_LIMIT)
    if token is None:
        return  # delivered twice, or another worker was faster
    pause = driver.PAUSE
    try:
        pause = _drive_while_it_moves(Run.objects.get(pk=run_id, held_by=token))
    finally:
        _release(run_id, token, pause)


@shared_task(ignore_result=True, time_limit=driver.STEP_LIMIT.total_seconds())
def drive_series(series_id: int) -> None:
    """Starts what can start now in a series, or ends it."""
    if not progress.hold(series_id):
        return  # delivered twice, or another worker was faster
    pause = progress.AFTER_ERROR
    try:
        progress.advance(series_id)
        pause = progress.PAUSE
    finally:
        progress.release(series_id, pause)


@shared_task(ignore_result=True)
def start_scheduled() -> None:
    """Starts what is due by a schedule, and sees what came of earlier turns."""
    turns.start_due()
    turns.watch()


def _release(run_id: int, token: str, pause: timedelta) -> None:
    """A hold that stays because the database restarts meanwhile would stop the run until a worker is taken for dead."""
    for seconds in AGAIN_AFTER_SECONDS:
        try:
            return lifecycle.release(run_id, token, pause)
        except driver.DATABASE_AWAY:
            connection.close()  # the next query opens a new one
            time.sleep(seconds)
    return lifecycle.release(run_id, token, pause)


def _drive_while_it_moves(run: Run) -> timedelta:
    """The next step follows at once when a step has changed something: pauses would double the time of a short run.

    Returns the pause before the next one.
    """
    until = time.monotonic() + TURN.total_seconds()
    token = run.held_by
    while not run.is_final and time.monotonic() < until:
        before = (run.status, run.state)
        driver.drive_once(run)
        run.refresh_from_db()
        is_waiting = run.troubles or (run.status, run.state) == before
        if run.held_by != token or is_waiting or (run.due_at and run.due_at > clock.now() + SOON):
            break
    return driver.pause_of(run)


@shared_task(ignore_result=True)
def sweep_all() -> None:
    """Called by beat: delete leftovers of runs; what is due by a schedule starts beside that."""
    start_scheduled.apply_async(expires=settings.RUN_MESSAGE_SECONDS)
    sweep()
