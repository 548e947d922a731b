"""The table of moves, races, holds."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from runners import lifecycle
from runners.choices import EndReason, RunStatus
from runners.models import Run

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("status", [status for status in RunStatus if status not in RunStatus.FINAL])
def test_every_open_status_reaches_an_end(status):
    reached, new = set(), {status.value}
    while new:
        reached |= new
        new = {after for before in new for after in lifecycle.NEXT.get(before, ())} - reached

    assert reached & RunStatus.FINAL


@pytest.mark.parametrize("status", sorted(RunStatus.NODES_MAY_EXIST - {"tearing_down"}))
def test_no_way_past_the_teardown(status):
    assert lifecycle.NEXT[status] <= RunStatus.NODES_MAY_EXIST


def test_an_ended_run_moves_no_more():
    assert not RunStatus.FINAL & lifecycle.NEXT.keys()


@pytest.mark.parametrize("reason", list(EndReason))
def test_every_reason_decides_a_final_status(reason):
    assert reason.final_status in RunStatus.FINAL


def test_an_illegal_move_changes_nothing(make_run):
    run = make_run()

    with pytest.raises(lifecycle.IllegalMove):
        lifecycle.advance(run, RunStatus.SUCCEEDED)

    run.refresh_from_db()
    assert run.status == RunStatus.QUEUED


def test_of_two_workers_that_move_a_run_one_wins(make_run):
    run = make_run()
    other = Run.objects.get(pk=run.pk)
    lifecycle.advance(run, RunStatus.LAUNCHING)

    with pytest.raises(lifecycle.LostRace):
        lifecycle.advance(other, RunStatus.LAUNCHING)

    assert run.events.filter(new_status="launching").count() == 1


def test_a_hold_is_for_one_worker_until_it_runs_out(make_run):
    run, now = make_run(), timezone.now()

    assert lifecycle.hold(run.pk, timedelta(seconds=60), now)
    assert not lifecycle.hold(run.pk, timedelta(seconds=60), now)
    assert lifecycle.hold(run.pk, timedelta(seconds=60), now + timedelta(seconds=61))


def test_a_held_run_is_not_due(make_run):
    run, now = make_run(), timezone.now()
    assert run in Run.objects.due(now)

    lifecycle.hold(run.pk, timedelta(seconds=60), now)

    assert run not in Run.objects.due(now)
    assert run in Run.objects.due(now + timedelta(seconds=61))


def test_a_released_run_is_due_after_the_pause(make_run):
    run, now = make_run(), timezone.now()
    token = lifecycle.hold(run.pk, timedelta(seconds=60), now)

    lifecycle.release(run.pk, token, timedelta(seconds=2), now)

    assert run not in Run.objects.due(now + timedelta(seconds=1))
    assert run in Run.objects.due(now + timedelta(seconds=2))


def test_a_wish_to_cancel_makes_a_run_due_at_once(make_run):
    run, now = make_run(), timezone.now()
    lifecycle.release(run.pk, lifecycle.hold(run.pk, timedelta(seconds=60), now), timedelta(hours=1), now)

    lifecycle.request_cancel(run)

    assert run in Run.objects.due(timezone.now())


def test_a_wish_to_cancel_during_a_step_does_not_wait_for_the_pause_after_it(make_run):
    run, now = make_run(), timezone.now()
    token = lifecycle.hold(run.pk, timedelta(seconds=60), now)
    lifecycle.request_cancel(run)

    lifecycle.release(run.pk, token, timedelta(hours=1), timezone.now())

    assert run in Run.objects.due(timezone.now())


def test_a_worker_whose_hold_ran_out_takes_nothing_from_the_next(make_run):
    run, now = make_run(), timezone.now()
    late = lifecycle.hold(run.pk, timedelta(seconds=60), now)
    late_run = Run.objects.get(pk=run.pk)
    late_run.state = {"stale": True}
    later = now + timedelta(seconds=61)
    assert lifecycle.hold(run.pk, timedelta(seconds=60), later)
    lifecycle.save_state(Run.objects.get(pk=run.pk), trial=1)

    lifecycle.release(run.pk, late, timedelta(seconds=2), later)
    assert lifecycle.hold(run.pk, timedelta(seconds=60), later) is None
    for change in (
        lambda: lifecycle.save_state(late_run, trial=0),
        lambda: lifecycle.save_progress(late_run, trials_done=0),
        lambda: lifecycle.advance(late_run, RunStatus.LAUNCHING),
        lambda: lifecycle.end(late_run, EndReason.INTERNAL_ERROR),
    ):
        with pytest.raises(lifecycle.LostRace):
            change()

    run.refresh_from_db()
    assert (run.status, run.state, run.progress, run.end_reason) == ("queued", {"trial": 1}, {}, None)


@pytest.mark.parametrize("skew", [timedelta(minutes=5), -timedelta(minutes=5)])
def test_a_worker_with_a_wrong_clock_holds_no_run_that_another_holds(make_run, monkeypatch, skew):
    run, true_now = make_run(), timezone.now
    assert lifecycle.hold(run.pk, timedelta(seconds=120))
    monkeypatch.setattr(timezone, "now", lambda: true_now() + skew)

    assert lifecycle.hold(run.pk, timedelta(seconds=120)) is None
    run.refresh_from_db()
    assert run.held_until - true_now() < timedelta(seconds=121)


class Cut(Exception):
    """The worker ends here."""


def test_no_reason_is_stored_without_the_move(make_run):
    """A worker that was killed between the two left a run that went on to its end, cancelled and past its deadline."""
    run = make_run()
    lifecycle.advance(run, RunStatus.LAUNCHING)

    def die(execute, sql, params, many, context):
        if sql.startswith("INSERT") and "runevent" in sql:
            raise Cut
        return execute(sql, params, many, context)

    with pytest.raises(Cut), connection.execute_wrapper(die):
        lifecycle.end(run, EndReason.CANCELLED_BY_USER)

    run.refresh_from_db()
    assert (run.status, run.end_reason) == ("launching", None)


def test_a_plan_that_is_confirmed_while_it_is_cancelled_is_cancelled_by_its_driver(make_run):
    run = make_run()
    run.status = RunStatus.PLANNED  # as the window shows it

    lifecycle.request_cancel(run)

    run.refresh_from_db()
    assert run.cancel_requested_at is not None


def test_the_first_reason_stays(make_run):
    run = make_run()
    lifecycle.advance(run, RunStatus.LAUNCHING)

    lifecycle.end(run, EndReason.NO_CAPACITY, "first")
    lifecycle.end(run, EndReason.INTERNAL_ERROR, "second")

    assert (run.end_reason, run.end_detail, run.status) == ("no_capacity", "first", "tearing_down")


def test_no_run_ends_without_a_reason(make_run):
    run = make_run()

    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.filter(pk=run.pk).update(status=RunStatus.FAILED)
