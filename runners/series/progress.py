"""The only code that changes a series that has begun: which cell starts next, cancelling, the end, cells again.

Everything follows from the rows, so that any worker can go on after any other died. A run for a cell is stored in the
transaction that locks the series and names it in the cell: two workers start it once, and a crash leaves nothing.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal

from django.db import transaction
from django.db.models import Max

from benchsite.http.refusals import Refusal
from runners import clock, creation, lifecycle
from runners.choices import CellOrder, RunStatus, SeriesStatus
from runners.creation import MAY_NOT_START, may_start
from runners.endings import series_mails
from runners.limits import budget
from runners.models import Run, Series, SeriesCell
from runners.plan_schema.run_plan import RunPlan
from runners.plans.sharing import beside, machines_key, shares
from runners.series.creation import at_once_on
from submissions.choices import Visibility

PAUSE = timedelta(seconds=2)  # between two looks at a series that waits
HOLD = timedelta(minutes=2)  # of a worker that looks: a cloud may answer slowly
AFTER_ERROR = timedelta(minutes=1)
CANCELLED_BEFORE = "the series was cancelled before its turn"


def hold(series_id: int, now: datetime | None = None) -> bool:
    """Whether this worker is the one to look at the series now; the hold of a dead worker expires."""
    now = now or clock.now()
    return bool(Series.objects.due(now).filter(pk=series_id).update(due_at=now + HOLD))


def release(series_id: int, pause: timedelta = PAUSE, now: datetime | None = None) -> None:
    """The next look is after this pause."""
    Series.objects.open().filter(pk=series_id).update(due_at=(now or clock.now()) + pause)


def advance(series_id: int) -> None:
    """Start what can start now, and end the series when nothing is left; safe to repeat at any time."""
    series = Series.objects.select_related("owner").get(pk=series_id)
    while not series.is_final:
        cells = current_cells(series)
        if series.cancel_requested_at:
            return _cancel(series, cells)
        cell = _next(series, cells)
        if cell is None:
            return None if any(each.is_running for each in cells) else _finish(series)
        if not _start(series, cell):
            return None
        series.refresh_from_db()
    return None


def current_cells(series: Series) -> list[SeriesCell]:
    """In the order of their starts, without attempts that others have replaced."""
    return list(series.cells.filter(is_current=True).select_related("run__handed_over_to").order_by("place"))


def _next(series: Series, cells: Sequence[SeriesCell]) -> SeriesCell | None:
    """The cell that may start now. A round begins when the one before it has ended, so that rounds do not overlap.

    Cells that share machines wait for each other, and a run that offers its machines to the next makes room for it.
    """
    first = next((cell for cell in cells if cell.is_waiting), None)
    running = [cell for cell in cells if cell.is_running]
    if first is None or any(cell.round != first.round for cell in running):
        return None
    busy = [cell for cell in running if cell.run is not None and not cell.run.has_released_machines]
    shared = {machines_key(cell.plan) for cell in busy if shares(series, cell)}
    for cell in cells:
        if not cell.is_waiting or cell.round != first.round:
            continue
        if not shares(series, cell) or machines_key(cell.plan) not in shared:
            return cell if len(busy) < at_once_on(cell.provider) else None
    return None


def _start(series: Series, cell: SeriesCell) -> bool:
    """Whether the series may go on to the next cell: this one was started, or refused for good."""
    if not (series.owner.is_active and may_start(series.owner)):
        return _refuse(cell, MAY_NOT_START)
    try:
        # may ask a cloud; not for machines that exist, and that its quotas would count twice
        order = creation.order_of(
            cell.plan,
            series.owner,
            publication=_publication(series),
            has_machines=any(other.run and other.run.offers_machines for other in beside(series, cell)),
        )
        with transaction.atomic():
            locked = Series.objects.select_for_update().get(pk=series.pk)
            row = SeriesCell.objects.get(pk=cell.pk)
            if locked.is_final or locked.cancel_requested_at or not row.is_waiting or not row.is_current:
                return True  # another worker was faster, or a cancel
            reason, waits = _beyond(locked, order.plan, order.cost.worst.usd, order.cost.expected_seconds)
            if reason:
                return False if waits else _refuse(row, reason)
            row.run = run = order.store()
            row.save(update_fields=["run"])
            creation.confirm(run)
            now = clock.now()
            Series.objects.filter(pk=series.pk, started_at=None).update(started_at=now)
            Series.objects.filter(pk=series.pk).update(status=SeriesStatus.RUNNING)
    except creation.QueueFull:
        return False
    except Refusal as refusal:
        return _refuse(cell, str(refusal))
    return True


def _publication(series: Series) -> dict[str, str]:
    """Of its results; an embargo that is over has made them public."""
    until = series.embargo_until
    if until is None:
        return {"visibility": series.visibility}
    if until <= clock.now():
        return {"visibility": Visibility.PUBLIC.value}
    return {"visibility": series.visibility, "embargo_until": until.isoformat()}


def _refuse(cell: SeriesCell, reason: str) -> bool:
    SeriesCell.objects.filter(pk=cell.pk, run=None).update(refusal=reason[:1000])
    return True


def _beyond(series: Series, plan: RunPlan, worst: Decimal | None, seconds: float) -> tuple[str, bool]:
    """(why the budgets do not allow the run, whether they may once an open run has ended); "" when they do."""
    runs = list(Run.objects.filter(series_cell__series=series))
    spent = sum((budget.charged_usd(run) for run in runs), Decimal(0))
    if worst is not None and spent + worst > series.max_usd:
        words = f"{spent:.2f} of {series.max_usd:.2f} USD are spent: {worst:.2f} USD more would exceed the budget"
        return words, any(not run.is_final for run in runs)
    if series.started_at is not None:
        left = series.started_at + timedelta(minutes=series.max_minutes) - clock.now()
        if left.total_seconds() < seconds:
            minutes = max(left.total_seconds() / 60, 0)
            return (
                f"{minutes:.0f} of {series.max_minutes} minutes are left, and the run takes {seconds / 60:.0f}",
                False,
            )
    return "", False


def _cancel(series: Series, cells: Sequence[SeriesCell]) -> None:
    """Every run is cancelled, no other starts, and the series ends with the last run."""
    for cell in cells:
        if cell.run is not None and not cell.run.is_final:
            lifecycle.request_cancel(cell.run)
    series.cells.filter(run=None, refusal="").update(refusal=CANCELLED_BEFORE)
    if not any(cell.is_running for cell in cells):
        _finish(series)


def _finish(series: Series) -> None:
    """With the outcome of its current cells."""
    with transaction.atomic():
        locked = Series.objects.select_for_update().get(pk=series.pk)
        cells = current_cells(locked)
        if locked.is_final or any(cell.is_running or cell.is_waiting for cell in cells):
            return  # another worker was faster, or a cell is to run again
        Series.objects.filter(pk=series.pk).update(status=_outcome(locked, cells), ended_at=clock.now(), due_at=None)
        locked.refresh_from_db()
        series_mails.announce_series(locked)
    series.refresh_from_db()


def _outcome(series: Series, cells: Sequence[SeriesCell]) -> SeriesStatus:
    if series.cancel_requested_at:
        return SeriesStatus.CANCELLED
    good = sum(cell.status == RunStatus.SUCCEEDED for cell in cells)
    if good == len(cells):
        return SeriesStatus.SUCCEEDED
    return SeriesStatus.PARTIAL if good else SeriesStatus.FAILED


def request_cancel(series: Series) -> None:
    """No other run starts, and those that are open are cancelled by the next look at the series."""
    now = clock.now()
    Series.objects.open().filter(pk=series.pk, cancel_requested_at=None).update(cancel_requested_at=now, due_at=now)


def run_again(series: Series, *, whole_rounds: bool = False) -> int:
    """Let the cells without a result run again, after everything else; returns how many runs that makes.

    Alone, a cell is measured with nothing beside it: its verdicts are unpaired ones. With `whole_rounds`, all cells of
    the rounds in which any is missing are measured in turns once more, and the new round replaces the old one.
    The time budget begins again; the money is the same budget. 0 while the series is open, and with nothing missing.
    """
    with transaction.atomic():
        locked = Series.objects.select_for_update().get(pk=series.pk)
        cells = current_cells(locked)
        missing = [cell for cell in cells if cell.has_ended_badly]
        if not locked.is_final or not missing:
            return 0
        rounds = {cell.repetition for cell in missing}
        chosen = [cell for cell in cells if cell.repetition in rounds] if whole_rounds else missing
        SeriesCell.objects.filter(pk__in=[cell.pk for cell in chosen]).update(is_current=False)
        SeriesCell.objects.bulk_create(_attempts(locked, chosen, whole_rounds=whole_rounds))
        Series.objects.filter(pk=series.pk).update(
            status=SeriesStatus.QUEUED, ended_at=None, started_at=None, cancel_requested_at=None, due_at=clock.now()
        )
    series.refresh_from_db()
    return len(chosen)


def _attempts(series: Series, cells: Sequence[SeriesCell], *, whole_rounds: bool) -> list[SeriesCell]:
    latest = series.cells.aggregate(place=Max("place"), round=Max("round"))
    is_paired = whole_rounds and series.order == CellOrder.INTERLEAVED
    rounds = {repetition: number for number, repetition in enumerate(sorted({cell.repetition for cell in cells}), 1)}
    return [
        SeriesCell(
            series=series,
            number=cell.number,
            repetition=cell.repetition,
            values=cell.values,
            plan=cell.plan,
            place=latest["place"] + offset,
            round=(latest["round"] or 0) + rounds[cell.repetition] if is_paired else None,
        )
        for offset, cell in enumerate(sorted(cells, key=lambda cell: (cell.repetition, cell.place)), 1)
    ]
