"""Runs of a round use the same machines: whatever happens, none is left, none in use is deleted or made twice."""

import random
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.utils import timezone

from runners import driver, lifecycle
from runners.choices import RunStatus
from runners.models import Run
from runners.providers import fake
from runners.providers.base import NodeOrder
from runners.series import progress
from runners.steps import launch
from runners.steps.machines.handover import OFFER_LIMIT
from runners.sweep import sweep
from tests.files import stress_log
from tests.runners.fake_runs import PLAN, drive_until, pretend_later
from tests.runners.series.orders import drive_series, stored
from tests.runners.series.test_storm import DiesAt, WorkerDied

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def site(make_run, settings):
    settings.RUNS_NEED_PERMISSION = False
    return make_run


def offering(**changes):
    """(series, its first run, which waits for the next with its machines)."""
    series = stored(**{"repetitions": 1, **changes})
    progress.advance(series.pk)
    run = drive_until(Run.objects.get(), RunStatus.TEARING_DOWN)
    while not run.offers_machines:
        driver.drive_once(run)
        run.refresh_from_db()
    return series, run


def taken_over(**changes):
    """(series, the first run, the second, which has the machines of the first)."""
    series, first = offering(**changes)
    progress.advance(series.pk)
    second = drive_until(Run.objects.exclude(pk=first.pk).get(), RunStatus.BOOTSTRAPPING)
    fake.CLOUD.jobs.clear()  # as reset.sh
    return series, first, second


def end(*runs):
    for run in runs:
        drive_until(run)
        run.refresh_from_db()


def alive():
    return [key for key, machine in fake.CLOUD.machines.items() if machine.terminated_at is None]


def seconds(receipt):
    """By machine, (from, to)."""
    return {line["provider_id"]: (line["from"], line["to"]) for line in receipt["machines"]}


def test_the_cells_of_a_round_are_measured_on_one_launch_and_each_round_has_its_own(cloud):
    series = drive_series(stored())

    assert series.status == "succeeded"
    assert len(cloud.created) == 2 * 4
    runs = list(Run.objects.order_by("pk"))
    assert [run.took_over_from_id for run in runs] == [None, runs[0].pk, None, runs[2].pk]
    assert alive() == []


@pytest.mark.parametrize(
    "changes",
    [
        {"clusters": "separate"},
        {"order": "in_turn"},
        {"vary": [{"field": "database.instance_type", "values": ["m5.xlarge", "m5.large"]}]},
        {"vary": [{"field": "trials", "values": [1, 2]}]},
    ],
)
def test_what_needs_other_machines_launches_them(cloud, changes):
    drive_series(stored(**{"repetitions": 1, **changes}))

    assert not Run.objects.exclude(took_over_from=None).exists()
    assert len(cloud.created) == 2 * 4
    assert alive() == []


def test_each_second_of_a_machine_is_on_one_receipt():
    _, first, second = taken_over()
    end(first, second)

    before, after = seconds(first.receipt), seconds(second.receipt)
    assert before.keys() == after.keys()
    assert all(before[key][1] == after[key][0] == second.launched_at.isoformat() for key in before)
    assert (first.receipt["handed_over_to"], second.receipt["took_over_from"]) == (second.pk, first.pk)
    assert first.receipt["left"] == second.receipt["left"] == 0


def test_a_result_says_that_it_is_no_separate_launch(cloud):
    _, first, second = taken_over()
    end(first)
    cloud.plan["trial-0"] = fake.FakeJob(stress_log("cs40a2-03-netns").read_bytes().replace(b"236.8 ms", b"251.3 ms"))
    end(second)

    assert "no separate launch" not in first.submission.notes
    assert f"of run {first.pk} of the same series, after it: no separate launch" in second.submission.notes


def test_the_hosts_are_cleared_before_anything_is_installed(cloud):
    _, first, second = taken_over()
    driver.drive_once(second)

    assert {job for _, job in cloud.jobs} == {"reset"}
    assert cloud.files["db-0", "bin/reset.sh"]
    assert second.outputs.filter(path="jobs/reset/output").count() == 4
    assert not first.outputs.filter(path="jobs/reset/output").exists()


