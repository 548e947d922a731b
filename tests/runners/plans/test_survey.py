"""A plan is put to the cloud before it becomes a run: HTTP to the lab's EC2, without hosts."""

from decimal import Decimal

import pytest

from benchsite.http.refusals import Refusal
from runners import creation
from runners.models import Run
from submissions.models import InstanceType
from tests.factories import PriceFactory, UserFactory
from tests.lab.ec2_wire import Refused
from tests.runners.fake_runs import PLAN

pytestmark = pytest.mark.django_db
STANDARD = "L-1216C47A"


@pytest.fixture
def site(ec2_api, settings):
    settings.RUN_PROVIDERS, settings.RUNS_NEED_PERMISSION = ["aws"], False
    settings.MAX_RUN_USD = settings.MAX_USER_MONTH_USD = settings.MAX_MONTH_USD = Decimal(1000)
    PriceFactory(sku="m5.large", usd=Decimal("0.096"))
    PriceFactory(sku="gp3", unit="gib_month", usd=Decimal("0.08"))
    return ec2_api


def order(instance_type="m5.large", max_usd="20", count=3):
    nodes = {"instance_type": instance_type, "count": count}
    return {**PLAN, "provider": "aws", "zones": [], "database": nodes, "max_usd": max_usd}


def faults_of(call, *arguments):
    with pytest.raises(Refusal) as caught:
        call(*arguments)
    return [(fault.pointer, fault.detail) for fault in caught.value.faults]


def test_a_type_newer_than_the_catalogue_can_be_run_at_an_assumed_price(site):
    run = creation.create_and_confirm(order("c8g.xlarge"), UserFactory())

    assert run.status == "queued"
    assert run.estimate["expected_usd"] is None
    # 3 x (4 x 0.25 + 40 GiB of gp3 + the address) + 1 x (0.096 + the same), for an hour and a quarter
    assert run.worst_case_usd == pytest.approx(Decimal("3.9170"), abs=Decimal("0.001"))
    assert run.estimate["warnings"] == [
        "the price of c8g.xlarge is not known: the worst case assumes 1 USD an hour",
        "c8g.xlarge is not in this site's catalogue; the cloud has it: 4 vCPUs, 8 GiB",
    ]
    known = InstanceType.objects.get(provider="aws", name="c8g.xlarge")
    assert (known.vcpus, known.memory_gib, known.source) == (4, 8.0, "the API of AWS")


def test_without_an_assumed_price_such_a_type_is_not_run(site, settings):
    settings.RUN_UNPRICED_VCPU_USD = Decimal(0)

    [(place, why)] = faults_of(creation.create_and_confirm, order("c8g.xlarge"), UserFactory())

    assert (place, why) == ("#/max_usd", "its worst-case cost is unknown, because a price is missing")
    assert not Run.objects.exists()


def test_a_typing_error_is_refused(site):
    assert faults_of(creation.create_run, order("c8g.xlrage"), UserFactory()) == [
        ("#/database/instance_type", "EC2 has no instance type c8g.xlrage in us-east-1")
    ]
    assert not Run.objects.exists()
    assert not InstanceType.objects.exists()


def test_a_quota_is_told_before_anything_is_made(site):
    site.quotas[STANDARD] = 5

    [(place, why)] = faults_of(creation.create_run, order(), UserFactory())

    assert place == "#"
    assert why.endswith("0 are in use and the plan needs 8: ask AWS (Service Quotas) for at least 8")
    assert "RunInstances" not in site.calls


def test_a_quota_that_was_taken_meanwhile_is_told_at_the_confirmation(site, settings):
    run = creation.create_run(order(), UserFactory())
    site.quotas[STANDARD] = 5
    Run.objects.update(created_at=run.created_at - creation.SURVEY_LIFE * 2)
    run.refresh_from_db()

    assert "for at least 8" in faults_of(creation.confirm, run)[0][1]
    run.refresh_from_db()
    assert run.status == "planned"


def test_a_cloud_that_does_not_answer_is_a_warning_for_what_is_known_and_a_fault_for_what_is_not(site):
    site.refusal = Refused("UnauthorizedOperation", "You are not authorized.", 403)

    run = creation.create_run(order(), UserFactory())

    assert [warning.split(":")[0] for warning in run.estimate["warnings"]] == ["AWS could not be asked about this plan"]
    [(place, why)] = faults_of(creation.create_run, order("c8g.xlarge"), UserFactory())
    assert place == "#/database/instance_type"
    assert why.startswith("c8g.xlarge is not in the catalogue, and AWS did not confirm it: ")
