"""A series starts each run once, in its order, whatever workers do; a failed cell leaves the rest."""

import threading
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection

from runners import lifecycle
from runners.models import Run, Series
from runners.providers.fake import FakeJob
from runners.series import progress
from tests.files import stress_log
from tests.runners.series.orders import drive_series, finish, starts, stored

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def site(make_run, settings):
    settings.RUNS_NEED_PERMISSION = False
    return make_run


def test_every_cell_is_measured_in_the_order_of_the_rounds():
    series = drive_series(stored())

    assert series.status == "succeeded"
    assert starts(series) == [(8, 1), (16, 1), (16, 2), (8, 2)]
    results = [cell.run.submission.series for cell in series.cells.select_related("run__submission")]
    assert results == [f"series-{series.pk}"] * 4


def test_of_one_owner_runs_wait_for_each_other():
    series = stored()
    progress.advance(series.pk)
    progress.advance(series.pk)

    assert starts(series) == [(8, 1)]


def test_a_round_runs_beside_each_other_where_the_quota_allows_and_the_next_begins_when_it_has_ended(settings):
    settings.MAX_USER_OPEN_RUNS = 4
    series = stored(clusters="separate")
    progress.advance(series.pk)
    assert starts(series) == [(8, 1), (16, 1)]

    finish(Run.objects.first())
    progress.advance(series.pk)
    assert len(starts(series)) == 2


def test_a_failed_cell_leaves_the_rest_and_can_be_run_again(cloud):
    series = stored()
    progress.advance(series.pk)
    cloud.plan["trial-0"] = FakeJob(b"no log at all", exit_status=1)
    finish(Run.objects.get())
    cloud.plan["trial-0"] = FakeJob(stress_log("cs40a2-03-netns").read_bytes())
    drive_series(series)

    assert series.status == "partial"
    assert [cell.status for cell in series.cells.all()] == ["failed", "succeeded", "succeeded", "succeeded"]

    assert progress.run_again(series) == 1
    drive_series(series)
    assert series.status == "succeeded"
    assert starts(series)[-1] == (8, 1)
    assert series.cells.get(place=4).round is None  # measured with nothing beside it
    assert series.cells.count() == 5
    assert progress.run_again(series) == 0


def test_whole_rounds_run_again_together(cloud):
    series = stored()
    progress.advance(series.pk)
    lifecycle.request_cancel(Run.objects.get())
    drive_series(series)
    assert progress.run_again(series, whole_rounds=True) == 2
    drive_series(series)

    assert starts(series)[4:] == [(8, 1), (16, 1)]
    assert {cell.round for cell in series.cells.filter(is_current=True, repetition=1)} == {3}


def test_a_cancelled_series_ends_with_its_open_run_and_starts_no_other():
    series = stored()
    progress.advance(series.pk)
    progress.request_cancel(series)
    progress.advance(series.pk)
    series.refresh_from_db()
    assert series.status == "running"  # its run is still being torn down

    finish(Run.objects.get())
    progress.advance(series.pk)
    series.refresh_from_db()
    assert series.status == "cancelled"
    assert Run.objects.get().end_reason == "cancelled_by_user"
    assert [cell.status for cell in series.cells.all()] == ["cancelled", "skipped", "skipped", "skipped"]


def test_cells_that_share_machines_wait_for_each_other_and_others_do_not(settings):
    settings.MAX_USER_OPEN_RUNS = 4
    types = {"field": "database.instance_type", "values": ["m5.xlarge", "m5.large"]}
    series = stored(vary=[{"field": "workload.threads", "values": [8, 16]}, types])
    progress.advance(series.pk)

    assert [run.plan["database"]["instance_type"] for run in Run.objects.order_by("pk")] == ["m5.xlarge", "m5.large"]
    assert starts(series) == [(8, 1), (8, 1)]


def test_no_run_starts_for_which_the_budget_does_not_suffice():
    series = stored(clusters="separate")
    drive_until_two = series.cells.count() // 2
    for _ in range(drive_until_two):
        progress.advance(series.pk)
        finish(Run.objects.first())
    Run.objects.update(receipt={"total_usd": "9.8", "missing": "", "left": 0})
    drive_series(series)

    assert series.status == "partial"
    assert Run.objects.count() == 2
    assert "would exceed the budget" in series.cells.get(place=3).refusal
    assert sum(Decimal(run.receipt["total_usd"]) for run in Run.objects.all()) <= series.max_usd


def test_no_run_starts_for_which_the_time_does_not_suffice():
    series = stored()
    progress.advance(series.pk)
    finish(Run.objects.get())
    Series.objects.update(started_at=series.created_at - timedelta(minutes=series.max_minutes))
    drive_series(series)

    assert series.status == "partial"
    assert "minutes are left" in series.cells.get(place=1).refusal


def test_an_owner_who_may_no_longer_start_runs_starts_none(settings):
    series = stored()
    settings.RUNS_NEED_PERMISSION = True
    drive_series(series)

    assert series.status == "failed"
    assert not Run.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_workers_start_a_cell_once():
    series = stored()
    errors = []

    def work():
        try:
            progress.advance(series.pk)
        except Exception as error:
            errors.append(error)
        finally:
            connection.close()

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert not errors
    assert starts(series) == [(8, 1)]


def test_a_worker_that_dies_while_a_run_is_stored_leaves_nothing(monkeypatch):
    series = stored()

    def die(run):
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(progress.creation, "confirm", die)
        with pytest.raises(SystemExit):
            progress.advance(series.pk)
    assert not Run.objects.exists()

    drive_series(series)
    assert starts(series) == [(8, 1), (16, 1), (16, 2), (8, 2)]


def test_a_message_that_comes_twice_is_one_look():
    series = stored()

    assert progress.hold(series.pk)
    assert not progress.hold(series.pk)
    progress.release(series.pk, timedelta(0))
    assert progress.hold(series.pk)


def test_a_full_queue_of_the_owner_makes_a_series_wait(settings, make_run):
    series = stored()
    settings.MAX_USER_QUEUED_RUNS = 1
    other = make_run(owner=series.owner)
    progress.advance(series.pk)
    assert not starts(series)

    finish(other)
    progress.advance(series.pk)
    assert starts(series) == [(8, 1)]


def test_a_closed_account_cancels_its_series():
    series = stored()
    series.owner.is_active = False
    series.owner.save()
    drive_series(series)

    assert series.status == "cancelled"
    assert not Run.objects.exists()
