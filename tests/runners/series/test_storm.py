"""Workers die at any query of a series, owners cancel and repeat: each cell has its run once. Longer: `make storm`."""

import json
import os
import random
from collections import Counter
from decimal import Decimal

import pytest
from django.db import connection

from runners.models import Run, Series, SeriesCell
from runners.series import progress
from tests.runners.series.orders import stored

pytestmark = pytest.mark.django_db

STORM = json.loads(os.environ.get("STORM", "{}"))
SEEDS = range(STORM["seed"], STORM["seed"] + 100) if STORM else range(4)
ORDERS = ("interleaved", "in_turn")
MOST_STEPS = 400
MOST_QUERIES = 20  # fewer than a look that starts a run has


class WorkerDied(BaseException):
    """As kill -9: nothing of the code that it meets handles it."""


class DiesAt:
    """The worker gets no answer to its nth query."""

    def __init__(self, queries: int) -> None:
        self.left = queries

    def __call__(self, execute, sql, params, many, context):
        self.left -= 1
        if self.left == 0:
            raise WorkerDied
        return execute(sql, params, many, context)


def look(series, dice, deaths):
    """By a worker that may die; the row locks and the open transaction die with it."""
    last = dice.randint(1, MOST_QUERIES) if dice.random() < 0.5 or not deaths else 10**6
    try:
        with connection.execute_wrapper(DiesAt(last)):
            progress.advance(series.pk)
    except WorkerDied:
        deaths["deaths"] += 1


def end(run, dice):
    """A run comes to an end that only its own steps decide: tests/lab/test_storm.py has those."""
    status, reason = dice.choice([("succeeded", "completed")] * 3 + [("failed", "stress_failed")])
    if run.cancel_requested_at:
        status, reason = "cancelled", "cancelled_by_user"
    usd = f"{min(dice.uniform(0.1, 1.2), float(run.worst_case_usd)):.2f}"  # its own budget ends a run before
    Run.objects.filter(pk=run.pk).update(
        status=status,
        end_reason=reason,
        launched_at=run.created_at,
        ended_at=run.created_at,
        receipt={"total_usd": usd, "missing": "", "left": 0},
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_happens_to_workers_each_cell_runs_once_and_within_the_budget(make_run, settings, seed):
    dice, counts = random.Random(seed), Counter()
    settings.RUNS_NEED_PERMISSION = False
    settings.MAX_USER_OPEN_RUNS = dice.randint(1, 3)
    series = stored(repetitions=dice.randint(1, 3), max_usd=str(dice.choice([6, 20])), order=dice.choice(ORDERS))
    agains = 2
    for _ in range(MOST_STEPS):
        look(series, dice, counts)
        for run in Run.objects.open():
            if dice.random() < 0.4:
                end(run, dice)
        if dice.random() < 0.01:
            progress.request_cancel(series)
        series.refresh_from_db()
        assert_sound(series)
        if series.is_final:
            if not agains:
                break
            agains -= 1
            progress.run_again(series, whole_rounds=dice.random() < 0.5)

    series.refresh_from_db()
    assert series.is_final, f"seed {seed}: {series}"
    assert counts["deaths"] > 0
    assert not series.cells.filter(run=None, refusal="").exists()


def assert_sound(series: Series) -> None:
    runs = Run.objects.all()
    assert not runs.filter(series_cell=None).exists(), "a run of no cell"
    current = series.cells.filter(is_current=True)
    assert Counter(current.values_list("number", "repetition")).total() == 2 * series.repetitions
    spent = sum(Decimal((run.receipt or {}).get("total_usd") or run.worst_case_usd) for run in runs)
    assert spent <= Decimal(series.max_usd)
    opened = SeriesCell.objects.filter(run__in=runs.open(), round__isnull=False)
    assert opened.values("round").distinct().count() <= 1, "two rounds at a time"


def test_the_dying_worker_dies():
    with pytest.raises(WorkerDied), connection.execute_wrapper(DiesAt(1)):
        Series.objects.exists()