def test_the_sweep_leaves_machines_alone_whose_first_run_has_ended_long_ago(cloud):
    _, first, second = taken_over()
    end(first)
    Run.objects.filter(pk=first.pk).update(ended_at=timezone.now() - timedelta(hours=1))

    assert sweep()[0].removed == ()
    assert len(alive()) == 4

    Run.objects.filter(pk=second.pk).update(
        status="failed", end_reason="internal_error", ended_at=timezone.now() - timedelta(hours=1)
    )
    assert sweep()[0].removed == (first.tag,)
    assert alive() == []


def test_machines_are_handed_over_only_for_the_whole_time_that_the_next_run_may_take(settings):
    series, first = offering()
    assert first.expires_at - first.deadline_at > timedelta(minutes=30)
    Run.objects.filter(pk=first.pk).update(expires_at=timezone.now() + timedelta(minutes=89))
    progress.advance(series.pk)
    end(*Run.objects.order_by("pk"))

    assert not Run.objects.exclude(took_over_from=None).exists()
    assert Run.objects.filter(status="succeeded").count() == 2
    assert alive() == []


def test_no_machine_outlives_the_money_of_its_series():
    series = stored(repetitions=1, max_usd="1.1")
    progress.advance(series.pk)
    run = drive_until(Run.objects.get(), RunStatus.BOOTSTRAPPING)

    hourly = sum(node.hourly_usd for node in run.nodes.all())
    hours = Decimal((run.expires_at - run.launched_at).total_seconds()) / 3600
    assert hourly * hours < series.max_usd


def test_machines_exist_long_enough_for_a_short_run_after_a_long_one():
    series = stored(
        repetitions=1,
        max_usd="100",
        plan={**PLAN, "zones": ["us-east-1a"], "trials": 1, "max_usd": "20", "max_duration_minutes": 240},
        vary=[
            {"field": "workload.duration_seconds", "values": [7200, 60]},
            {"field": "workload.operations", "values": [None]},
        ],
    )
    progress.advance(series.pk)
    run = drive_until(Run.objects.get(), RunStatus.BOOTSTRAPPING)

    usual = timedelta(minutes=15 + 15)
    assert run.expires_at - run.deadline_at - usual > timedelta(seconds=1.5 * 7200)


def test_a_run_alone_expires_as_ever(make_run, settings):
    run = drive_until(make_run(), RunStatus.BOOTSTRAPPING)

    assert run.expires_at - run.deadline_at == timedelta(minutes=15 + settings.RUN_SWEEP_MARGIN_MINUTES)


def test_machines_that_nobody_takes_are_deleted_soon():
    _, run = offering()
    pretend_later(run, OFFER_LIMIT)
    end(run)

    assert run.status == "succeeded"
    assert alive() == []


@pytest.mark.parametrize("what", ["run", "series"])
def test_a_cancel_while_the_machines_wait_deletes_them(what):
    series, run = offering()
    lifecycle.request_cancel(run) if what == "run" else progress.request_cancel(series)
    driver.drive_once(run)
    run.refresh_from_db()
    assert not run.offers_machines
    end(run)

    assert run.submission is not None
    assert alive() == []


def test_a_cancel_of_the_series_after_the_handover_deletes_them():
    series, first, second = taken_over()
    progress.request_cancel(series)
    progress.advance(series.pk)
    end(first, second)

    assert (first.status, second.status) == ("succeeded", "cancelled")
    assert alive() == []


def test_a_run_that_fails_hands_nothing_over(cloud):
    cloud.plan["trial-0"] = fake.FakeJob(b"no log at all", exit_status=1)
    series = stored(repetitions=1)
    progress.advance(series.pk)
    end(Run.objects.get())

    assert alive() == []
    cloud.plan["trial-0"] = fake.FakeJob(stress_log("cs40a2-03-netns").read_bytes())
    cloud.jobs.clear()
    drive_series(series)
    assert Run.objects.latest("pk").took_over_from is None
    assert alive() == []


def test_a_run_that_fails_on_machines_of_another_deletes_them_and_the_next_launches_its_own(cloud):
    series, first, second = taken_over(vary=[{"field": "workload.threads", "values": [8, 16, 32]}])
    cloud.plan["reset"] = fake.FakeJob(b"a process does not end", exit_status=1)
    end(first, second)
    assert (second.status, second.end_reason) == ("failed", "bootstrap_failed")
    assert alive() == []

    del cloud.plan["reset"]
    cloud.jobs.clear()
    drive_series(series)
    third = Run.objects.latest("pk")
    assert (third.status, third.took_over_from) == ("succeeded", None)
    assert alive() == []


