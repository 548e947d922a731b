"""The table of moves, races, holds."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
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
    lifecycle.hold(run.pk, timedelta(seconds=60), now)

    lifecycle.release(run.pk, timedelta(seconds=2), now)

    assert run not in Run.objects.due(now + timedelta(seconds=1))
    assert run in Run.objects.due(now + timedelta(seconds=2))


def test_a_wish_to_cancel_makes_a_run_due_at_once(make_run):
    run, now = make_run(), timezone.now()
    lifecycle.release(run.pk, timedelta(hours=1), now)

    lifecycle.request_cancel(run)

    assert run in Run.objects.due(timezone.now())


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
