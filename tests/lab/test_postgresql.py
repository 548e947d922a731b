"""PostgreSQL of the distribution on hosts of both clouds: pgbench on one, the database on the other, a submission."""

from datetime import date
from decimal import Decimal

import pytest

from runners.hosts import remote
from runners.hosts.hosts import HostLost
from runners.models import Run
from runners.series import creation, progress
from submissions.choices import Trust
from tests.factories import PriceFactory, UserFactory
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


def series_on_ec2():
    """Two sizes of shared buffers, in one round."""
    for sku, unit, usd in (("m5.large", "hour", "0.1"), ("gp3", "gib_month", "0.08")):
        PriceFactory(
            provider="aws", region="us-east-1", sku=sku, unit=unit, usd=Decimal(usd), valid_from=date(2026, 1, 1)
        )
    plan = {
        "provider": "aws",
        "region": "us-east-1",
        "zones": ["us-east-1a"],
        "service": {"name": "postgresql"},
        "database": {"instance_type": "m5.large", "count": 1, "disks": [{"kind": "gp3", "count": 1, "size_gib": 4}]},
        "client": {"instance_type": "m5.large", "count": 1},
        "workload": WORKLOAD,
        "max_duration_minutes": 60,
    }
    vary = [{"field": "settings.postgresql.conf.shared_buffers", "values": ["16MB", "48MB"]}]
    content = {"plan": plan, "vary": vary, "repetitions": 1, "max_usd": "9", "max_minutes": 300}
    return creation.create(content, UserFactory())


def test_cells_of_a_round_are_measured_on_the_same_hosts_of_which_the_first_leaves_nothing(site, ec2, settings):
    site.RUN_PROVIDERS = ["aws"]
    settings.RUNS_NEED_PERMISSION = False
    series = series_on_ec2()
    progress.advance(series.pk)
    first = driven(Run.objects.get(), lambda run: run.offers_machines)
    progress.advance(series.pk)
    second = driven(Run.objects.exclude(pk=first.pk).get(), lambda run: "trial" in run.progress)
    hosts = remote.hosts_of(second)
    said_by = hosts.run(
        {
            "db-0": "cat data/0/postgresql/postgresql.conf | grep ^shared_buffers; grep -c benchsite /proc/mounts;"
            " ls -d /var/lib/benchsite*; pgrep -c -x postgres >/dev/null && echo runs; ls jobs"
        },
        timeout_seconds=20,
    )["db-0"].output
    with pytest.raises(HostLost):
        remote.hosts_of(first).start({"db-0": "true"}, job="trial-9")
    first, second = driven(first), driven(second)

    assert (first.status, second.status) == ("succeeded", "succeeded"), f"{second.end_detail}\n{said(second)}"
    assert second.took_over_from == first
    assert "shared_buffers = '48MB'" in said_by
    assert "shared_buffers = '16MB'" not in said_by
    assert "runs" in said_by
    assert f"/var/lib/benchsite-{second.pk}" in said_by
    [data] = second.nodes.get(name="db-0").facts["data"]
    assert (data["filesystem"], data["size_gib"]) == ("xfs", 3.9)
    assert {line["provider_id"] for line in first.receipt["machines"]} == {
        line["provider_id"] for line in second.receipt["machines"]
    }
    assert len(ec2.instances.lives) == 2
    assert ec2.alive == []
    assert ec2.invalid_requests == []