def test_three_runs_use_the_machines_in_turn():
    series = drive_series(stored(repetitions=1, vary=[{"field": "workload.threads", "values": [8, 16, 32]}]))

    runs = list(Run.objects.order_by("pk"))
    assert series.status == "succeeded"
    assert [run.cloud_tag for run in runs] == [runs[0].tag] * 3
    assert len(fake.CLOUD.created) == 4
    assert alive() == []


def test_a_launch_that_wakes_up_late_deletes_nothing_of_the_run_that_has_the_machines_now(monkeypatch):
    series = stored(repetitions=1)
    progress.advance(series.pk)
    late = drive_until(Run.objects.get(), RunStatus.LAUNCHING)
    order = launch.cluster.order_of(late)
    series, first, second = _go_on(series)
    with pytest.raises(Exception, match="torn down or left its zone"):
        launch.order_machines(Run.objects.get(pk=first.pk), order)

    assert len(alive()) == 4
    end(first, second)
    assert second.status == "succeeded"
    assert alive() == []


def _go_on(series):
    first = drive_until(Run.objects.get(), RunStatus.TEARING_DOWN)
    while not first.offers_machines:
        driver.drive_once(first)
        first.refresh_from_db()
    progress.advance(series.pk)
    second = drive_until(Run.objects.exclude(pk=first.pk).get(), RunStatus.BOOTSTRAPPING)
    fake.CLOUD.jobs.clear()
    return series, first, second


def test_an_order_names_the_launch_that_the_machines_are_of():
    _, first, second = taken_over()
    order: NodeOrder = launch.cluster.order_of(second)

    assert (order.tag, order.expires_at) == (first.tag, first.expires_at)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", range(4))
def test_whenever_workers_die_nothing_is_left_in_use_deleted_or_started_twice(cloud, seed, monkeypatch):
    dice = random.Random(seed)
    series = stored(repetitions=1, vary=[{"field": "workload.threads", "values": [8, 16, 32]}])
    deleted, terminate = [], fake.FakeProvider.terminate

    def recorded(self, tag, region):
        holders = [run for run in Run.objects.on_machines_of(tag).open() if run.status != RunStatus.SUBMITTING]
        deleted.append((tag, [run.pk for run in holders if not _is_being_deleted(run)]))
        if dice.random() < 0.3:
            raise WorkerDied
        return terminate(self, tag, region)

    monkeypatch.setattr(fake.FakeProvider, "terminate", recorded)
    for _ in range(900):
        _perhaps_dying(dice, lambda: progress.advance(series.pk))
        for run in Run.objects.open():
            if run.status == RunStatus.BOOTSTRAPPING and not run.state:
                cloud.jobs.clear()
            _perhaps_dying(dice, lambda run=run: driver.drive_once(run))
        if dice.random() < 0.3:
            Run.objects.filter(status__in=RunStatus.FINAL).update(ended_at=timezone.now() - timedelta(minutes=6))
            _perhaps_dying(dice, sweep)
        if dice.random() < (0.02 if seed % 2 else 0):
            lifecycle.request_cancel(dice.choice(list(Run.objects.all())))
        series.refresh_from_db()
        if series.is_final:
            break
    Run.objects.update(ended_at=timezone.now() - timedelta(minutes=6))
    monkeypatch.setattr(fake.FakeProvider, "terminate", terminate)
    sweep()

    assert series.is_final, [(run.status, run.state) for run in Run.objects.all()]
    assert alive() == []
    assert [tag for tag, in_use in deleted if in_use] == []
    assert len(set(cloud.created)) == len(cloud.created)
    for run in Run.objects.all():
        assert run.end_reason in ("completed", "cancelled_by_user"), run.end_detail
    if seed % 2 == 0:
        assert Run.objects.exclude(took_over_from=None).exists()


def _is_being_deleted(run):
    return run.status == RunStatus.TEARING_DOWN and "withdrawn" in run.state


def _perhaps_dying(dice, work):
    try:
        with connection.execute_wrapper(DiesAt(dice.randint(1, 25) if dice.random() < 0.4 else 10**6)):
            work()
    except WorkerDied:
        pass
