"""Series on the fake cloud: real rows, real steps, real logs."""

from collections.abc import Callable
from typing import Any

from runners import driver
from runners.models import Run, Series
from runners.providers import fake
from runners.series import creation, progress
from tests.factories import UserFactory
from tests.runners.fake_runs import PLAN


def body(**changes) -> dict[str, Any]:
    """Two thread counts, twice."""
    order = {
        "plan": {**PLAN, "trials": 1, "max_usd": "2"},
        "vary": [{"field": "workload.threads", "values": [8, 16]}],
        "repetitions": 2,
        "max_usd": "20",
        "max_minutes": 600,
    }
    return {**order, **changes}


def stored(owner=None, **changes) -> Series:
    return creation.create(body(**changes), owner or UserFactory())


def finish(run: Run, most: int = 60) -> Run:
    """The steps of a run until it ends, on hosts that no run has had before."""
    fake.CLOUD.jobs.clear()
    for _ in range(most):
        run.refresh_from_db()
        if run.is_final:
            break
        driver.drive_once(run)
    run.refresh_from_db()
    return run


def drive_series(
    series: Series, most: int = 40, before_each_run: Callable[[int], object] = lambda number: None
) -> Series:
    """Looks at the series and steps of its runs, until it ends. `before_each_run`: given how many runs there are."""
    for _ in range(most):
        progress.advance(series.pk)
        series.refresh_from_db()
        if series.is_final:
            break
        for run in Run.objects.open().filter(series_cell__series=series):
            before_each_run(Run.objects.filter(series_cell__series=series).count())
            finish(run)
    return series


def starts(series: Series) -> list[tuple[int, int]]:
    """(threads, repetition) of the runs, in the order in which they were created."""
    runs = Run.objects.filter(series_cell__series=series).order_by("pk").select_related("series_cell")
    return [(run.plan["workload"]["threads"], run.series_cell.repetition) for run in runs]
