"""Which runs a driver works on."""

from datetime import timedelta

import pytest
from django.utils import timezone

pytestmark = pytest.mark.django_db


@pytest.fixture
def due_ids():
    """A function: the runs that are due now."""
    from runners.models import Run

    return lambda: set(Run.objects.due(timezone.now()).values_list("pk", flat=True))


def change(run, **values):
    type(run).objects.filter(pk=run.pk).update(**values)


def test_a_queued_run_is_due_when_its_time_has_come(make_run, due_ids):
    run = make_run()
    now = timezone.now()

    change(run, due_at=now + timedelta(minutes=1))
    later = due_ids()
    change(run, due_at=now - timedelta(seconds=1))

    assert later == set()
    assert due_ids() == {run.pk}


def test_a_held_run_is_due_again_when_the_hold_has_expired(make_run, due_ids):
    run = make_run()
    now = timezone.now()
    change(run, due_at=now, held_until=now + timedelta(minutes=2))
    held = due_ids()

    change(run, held_until=now - timedelta(seconds=1))

    assert held == set()
    assert due_ids() == {run.pk}


@pytest.mark.parametrize(
    ("status", "end_reason"),
    [
        ("planned", None),
        ("succeeded", "completed"),
        ("failed", "timed_out"),
        ("cancelled", "cancelled_by_user"),
    ],
)
def test_a_run_that_is_not_confirmed_or_has_ended_is_never_due(make_run, due_ids, status, end_reason):
    run = make_run()
    change(run, due_at=timezone.now() - timedelta(days=1), status=status, end_reason=end_reason)

    assert due_ids() == set()


def test_a_title_calls_an_operation_what_readers_call_it(make_run):
    run = make_run()
    run.plan["workload"] |= {"tool": "pgbench", "operation": "tpcb"}

    assert run.title.endswith(": pgbench TPC-B")
