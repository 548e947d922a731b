"""The turns of schedules: what is due starts, at most once; a turn without a result is a failure, and two pause it."""

from datetime import datetime, timedelta
from decimal import Decimal

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q

from benchsite.http.refusals import Refusal
from runners import clock, creation
from runners.choices import SeriesStatus
from runners.creation import MAY_NOT_START, may_start
from runners.endings import series_mails
from runners.limits import budget
from runners.models import Run, Schedule, ScheduleTurn
from runners.schedules.calendar import next_turn
from runners.schedules.creation import parts_of
from runners.series import creation as series_creation

MOST_FAILURES = 2  # in a row: then a schedule pauses itself
INTERRUPTED_AFTER = timedelta(hours=1)  # a turn that has begun nothing by then


def start_due(now: datetime | None = None) -> None:
    """Every turn that is due; one that was missed while the site was down is made up for once."""
    now = now or clock.now()
    for schedule in Schedule.objects.due(now).select_related("owner"):
        if turn := _take(schedule, now):
            _start(schedule, turn, now)


def _take(schedule: Schedule, now: datetime) -> ScheduleTurn | None:
    """The turn, if no other worker has taken it; from then on the schedule is due at the next one."""
    following = next_turn(schedule.every, schedule.hour, schedule.weekday, now)
    with transaction.atomic():
        if not Schedule.objects.due(now).filter(pk=schedule.pk, due_at=schedule.due_at).update(due_at=following):
            return None
        try:
            with transaction.atomic():
                return ScheduleTurn.objects.create(schedule=schedule, due_at=schedule.due_at, begun_at=now)
        except IntegrityError:
            return None


def _start(schedule: Schedule, turn: ScheduleTurn, now: datetime) -> None:
    """A worker that dies in here leaves a turn that `watch` counts as one without a result."""
    try:
        if not (schedule.owner.is_active and may_start(schedule.owner)):
            raise Refusal.at("#", MAY_NOT_START)
        if reason := _over_budget(schedule, now):
            raise Refusal.at("#/max_usd_month", reason)
        if schedule.order is not None:
            with transaction.atomic():
                turn.series = series_creation.create(schedule.order, schedule.owner)
                turn.save(update_fields=["series"])
            return
        plan, notify, publication = parts_of(schedule.plan or {})
        order = creation.order_of(plan, schedule.owner, notify, publication)
        with transaction.atomic():
            turn.run = run = order.store()
            creation.confirm(run)
            turn.save(update_fields=["run"])
    except Refusal as refusal:
        _close(turn, has_result=False, outcome=f"nothing was started: {refusal}")


def _over_budget(schedule: Schedule, now: datetime) -> str | None:
    """Why the month's budget does not allow another turn; None when it does. A turn may cost its own `max_usd`."""
    spent = spent_usd(schedule, now)
    cap = Decimal(str((schedule.order or schedule.plan or {}).get("max_usd", 0)))
    if spent + cap <= schedule.max_usd_month:
        return None
    return f"{spent:.2f} of {schedule.max_usd_month:.2f} USD of this month are spent, and a turn may cost {cap:.2f}"


def spent_usd(schedule: Schedule, now: datetime) -> Decimal:
    """What the turns of this month have cost, and the open ones may cost at most."""
    month = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    turns = schedule.turns.filter(due_at__gte=month)
    runs = Run.objects.filter(
        Q(pk__in=turns.filter(run__isnull=False).values("run"))
        | Q(series_cell__series__in=turns.filter(series__isnull=False).values("series"))
    )
    return sum((budget.charged_usd(run) for run in runs), Decimal(0))


def watch(now: datetime | None = None) -> None:
    """What came of the turns of which it is not known yet. A turn that has begun nothing was left by a dead worker."""
    now = now or clock.now()
    open_turns = ScheduleTurn.objects.filter(has_result=None).select_related("run", "series", "schedule__owner")
    for turn in open_turns:
        if turn.run is not None:
            if turn.run.is_final:
                has_result = turn.run.submission_id is not None
                _close(turn, has_result=has_result, outcome=f"run {turn.run.pk}: {turn.run.get_status_display()}")
        elif turn.series is not None:
            if turn.series.is_final:
                has_result = turn.series.status in (SeriesStatus.SUCCEEDED, SeriesStatus.PARTIAL)
                words = f"series {turn.series.pk}: {turn.series.get_status_display()}"
                _close(turn, has_result=has_result, outcome=words)
        elif now - turn.begun_at > INTERRUPTED_AFTER:
            _close(turn, has_result=False, outcome="nothing was started: the site was interrupted")


def _close(turn: ScheduleTurn, *, has_result: bool, outcome: str) -> None:
    """Once: the owner is told of a missing result, and the second one in a row pauses the schedule."""
    with transaction.atomic():
        schedule = Schedule.objects.select_for_update().select_related("owner").get(pk=turn.schedule_id)
        closed = ScheduleTurn.objects.filter(pk=turn.pk, has_result=None)
        if not closed.update(has_result=has_result, outcome=outcome[:1000]):
            return
        turn.refresh_from_db()
        schedule.failures = 0 if has_result else schedule.failures + 1
        is_too_often = schedule.failures >= MOST_FAILURES and schedule.paused_at is None
        if is_too_often:
            schedule.paused_at = clock.now()
            schedule.paused_because = f"{schedule.failures} turns in a row without a result"
        schedule.save(update_fields=["failures", "paused_at", "paused_because"])
        if not has_result:
            _tell(schedule, turn, has_paused=is_too_often)


def _tell(schedule: Schedule, turn: ScheduleTurn, *, has_paused: bool) -> None:
    lines = [f"A result was due on {turn.due_at:%Y-%m-%d at %H:%M} UTC, and there is none: {turn.outcome}."]
    if has_paused:
        lines.append(f"The schedule is paused: {schedule.paused_because}. Nothing starts until you resume it.")
    else:
        lines.append(f"The next turn is on {schedule.due_at:%Y-%m-%d at %H:%M} UTC.")
    body = "\n".join([schedule.title, "", *lines, f"{settings.SITE_URL}/series/schedules/"]) + "\n"
    what = "paused" if has_paused else "no result"
    series_mails.send(schedule.owner, f"Schedule {schedule.pk}, {what}: {schedule.title}", body)
