"""The mission on one machine: web form, Celery worker, a cloud's API, hosts that boot, a real cluster, a submission."""

import logging
import re
import time
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from django.urls import reverse

from runners.models import Run
from runners.tasks import drive_due
from submissions.choices import Trust
from tests.factories import PriceFactory, UserFactory

pytestmark = pytest.mark.django_db(transaction=True)

log = logging.getLogger(__name__)

LIMIT_SECONDS = 900  # a loaded machine of two cores; about 100 s on a quiet one
SECRETS = re.compile(rb"PRIVATE KEY|aws_secret_access_key|lab-secret", re.IGNORECASE)


@pytest.fixture
def site(settings, mirror, lab_network):
    """A site whose hosts download from the lab's mirror."""
    mirror.add_cassandra()
    mirror.add_cassandra("4.0-alpha2")
    settings.CASSANDRA_MIRROR = mirror.url
    settings.CASSANDRA_STRESS_VERSION = "4.0-alpha2"
    settings.MAVEN_MIRROR = mirror.add_maven()
    settings.RUNS_NEED_PERMISSION = False
    settings.RUN_SETTLE_SECONDS = 2
    settings.RUN_SSH_CIDR = f"{lab_network.gateway}/32"
    return settings


def price(provider, region, **usd):
    for sku, amount in usd.items():
        PriceFactory(
            provider=provider,
            region=region,
            sku=sku.replace("__", ".").replace("_", "-"),
            unit={"cross_zone": "gb", "gp3": "gib_month", "pd_balanced": "gib_month"}.get(sku, "hour"),
            pricing_model="on_demand",
            usd=Decimal(amount),
            valid_from=date(2026, 1, 1),
        )


def form(**changes):
    return {
        "service": "cassandra",
        "service_version": "5.0.9",
        "database_count": "3",
        "client_count": "1",
        "tool": "cassandra-stress",
        "operation": "write",
        "consistency_level": "QUORUM",
        "replication_factor": "3",
        "threads": "8",
        "operations": "6000",
        "trials": "2",
        "settings": '{"heap": "256M", "jvm_options": ["-XX:TieredStopAtLevel=1"]}',  # a JVM that lives for a minute
        "max_duration_minutes": "30",
        "max_usd": "10",
        "pricing_model": "on_demand",
        **changes,
    }


def started(client, **changes):
    """The run that the web form places and confirms, as a browser would send it."""
    client.force_login(UserFactory())
    placed = client.post(reverse("runners:new"), form(**changes))
    assert placed.status_code == 302, placed.content.decode()
    confirmed = client.post(placed.headers["Location"])
    assert confirmed.status_code == 302, confirmed.content.decode()
    return Run.objects.get()


def finished(run):
    """Beat's nudges until the run has ended; the worker does the rest."""
    deadline = time.monotonic() + LIMIT_SECONDS
    while time.monotonic() < deadline:
        drive_due.delay()
        time.sleep(0.5)
        run.refresh_from_db()
        if run.is_final:
            log.info("%s", history(run))  # its figures: pytest -rP --log-level=INFO
            return run
    tails = "\n".join(output.tail[-500:] for output in run.outputs.order_by("-id")[:4])
    pytest.fail(f"still {run.status} ({run.progress}) after {LIMIT_SECONDS} s:\n{tails}")


def history(run):
    """When it came to each status, and what it measured."""
    events = [event for event in run.events.all() if event.new_status]
    began = events[0].at
    times = ", ".join(f"{event.new_status} {(event.at - began).total_seconds():.0f} s" for event in events)
    found = run.submission and (
        f"; {run.submission.throughput_ops_s:.0f} ops/s "
        f"({', '.join(f'{trial.throughput_ops_s:.0f}' for trial in run.submission.trials.all())}), "
        f"p99 {run.submission.latency_p99_ms} ms, {run.receipt['total_usd']} USD, {run.receipt['left']} left"
    )
    return f"{run.provider}: {times}{found or ''}"


def said(run):
    return "\n".join(f"{event.at:%H:%M:%S} {event.new_status or ''} {event.message}" for event in run.events.all())


def test_from_the_web_form_over_ec2_to_a_submission(site, ec2, client, celery_worker, artifacts_folder):
    site.RUN_PROVIDERS = ["aws"]
    price("aws", "us-east-1", m5__large="0.096", gp3="0.08", cross_zone="0.01")

    run = finished(
        started(
            client,
            provider="aws",
            region="us-east-1",
            zones="us-east-1a, us-east-1b, us-east-1c",
            database_type="m5.large",
            client_type="m5.large",
        )
    )

    assert (run.status, run.end_reason) == ("succeeded", "completed"), f"{run.end_detail}\n{said(run)}"
    submission = run.submission
    assert submission.trust == Trust.RUN_BY_US
    assert (submission.trials_count, submission.node_count, submission.client_count) == (2, 3, 1)
    assert (submission.replication_factor, submission.consistency_level) == (3, "QUORUM")
    assert submission.operations == 12_000
    assert submission.errors == 0
    assert submission.throughput_ops_s > 0
    assert submission.hourly_usd == Decimal("0.288")
    assert submission.document["service"]["version"] == "5.0.9"
    assert {node.zone for node in run.nodes.filter(role="database")} == {"us-east-1a", "us-east-1b", "us-east-1c"}
    assert run.receipt["left"] == 0
    assert Decimal(run.receipt["total_usd"]) > 0
    assert ec2.alive == []
    assert datetime.now(UTC) < run.expires_at
    assert_no_secret(run, artifacts_folder, client)


def test_over_gce_with_two_clients_and_merged_histograms(site, gce, client, celery_worker, artifacts_folder):
    site.RUN_PROVIDERS = ["gce"]
    site.GCE_PROJECT, site.GCE_ENDPOINT = "lab", gce.endpoint
    price("gce", "us-central1", n1_standard_2="0.095", pd_balanced="0.1", cross_zone="0.01")

    run = finished(
        started(
            client,
            provider="gce",
            region="us-central1",
            zones="us-central1-a",
            database_type="n1-standard-2",
            database_count="1",
            client_type="n1-standard-2",
            client_count="2",
            replication_factor="1",
            consistency_level="ONE",
            trials="1",
        )
    )

    assert (run.status, run.end_reason) == ("succeeded", "completed"), f"{run.end_detail}\n{said(run)}"
    [trial] = run.submission.trials.all()
    assert trial.client_count == 2
    assert trial.operations == 6_000
    assert trial.latency_ranges == {}  # merged, not a range
    assert {histogram["operation"] for histogram in trial.histograms} >= {"total"}
    assert "not_mergeable" not in run.submission.flags
    assert_no_secret(run, artifacts_folder, client)


def assert_no_secret(run, artifacts_folder, client):
    """Neither key nor credential in an artifact, a row, or a page."""
    for path in artifacts_folder.rglob("*"):
        assert not path.is_file() or not SECRETS.search(path.read_bytes()), path
    for output in run.outputs.all():
        assert not SECRETS.search(output.tail.encode())
    for address in (run.get_absolute_url(), f"/api/v1/runs/{run.pk}/", run.submission.get_absolute_url()):
        assert not SECRETS.search(client.get(address).content)
    assert (run.ssh_key, run.host_key) == (None, None)
