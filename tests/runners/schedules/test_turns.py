"""A schedule starts its turns once, within its budget, and its owner hears of a result that is missing."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from allauth.account.models import EmailAddress
from django.core import mail

from benchsite.http.refusals import Refusal
from runners.models import Run, Schedule, ScheduleTurn, Series
from runners.schedules import creation, turns
from runners.schedules.calendar import next_turn
from tests.factories import UserFactory
from tests.runners.fake_runs import PLAN
from tests.runners.series.orders import body, drive_series, finish

NIGHT = {"every": "day", "hour": 2, "max_usd_month": "100"}


@pytest.fixture(autouse=True)
def site(make_run, settings):
    settings.RUNS_NEED_PERMISSION = False
    settings.CELERY_TASK_ALWAYS_EAGER = True
    from benchsite.celery import app

    app.conf.task_always_eager = True
    yield make_run
    app.conf.task_always_eager = False


@pytest.fixture
def owner(db):
    user = UserFactory()
    EmailAddress.objects.create(user=user, email="ada@example.org", verified=True, primary=True)
    return user


def due(owner, **changes) -> Schedule:
    return creation.create({"plan": {**PLAN, "max_usd": "2"}, **NIGHT, **changes}, owner)


@pytest.mark.parametrize(
    ("every", "weekday", "expected"),
    [
        ("day", None, datetime(2026, 11, 24, 2, tzinfo=UTC)),
        ("week", 0, datetime(2026, 11, 30, 2, tzinfo=UTC)),
        ("week", 2, datetime(2026, 11, 25, 2, tzinfo=UTC)),
    ],
)
def test_the_next_turn_is_at_the_next_such_hour(every, weekday, expected):
    now = datetime(2026, 11, 23, 8, 20, tzinfo=UTC)  # a Monday

    assert next_turn(every, 2, weekday, now) == expected
    assert next_turn(every, 2, weekday, expected) == expected + timedelta(days=7 if every == "week" else 1)


def test_a_turn_starts_once_however_often_it_is_looked_at(owner):
    schedule = due(owner)
    now = schedule.due_at
    turns.start_due(now - timedelta(seconds=1))
    assert not Run.objects.exists()

    turns.start_due(now)
    turns.start_due(now)
    schedule.refresh_from_db()
    assert Run.objects.get().status == "queued"
    assert schedule.due_at == now + timedelta(days=1)


def test_what_was_missed_while_the_site_was_down_is_made_up_for_once(owner):
    schedule = due(owner)
    turns.start_due(schedule.due_at + timedelta(days=5, hours=1))
    schedule.refresh_from_db()

    assert Run.objects.count() == 1
    assert ScheduleTurn.objects.count() == 1
    assert schedule.due_at.hour == 2


def test_a_series_can_be_scheduled_and_its_result_is_the_outcome(owner):
    schedule = due(owner, plan=None, series=body(repetitions=1))
    turns.start_due(schedule.due_at)
    drive_series(Series.objects.get())
    turns.watch(schedule.due_at)

    turn = schedule.turns.get()
    assert (turn.has_result, turn.outcome) == (True, f"series {Series.objects.get().pk}: succeeded")


@pytest.mark.django_db(transaction=True)
def test_a_missing_result_is_mailed_and_the_second_in_a_row_pauses_the_schedule(owner, cloud):
    from runners.providers.fake import FakeJob

    cloud.plan["trial-0"] = FakeJob(b"", exit_status=1)
    schedule = due(owner)
    for count in (1, 2):
        turns.start_due(schedule.due_at)
        finish(Run.objects.first())
        turns.watch(schedule.due_at)
        turns.watch(schedule.due_at)
        schedule.refresh_from_db()
        assert (schedule.failures, len(mail.outbox)) == (count, count)

    assert schedule.paused_because == "2 turns in a row without a result"
    first, second = mail.outbox
    assert "A result was due" in first.body
    assert "The next turn is on" in first.body
    assert "paused" in second.subject
    assert second.to == ["ada@example.org"]
    turns.start_due(schedule.due_at + timedelta(days=9))
    assert Run.objects.count() == 2

    creation.resume(schedule)
    schedule.refresh_from_db()
    assert (schedule.paused_at, schedule.failures) == (None, 0)


def test_a_result_begins_the_count_again(owner, cloud):
    schedule = due(owner)
    Schedule.objects.update(failures=1)
    turns.start_due(schedule.due_at)
    finish(Run.objects.get())
    turns.watch(schedule.due_at)
    schedule.refresh_from_db()

    assert (schedule.failures, schedule.turns.get().has_result) == (0, True)


def test_a_month_that_is_spent_starts_nothing(owner):
    schedule = due(owner, max_usd_month="3")
    turns.start_due(schedule.due_at)
    finish(Run.objects.get())
    Run.objects.update(receipt={"total_usd": "1.5", "missing": "", "left": 0})
    now = schedule.due_at
    turns.watch(now)
    assert turns.spent_usd(schedule, now) == Decimal("1.5")

    schedule.refresh_from_db()
    later = schedule.due_at if schedule.due_at.month == now.month else now + timedelta(minutes=1)
    Schedule.objects.update(due_at=later)
    turns.start_due(later)
    assert Run.objects.count() == 1
    assert "of this month are spent" in schedule.turns.first().outcome


def test_a_turn_of_a_worker_that_died_counts_as_one_without_a_result(owner):
    schedule = due(owner)
    turn = ScheduleTurn.objects.create(schedule=schedule, due_at=schedule.due_at, begun_at=schedule.due_at)
    turns.watch(schedule.due_at + timedelta(minutes=5))
    turn.refresh_from_db()
    assert turn.has_result is None

    turns.watch(schedule.due_at + timedelta(hours=2))
    turn.refresh_from_db()
    assert (turn.has_result, turn.outcome) == (False, "nothing was started: the site was interrupted")


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"plan": None}, "#"),
        ({"every": "hour"}, "#/every"),
        ({"hour": 24}, "#/hour"),
        ({"weekday": 1}, "#"),
        ({"max_usd_month": "1"}, "#/max_usd_month"),
        ({"plan": {**PLAN, "trials": 0}}, "#/plan/trials"),
        ({"plan": None, "series": body(repetitions=0)}, "#/series/repetitions"),
    ],
)
def test_what_could_never_start_is_no_schedule(owner, changes, pointer):
    with pytest.raises(Refusal) as refused:
        due(owner, **changes)

    assert [fault.pointer for fault in refused.value.faults] == [pointer]
    assert not Schedule.objects.exists()


def test_an_account_has_few_schedules(owner):
    for _ in range(creation.MOST_SCHEDULES):
        due(owner)
    with pytest.raises(Refusal, match="delete one first"):
        due(owner)
