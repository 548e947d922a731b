"""Whose turn it is, and how many runs a user may have waiting."""

from datetime import timedelta

import pytest
from django.utils import timezone

from benchsite.http.refusals import Refusal
from runners import creation, lifecycle
from runners.limits.queue import has_turn
from runners.models import Run
from tests.factories import UserFactory
from tests.queries import queries_of
from tests.runners.fake_runs import PLAN

pytestmark = pytest.mark.django_db


@pytest.fixture
def launched(make_run):
    """A function: a run of a user that started some minutes ago, and has ended."""

    def make(owner, *, minutes):
        run = make_run(owner=owner)
        at = timezone.now() - timedelta(minutes=minutes)
        Run.objects.filter(pk=run.pk).update(
            status="succeeded", end_reason="completed", launched_at=at, ended_at=at, receipt={"total_usd": "0"}
        )

    return make


def turns(*runs):
    return [run for run in runs if has_turn(run)]


def test_a_user_with_sixty_runs_waits_for_the_user_with_one(make_run, launched):
    many, one = UserFactory(), UserFactory()
    launched(many, minutes=1)
    sixty = [make_run(owner=many) for _ in range(5)]
    single = make_run(owner=one)

    assert turns(*sixty, single) == [single]


def test_of_two_users_it_is_the_turn_of_the_one_whose_last_run_is_longer_ago(make_run, launched):
    first, second = UserFactory(), UserFactory()
    launched(first, minutes=1)
    launched(second, minutes=100)
    runs = [make_run(owner=first), make_run(owner=second)]

    assert turns(*runs) == [runs[1]]


def test_the_oldest_run_of_a_user_is_first(make_run):
    user = UserFactory()
    runs = [make_run(owner=user) for _ in range(3)]

    assert turns(*runs) == [runs[0]]


def test_a_run_that_must_not_start_does_not_keep_others_waiting(make_run, settings, drive):
    settings.MAX_USER_OPEN_RUNS = 1
    busy = UserFactory()
    drive(make_run(owner=busy), "launching")
    waiting, cancelled, elsewhere, other = make_run(owner=busy), make_run(), make_run(), make_run()
    lifecycle.request_cancel(cancelled)
    Run.objects.filter(pk=elsewhere.pk).update(provider="no-longer-offered")

    assert turns(waiting, cancelled, elsewhere, other) == [other]


def test_no_more_runs_than_the_site_allows(make_run, settings, drive):
    settings.MAX_OPEN_RUNS = 1
    drive(make_run(), "launching")

    assert turns(make_run()) == []


def test_a_user_has_only_so_many_runs_in_the_queue(make_run, settings):
    settings.MAX_USER_QUEUED_RUNS = 2
    user = UserFactory()
    for _ in range(2):
        creation.create_and_confirm(PLAN, user)

    with pytest.raises(Refusal) as refused:
        creation.create_and_confirm(PLAN, user)

    [fault] = refused.value.faults
    assert fault.detail == ("you have 2 runs in the queue, and the limit is 2: wait for one to start, or cancel one")
    assert Run.objects.count() == 2
    creation.create_and_confirm(PLAN, UserFactory())


def test_a_plan_that_is_confirmed_twice_waits_once(make_run):
    run = make_run()
    run.status = "planned"  # as the second click saw it

    with pytest.raises(Refusal, match="confirmed or cancelled meanwhile"):
        creation.confirm(run)

    assert run.events.count() == 1


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ({"is_active": False}, "the account of its owner is closed"),
        ({"provider": "gce"}, "this site no longer offers runs on gce"),
        ({"settings": {"jvm_options": ["-javaagent:x.jar"]}}, "'-javaagent:x.jar' is not allowed"),
    ],
)
def test_a_run_that_waited_while_the_rules_changed_does_not_start(make_run, drive, cloud, change, detail):
    run = make_run()
    if "is_active" in change:
        type(run.owner).objects.filter(pk=run.owner_id).update(**change)
    elif "provider" in change:
        Run.objects.filter(pk=run.pk).update(**change)
    else:
        Run.objects.filter(pk=run.pk).update(plan={**run.plan, **change})

    run = drive(run)

    assert (run.status, run.end_reason) == ("failed", "bootstrap_failed")
    assert detail in run.end_detail
    assert cloud.created == []


def test_whose_turn_it_is_takes_no_more_queries_however_many_wait(make_run):
    first = make_run(owner=UserFactory())
    of_one = queries_of(lambda: has_turn(first))
    for _ in range(7):
        make_run(owner=UserFactory())

    assert queries_of(lambda: has_turn(first)) == of_one
    assert has_turn(first)
