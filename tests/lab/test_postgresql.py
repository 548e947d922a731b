"""PostgreSQL of the distribution on hosts of both clouds: pgbench on one, the database on the other, a submission."""

from datetime import date
from decimal import Decimal

import pytest

from submissions.choices import Trust
from tests.factories import PriceFactory
from tests.lab.fault_runs import driven, queued_run, said

pytestmark = pytest.mark.django_db(transaction=True)

WORKLOAD = {"tool": "pgbench", "operation": "tpcb", "scale": 1, "threads": 4, "duration_seconds": 3}


@pytest.fixture
def site(settings, lab_network):
    settings.RUN_SETTLE_SECONDS = 1
    settings.RUN_SSH_CIDR = f"{lab_network.gateway}/32"
    return settings


def run_on(provider, region, zone, instance_type, disk):
    """An ended run of one database host and one client."""
    for sku, unit, usd in ((instance_type, "hour", "0.1"), (disk, "gib_month", "0.08")):
        PriceFactory(
            provider=provider, region=region, sku=sku, unit=unit, usd=Decimal(usd), valid_from=date(2026, 1, 1)
        )
    return driven(
        queued_run(
            provider=provider,
            region=region,
            zones=[zone],
            service={"name": "postgresql"},
            database={"instance_type": instance_type, "count": 1, "disks": [{"kind": disk, "count": 1, "size_gib": 4}]},
            client={"instance_type": instance_type, "count": 1},
            workload=WORKLOAD,
        )
    )


def assert_measured(run):
    assert (run.status, run.end_reason) == ("succeeded", "completed"), f"{run.end_detail}\n{said(run)}"
    submission = run.submission
    assert (submission.trust, submission.trials_count, submission.errors) == (Trust.RUN_BY_US, 2, 0)
    assert (submission.node_count, submission.client_count) == (1, 1)
    assert submission.document["service"]["version"].startswith("15.")  # of Debian 12
    assert submission.latency_p99_ms > 0
    [data] = run.nodes.get(name="db-0").facts["data"]
    assert (data["filesystem"], data["size_gib"]) == ("xfs", 3.9)  # the disk of the plan
    assert {output.node.name for output in run.outputs.filter(kind="samples")} == {"db-0", "client-0"}
    assert run.receipt["left"] == 0


def test_on_ec2(site, ec2):
    site.RUN_PROVIDERS = ["aws"]

    assert_measured(run_on("aws", "us-east-1", "us-east-1a", "m5.large", "gp3"))

    assert ec2.alive == []
    assert ec2.invalid_requests == []


def test_on_compute_engine(site, gce):
    site.RUN_PROVIDERS = ["gce"]
    site.GCE_PROJECT, site.GCE_ENDPOINT = "lab", gce.endpoint

    assert_measured(run_on("gce", "us-central1", "us-central1-a", "n1-standard-2", "pd-balanced"))

    assert gce.alive == []
