"""Plans that fill gaps of the coverage map: a machine of the family, priced as the form of a run prices it."""

from datetime import date
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runners import creation
from runners.plan_schema.run_plan import NEW, RunPlan
from runners.plans.cell_plans import LOADS, cell_plan, runs_of_site
from runners.plans.form import PlanForm
from submissions.models import InstanceType
from submissions.questions.coverage.runs import RunKey
from submissions.questions.recommend.work import Work, work_of
from tests.factories import PriceFactory

pytestmark = pytest.mark.django_db

CELL = {"service": "cassandra", "work": "writes", "provider": "aws", "machine_family": "i4i"}
TYPES = (
    ("i4i.xlarge", 4, 1, "0.343"),
    ("i4i.2xlarge", 8, 1, "0.686"),
    ("i4i.16xlarge", 64, 4, "5.491"),
    ("m6i.2xlarge", 8, 0, "0.384"),
    ("c5.4xlarge", 16, 0, "0.68"),
    ("c5.2xlarge", 8, 0, "0.34"),
)


@pytest.fixture(autouse=True)
def aws(settings):
    settings.RUN_PROVIDERS = ["aws"]
    settings.AWS_IMAGE = "ubuntu-24.04"
    for name, vcpus, disks, usd in TYPES:
        kind = "nvme" if disks else None
        InstanceType.objects.create(
            provider="aws",
            name=name,
            vcpus=vcpus,
            memory_gib=vcpus * 8,
            local_disk_gib=disks * 937.5,
            local_disk_count=disks,
            local_disk_kind=kind,
        )
        PriceFactory(sku=name, usd=Decimal(usd), valid_from=date(2024, 1, 1))
    PriceFactory(sku="gp3", unit="gib_month", usd=Decimal("0.08"), valid_from=date(2024, 1, 1))


def priced():
    """Every cell that a run can fill."""
    runs = runs_of_site()
    places = [(provider, family) for provider, families in runs.families.items() for family in families]
    return runs.priced([RunKey(*load, *place) for load in runs.loads for place in places])


def test_each_load_does_the_work_that_its_cell_names():
    mixes = {
        "write": {"write": 1},
        "read": {"read": 1},
        "mixed": {"read": 0.5, "write": 0.5},
        "tpcb": {"tpcb-like": 1},
        "simple-update": {"simple-update": 1},
        "select": {"select-only": 1},
    }

    assert [load.work for load in LOADS] == [work_of(mixes[load.workload["operation"]]) for load in LOADS]


def test_a_family_is_measured_on_its_type_of_eight_vcpus_with_its_local_disks():
    runs = priced()

    assert {key.machine_family for key in runs} == {"i4i", "m6i", "c5"}
    run = runs[RunKey("cassandra", Work.WRITES, "aws", "i4i")]
    assert run.cluster == "3× i4i.2xlarge, 1× c5.4xlarge as client"
    assert run.region == "us-east-1"
    plan = cell_plan(**CELL)
    assert [(disk["kind"], disk["count"]) for disk in plan["database"]["disks"]] == [("nvme", 1)]
    assert cell_plan(**{**CELL, "machine_family": "m6i"})["database"]["disks"] == []
    assert {key.service for key in runs} == {"cassandra", "postgresql"}
    assert runs[RunKey("postgresql", Work.READS, "aws", "i4i")].cluster.startswith("1× i4i.2xlarge, 1× ")


@pytest.mark.parametrize("service", ["cassandra", "postgresql"])
@pytest.mark.parametrize("work", list(Work))
@pytest.mark.parametrize("family", ["i4i", "m6i"])
def test_the_cost_is_the_estimate_of_its_plan_which_fits_its_budget(service, work, family):
    cell = {"service": service, "work": work.value, "provider": "aws", "machine_family": family}
    run = priced()[RunKey(service, work, "aws", family)]

    plan = creation.validated(cell_plan(**cell))
    cost = creation.estimate_of(plan)
    assert (run.expected_usd, run.worst_case_usd) == (cost.expected.usd, cost.worst.usd)
    assert run.price_date == date(2024, 1, 1)
    assert run.worst_case_usd <= plan.max_usd <= run.worst_case_usd + 1
    assert cost.expected_seconds < cost.worst_seconds


def test_the_form_takes_the_plan_without_loss():
    plan = cell_plan(**CELL)
    initial = PlanForm.initial_of(plan)
    form = PlanForm({name: value for name, value in initial.items() if value not in (None, "")})

    assert form.is_valid(), form.errors
    assert RunPlan.model_validate(form.content(), context=NEW) == RunPlan.model_validate(plan)


def test_the_page_of_a_new_run_opens_with_the_plan(client):
    page = client.get(priced()[RunKey("cassandra", Work.MIXED, "aws", "i4i")].address).content.decode()

    assert "Filled in from an empty cell of the coverage map." in page
    assert 'value="i4i.2xlarge"' in page


@pytest.mark.parametrize(
    "changes",
    [{"provider": "gce"}, {"provider": "moon"}, {"service": "redis"}, {"work": "unknown"}, {"machine_family": "m9"}],
)
def test_a_cell_that_no_run_can_fill_has_no_plan(client, changes):
    assert cell_plan(**{**CELL, **changes}) is None
    assert client.get("/runs/new/", {**CELL, **changes}).status_code == 200


def test_without_a_price_or_above_the_limit_of_the_site_there_is_no_run(settings):
    InstanceType.objects.create(provider="aws", name="z1d.2xlarge", vcpus=8, memory_gib=64)
    InstanceType.objects.create(provider="aws", name="t1.micro", vcpus=1, memory_gib=0.6)
    PriceFactory(sku="t1.micro", usd=Decimal("0.02"), valid_from=date(2024, 1, 1))
    assert {key.machine_family for key in priced()} == {"i4i", "m6i", "c5"}

    settings.MAX_RUN_USD = Decimal(1)
    assert priced() == {}


def test_a_site_that_starts_no_runs_offers_none(settings):
    settings.RUN_PROVIDERS = []
    assert priced() == {}

    settings.RUN_PROVIDERS = ["local"]
    assert priced() == {}


def test_the_usual_family_of_a_provider_costs_the_same_alone():
    InstanceType.objects.create(provider="aws", name="m5d.2xlarge", vcpus=8, memory_gib=32)
    PriceFactory(sku="m5d.2xlarge", usd=Decimal("0.452"), valid_from=date(2024, 1, 1))
    runs, key = runs_of_site(), RunKey("cassandra", Work.WRITES, "aws", "m5d")

    assert runs.usual_families == {"aws": "m5d"}
    assert runs.priced([key]) == {key: priced()[key]}


def test_many_families_take_no_more_queries_than_few():
    with CaptureQueriesContext(connection) as few:
        priced()
    for number in range(30):
        InstanceType.objects.create(provider="aws", name=f"m{number + 10}i.2xlarge", vcpus=8, memory_gib=32)
        PriceFactory(sku=f"m{number + 10}i.2xlarge", usd=Decimal("0.4"), valid_from=date(2024, 1, 1))
    with CaptureQueriesContext(connection) as many:
        assert len(priced()) > 180
    with CaptureQueriesContext(connection) as again:
        priced()

    assert len(many) == len(few) <= 5
    assert len(again) == 1
