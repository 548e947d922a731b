"""A series over two clouds at once, on hosts that boot: interleaved, a load killed and run again, a single receipt."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse

from runners import driver
from runners.models import Run, Series
from runners.series import creation, progress
from runners.series.readers import visible_cells
from runners.series.report import report_of
from runners.steps import bootstrap, collect, stress, submit
from tests.factories import PriceFactory, UserFactory
from tests.files import stress_log
from tests.lab.fault_runs import PLAN, LightLoad, in_trial, record_prices, said
from tests.lab.waiting import wait_for

pytestmark = pytest.mark.django_db(transaction=True)

FOREVER = 60.0  # seconds a line: the trial goes on until somebody ends it
AWS = ["aws", "us-east-1", ["us-east-1a"], "m5.large", "m5.large"]
GCE = ["gce", "us-central1", ["us-central1-a"], "n1-standard-2", "n1-standard-2"]
ORDER: dict[str, Any] = {
    "plan": {**PLAN, "title": "AWS against GCE", "trials": 1, "max_usd": "2"},
    "vary": [{"field": "provider+region+zones+instance+client.instance_type", "values": [AWS, GCE]}],
    "repetitions": 2,
    "max_usd": "20",
    "max_minutes": 600,
}
LOGS = {"aws": "cs50-01-write", "gce": "cs50-30-graph-run1"}  # whose "Op rate" lines are:
OPS_S = {"aws": 3711, "gce": 2246}


@pytest.fixture
def loads(monkeypatch):
    lights = {cloud: LightLoad(logs=[stress_log(start).read_bytes()]) for cloud, start in LOGS.items()}
    for module in (bootstrap, stress, collect, submit):
        monkeypatch.setattr(module, "for_plan", lambda plan: lights[plan.provider])
    return lights


@pytest.fixture
def site(settings, lab_network, ec2, gce, loads):
    settings.RUN_PROVIDERS = ["aws", "gce"]
    settings.GCE_PROJECT, settings.GCE_ENDPOINT = "lab", gce.endpoint
    settings.RUNS_NEED_PERMISSION = False
    settings.MAX_USER_OPEN_RUNS = 2
    settings.RUN_SETTLE_SECONDS = 1
    settings.RUN_SSH_CIDR = f"{lab_network.gateway}/32"
    record_prices("0.096")
    for sku, unit, usd in (("n1-standard-2", "hour", "0.095"), ("pd-balanced", "gib_month", "0.1")):
        PriceFactory(
            provider="gce",
            region="us-central1",
            sku=sku,
            unit=unit,
            pricing_model="on_demand",
            usd=Decimal(usd),
            valid_from=date(2026, 1, 1),
        )
    return settings


def driven(series: Series, until: Callable[[], object]) -> Series:
    """The series after as many looks, and steps of its open runs, as it needs to be as `until` says."""

    def steps() -> bool:
        progress.advance(series.pk)
        for run in Run.objects.open().filter(series_cell__series=series):
            driver.drive_once(run)
        series.refresh_from_db()
        return bool(until())

    try:
        wait_for(steps, "the series is where it shall be", seconds=300, every=0.2)
    except TimeoutError as error:
        histories = "\n".join(f"run {run.pk}: {run.status}\n{said(run)}" for run in Run.objects.all())
        raise AssertionError(f"still {series.status}\n{histories}") from error
    return series


def test_aws_and_gce_beside_each_other_with_a_load_killed_and_run_again_end_in_a_report_and_a_receipt(
    site, ec2, gce, loads, client
):
    series = creation.create(ORDER, UserFactory())

    loads["aws"].pauses = [FOREVER]
    driven(series, lambda: Run.objects.filter(provider="aws").exists() and in_trial(1)(Run.objects.get(provider="aws")))
    killed = Run.objects.get(provider="aws")
    assert (len(ec2.alive), len(gce.alive)) == (2, 2)  # the cells of a round are beside each other
    ec2.hosts[killed.nodes.get(name="client-0").provider_id].run("kill -9 $(pgrep -f '^sh [r]eplay')")
    loads["aws"].pauses = [0.01]
    driven(series, lambda: series.is_final)

    assert (series.status, statuses(series)) == ("partial", ["failed", "succeeded", "succeeded", "succeeded"])
    killed.refresh_from_db()
    assert (killed.end_reason, killed.submission, killed.receipt["left"]) == ("stress_failed", None, 0)
    assert "ended with status 137" in killed.end_detail

    assert progress.run_again(series) == 1
    driven(series, lambda: series.is_final)

    assert series.status == "succeeded", statuses(series)
    runs = Run.objects.order_by("pk").select_related("series_cell", "submission")
    turns = [(run.provider, run.series_cell.repetition) for run in runs]
    assert turns == [("aws", 1), ("gce", 1), ("gce", 2), ("aws", 2), ("aws", 1)]
    assert {run.submission.provider for run in runs if run.submission} == {"aws", "gce"}
    assert (ec2.alive, gce.alive, ec2.invalid_requests, gce.invalid_requests) == ([], [], [], [])
    assert_report(client, series, runs)


def statuses(series: Series) -> list[str]:
    return [cell.status for cell in series.cells.select_related("run").order_by("place")]


def assert_report(client, series, runs):
    """The figures of each cloud are those of its logs; the receipt is the sum of all runs, the killed one included."""
    report = report_of(series, visible_cells(series, series.owner))
    figures = {each.values["provider"]: each for each in report.combined}
    assert {cloud: each.throughput_ops_s for cloud, each in figures.items()} == pytest.approx(OPS_S, rel=0.001)
    assert [len(each.results) for each in report.combined] == [2, 2]
    receipt = client.get(f"/api/v1/series/{series.pk}/").json()["receipt"]
    total = sum(Decimal(run.receipt["total_usd"]) for run in runs)
    assert Decimal(receipt.pop("total_usd")) == total > 0
    assert receipt == {"runs": 5, "open_runs": 0, "missing": "", "left": 0}
    page = client.get(reverse("runners:series_detail", args=[series.pk])).content.decode()
    assert "AWS against GCE" in page
    assert "5 runs ended" in page
