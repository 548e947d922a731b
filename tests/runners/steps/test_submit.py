"""The trust of a run's result, which depends on whose machines they are; outputs that cannot be read now, or again."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from runners import lifecycle
from runners.choices import RunStatus
from runners.cluster import plan_of
from runners.models import CloudAccess, Run
from runners.plans.estimate import traffic_of
from runners.providers import fake
from submissions.pricing.bill import bill_of
from tests.factories import UserFactory
from tests.files import stress_log
from tests.runners.fake_runs import ReplayedStress

pytestmark = pytest.mark.django_db


def test_machines_of_the_site_are_trusted_whoever_started_the_run(make_run, drive):
    assert drive(make_run(owner=UserFactory())).submission.trust == "run_by_us"


def test_machines_in_the_owners_own_cloud_account_are_the_owners(make_run, drive):
    run = make_run()
    access = CloudAccess.objects.create(owner=run.owner, provider="fake", principal="role", external_id="x")
    Run.objects.filter(pk=run.pk).update(cloud_access=access)

    assert drive(run).submission.trust == "run_by_owner"


def test_a_run_that_is_not_kept_apart_from_the_site_is_that_of_its_user(make_run, drive, monkeypatch):
    monkeypatch.setattr(fake.FakeProvider, "abilities", replace(fake.FakeProvider.abilities, is_kept_apart=False))

    assert drive(make_run()).submission.trust == "run_by_owner"


def test_the_result_of_a_run_has_the_bill_of_its_machines(make_run, drive):
    run = drive(make_run())

    bill = bill_of(run.submission.bill)
    labels = [item.label for item in bill.items]
    machine_usd = sum((item.usd for item in bill.items if item.unit != "gb"), Decimal(0))
    assert any("(database), set-up and run" in label for label in labels)
    assert any("(client), set-up and run" in label for label in labels)
    assert bill.basis == "on_demand"
    assert run.submission.bill_usd == pytest.approx(bill.total_usd, rel=Decimal("1e-4"))
    # what the receipt charges for the machines; traffic is not metered, so it is in no receipt
    assert machine_usd == pytest.approx(Decimal(run.receipt["total_usd"]), rel=Decimal("1e-4"))


def test_traffic_between_zones_is_estimated_from_the_operations_that_were_measured(make_run, drive):
    run = drive(make_run(zones=["a", "b", "c"]))

    [traffic] = [item for item in bill_of(run.submission.bill).items if item.unit == "gb"]
    assert traffic.label == "traffic between zones, estimated from the operations"
    assert traffic.quantity == pytest.approx(
        traffic_of(plan_of(run), ReplayedStress(), run.submission.operations), rel=Decimal("1e-6")
    )
    assert traffic.usd > 0


def test_a_storage_that_does_not_answer_is_asked_again(make_run, drive, artifacts_folder):
    run = drive(make_run(), RunStatus.SUBMITTING)
    away = artifacts_folder.rename(artifacts_folder.with_name("away"))

    drive(run, most=3)
    assert (run.status, run.end_reason, run.troubles) == ("submitting", None, 3)
    notes = run.events.filter(message="the outputs could not be read from the file storage: FileNotFoundError")
    assert notes.count() == 1
    away.rename(artifacts_folder)
    drive(run)

    assert (run.status, run.end_reason) == ("succeeded", "completed")
    assert run.submission.trials_count == 2


def test_outputs_that_were_away_for_a_day_are_submitted_again(make_run, drive, later, artifacts_folder):
    run = drive(make_run(), RunStatus.SUBMITTING)
    away = artifacts_folder.rename(artifacts_folder.with_name("away"))
    drive(run, most=1)
    later(run, timedelta(hours=25))
    drive(run, most=1)
    assert (run.status, run.end_reason, run.submission) == ("failed", "internal_error", None)
    assert "they are kept, and can be submitted again" in run.end_detail
    ended_at = run.ended_at
    away.rename(artifacts_folder)

    assert lifecycle.submit_again(run)
    drive(run)

    assert (run.status, run.end_reason, run.end_detail) == ("succeeded", "completed", "")
    assert run.submission.trials_count == 2
    assert run.ended_at == ended_at


def test_the_outputs_of_a_cancelled_run_are_submitted_and_it_stays_cancelled(make_run, drive):
    run = drive(make_run(), RunStatus.TEARING_DOWN)
    Run.objects.filter(pk=run.pk).update(end_reason="cancelled_by_user")
    drive(run)
    assert (run.status, run.submission) == ("cancelled", None)

    assert lifecycle.submit_again(run)
    drive(run)

    assert (run.status, run.end_reason) == ("cancelled", "cancelled_by_user")
    assert run.submission.trials_count == 2


def test_results_that_were_rejected_are_rejected_again(make_run, drive, cloud):
    cloud.plan["trial-0"] = cloud.plan["trial-1"] = fake.FakeJob(stress_log("cs50-12-all").read_bytes())
    run = drive(make_run())
    assert run.end_reason == "results_rejected"

    assert lifecycle.submit_again(run)
    drive(run)

    assert (run.status, run.end_reason) == ("failed", "results_rejected")
    assert "operations failed" in run.end_detail


def test_only_an_ended_run_with_outputs_and_without_a_result_is_submitted_again(make_run, drive, cloud):
    is_open, has_result = drive(make_run(), RunStatus.SUBMITTING), drive(make_run())
    lifecycle.request_cancel(without_outputs := make_run())
    drive(without_outputs)

    assert [lifecycle.submit_again(run) for run in (is_open, has_result, without_outputs)] == [False] * 3


def test_a_trial_without_the_log_of_each_client_does_not_count(make_run, drive, cloud):
    """The other client's log alone would show half of the load."""
    run = drive(make_run(client={"instance_type": "m5.large", "count": 2}), RunStatus.COLLECTING)
    del cloud.files["client-1", "/run/trial-1.log"]

    run = drive(run)

    assert (run.status, run.end_reason, run.submission.trials_count) == ("succeeded", "completed", 1)
    assert run.submission.trials.get().client_count == 2
    assert run.end_detail == "Not counted, since logs were lost with a host: trial 2 of 2"
    assert run.outputs.filter(trial=1, sha256__isnull=False).count() == 1
