"""No machine of a type can be had: another type of its family and size, where the plan allows it."""

from decimal import Decimal

import pytest

from runners import driver
from runners.choices import RunStatus
from runners.load_tools import measured
from runners.models import Run
from runners.providers.base import NoCapacity, NoZoneLeft, TryAgain
from runners.steps import submit
from submissions.models import InstanceType
from tests.factories import PriceFactory
from tests.runners.fake_runs import ReplayedStress

pytestmark = pytest.mark.django_db

TYPES = {  # vCPUs, GiB, USD an hour
    "m5.xlarge": (4, 16, None),
    "m5.large": (2, 8, None),
    "m6i.xlarge": (4, 16, "0.20"),
    "m5a.xlarge": (4, 16, "0.172"),
    "m7.unpriced": (4, 16, None),
    "m5.2xlarge": (8, 32, "0.384"),
}


@pytest.fixture
def full_run(make_run, cloud):
    """A run whose plan allows equivalent types; the next launch finds no capacity."""

    def made(**changes):
        run = make_run(**{"allow_equivalent_type": True, **changes})
        cloud.fail("launch", NoCapacity("no m5.xlarge", instance_type="m5.xlarge"))
        return run

    for name, (vcpus, memory, usd) in TYPES.items():
        InstanceType.objects.create(provider="fake", name=name, vcpus=vcpus, memory_gib=memory, source="test")
        if usd is not None:
            PriceFactory(
                provider="fake", region="us-east-1", sku=name, unit="hour", pricing_model="on_demand", usd=Decimal(usd)
            )
    return made


def types_of(run):
    return {node.name: node.instance_type for node in run.nodes.all()}


def test_a_whole_group_gets_the_closest_other_type_and_the_result_states_it(full_run, drive, cloud, monkeypatch):
    class Stating(ReplayedStress):
        def document(self, plan, facts):
            document = super().document(plan, facts)
            return {**document, "nodes": measured.cluster_document(plan, facts)["nodes"]}

    monkeypatch.setattr(submit, "for_plan", lambda plan: Stating())

    run = drive(full_run())

    assert run.status == "succeeded", run.end_detail
    database = dict.fromkeys(("db-0", "db-1", "db-2"), "m6i.xlarge")  # its price is the closest
    assert types_of(run) == {**database, "client-0": "m5.large"}
    assert {line["hourly_usd"] for line in run.receipt["machines"]} == {"0.2", "0.096"}
    assert run.submission.instance_type == "m6i.xlarge"
    assert run.plan["database"]["instance_type"] == "m5.xlarge"
    assert "no m5.xlarge can be had now, m6i.xlarge is tried: no m5.xlarge" in [e.message for e in run.events.all()]
    assert run.worst_case_usd > 0


def test_without_leave_no_other_type_is_tried(full_run, drive, cloud):
    run = drive(full_run(allow_equivalent_type=False))

    assert run.end_reason == "no_capacity"
    assert run.end_detail.startswith("no m5.xlarge. The closest other types: ")
    assert cloud.created == []


def test_all_zones_are_tried_before_another_type_and_again_with_it(full_run, drive, cloud):
    run = full_run(zones=[])
    cloud.faults.clear()
    cloud.fail("launch", NoCapacity("full", "us-east-1a", instance_type="m5.xlarge"), NoZoneLeft("no zone is left"))

    run = drive(run, RunStatus.LAUNCHING)
    drive(run, most=2)

    assert run.progress["full_zones"] == []
    assert run.progress["earlier_moves"] == 2
    assert types_of(run)["db-0"] == "m6i.xlarge"
    assert drive(run).status == "succeeded"


def test_a_type_with_which_the_run_is_over_its_budget_is_not_taken(full_run, drive, cloud):
    run = full_run(max_usd="1.05")  # 0.87 USD with m5a.xlarge, 1.15 with the next
    PriceFactory(
        provider="fake", region="us-east-1", sku="m6i.xlarge", unit="hour", pricing_model="on_demand",
        usd=Decimal("0.3"), valid_from="2026-06-01",
    )  # fmt: skip

    run = drive(run)

    assert run.status == "succeeded", run.end_detail
    assert types_of(run)["db-1"] == "m5a.xlarge"


def test_no_third_type_is_tried(full_run, drive, cloud):
    run = full_run()
    for name in ("m6i.xlarge", "m5a.xlarge"):
        cloud.fail("launch", NoCapacity(f"no {name}", instance_type=name))

    run = drive(run)

    assert (run.end_reason, cloud.created) == ("no_capacity", [])
    assert run.progress["full_types"] == ["m5.xlarge", "m6i.xlarge"]


def test_nothing_changes_once_a_machine_exists(full_run, drive, cloud):
    run = full_run()
    cloud.faults.clear()
    cloud.fail("launch", NoCapacity("no more m5.large"))  # the provider names no type then

    run = drive(run)

    assert run.end_reason == "no_capacity"
    assert "instance_types" not in run.progress


def test_a_worker_that_dies_before_or_after_the_change_is_followed_by_one_with_the_same_type(full_run, drive, cloud):
    run = drive(full_run(), RunStatus.LAUNCHING)
    late = Run.objects.get(pk=run.pk)
    driver.drive_once(run)
    cloud.fail("launch", TryAgain("the answer was lost"))
    driver.drive_once(Run.objects.get(pk=run.pk))

    driver.drive_once(late)  # it knows the old type only
    run = drive(Run.objects.get(pk=run.pk))

    assert run.status == "succeeded"
    assert len(cloud.created) == 4
    assert {line["instance_type"] for line in run.receipt["machines"]} == {"m6i.xlarge", "m5.large"}


def test_a_worker_that_wakes_up_after_the_type_was_left_makes_nothing_of_it(full_run, drive, cloud):
    run = drive(full_run(), RunStatus.LAUNCHING)
    cloud.faults.clear()
    late = Run.objects.get(pk=run.pk)

    def another_worker_takes_another_type():
        cloud.before_launch = lambda: None
        cloud.fail("launch", NoCapacity("no m5.xlarge", instance_type="m5.xlarge"))
        drive(run, most=1)

    cloud.before_launch = another_worker_takes_another_type
    driver.drive_once(late)

    assert cloud.created == []
    assert drive(Run.objects.get(pk=run.pk)).status == "succeeded"
    assert len(cloud.created) == 4
