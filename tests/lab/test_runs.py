"""The mission on one machine: web form, Celery worker, a cloud's API, hosts that boot, a real cluster, a submission."""

import io
import json
import logging
import re
import time
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from django.urls import reverse

from runners import driver
from runners.choices import OutputKind
from runners.hosts.remote import hosts_of
from runners.models import Run
from runners.tasks import drive_due
from submissions.analysis.host_metrics.host_use import parse as parse_samples
from submissions.choices import LatencyKind, Trust
from submissions.ingest.files import storage
from submissions.ingest.parsers import cassandra_stress, hdr_log
from tests.factories import PriceFactory, UserFactory
from tests.lab import distribution

pytestmark = pytest.mark.django_db(transaction=True)

log = logging.getLogger(__name__)

LIMIT_SECONDS = 900  # a loaded machine of two cores; about 100 s on a quiet one
# A JVM that lives for a minute, among nodes that a test starts together
JVM_OPTIONS = [
    "-XX:MaxDirectMemorySize=128M",
    "-XX:TieredStopAtLevel=1",
    "-Dcassandra.skip_wait_for_gossip_to_settle=0",
]
NODETOOL = (
    ". ./host.env; export JAVA_HOME JVM_OPTS=-XX:TieredStopAtLevel=1; "
    f"dist/apache-cassandra-{distribution.SERVER}/bin/nodetool -Dcom.sun.jndi.rmiURLParsing=legacy"
)
SECRETS = re.compile(rb"PRIVATE KEY|aws_secret_access_key|lab-secret", re.IGNORECASE)


@pytest.fixture
def site(settings, mirror, lab_network, monkeypatch):
    """A site whose hosts download from the lab's mirror; its runs last a minute, and are looked at more often."""
    monkeypatch.setattr(driver, "PAUSE", timedelta(milliseconds=500))
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
        "tool": "cassandra-stress",
        "settings": json.dumps({"heap": "256M", "jvm_options": JVM_OPTIONS}),
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


def nudged(run, until=lambda run: False):
    """Beat's nudges until the run has ended, or is as `until` says; the worker does the rest."""
    deadline = time.monotonic() + LIMIT_SECONDS
    while time.monotonic() < deadline:
        drive_due.delay()
        time.sleep(0.5)
        run.refresh_from_db()
        if run.is_final:
            log.info("%s", history(run))  # its figures: pytest -rP --log-level=INFO
        if run.is_final or until(run):
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


def test_three_zones_and_two_clients_from_the_web_form_over_ec2_to_a_submission(
    site, ec2, mirror, client, celery_worker, artifacts_folder
):
    site.RUN_PROVIDERS = ["aws"]
    price("aws", "us-east-1", m5d__large="0.113", m5__large="0.096", gp3="0.08", cross_zone="0.01")
    run = started(
        client,
        provider="aws",
        region="us-east-1",
        zones="us-east-1a, us-east-1b, us-east-1c",
        database_type="m5d.large",
        database_count="3",
        database_disks='[{"kind": "local-ssd", "count": 1}]',
        client_type="m5.large",
        client_count="2",
        operation="mixed",
        read_share="0.5",
        consistency_level="QUORUM",
        replication_factor="3",
        threads="4",
        operations="1000",
        columns="5",
        value_bytes="34",
        trials="1",
        settings=json.dumps(
            {
                "heap": "256M",
                "jvm_options": JVM_OPTIONS,
                "cassandra.yaml": {"concurrent_writes": 8, "concurrent_reads": 8},
            }
        ),
    )

    nudged(run, until=lambda run: run.status == "stressing")
    assert run.status == "stressing", f"{run.end_detail}\n{said(run)}"
    assert_whole_copy_in_each_zone(run)  # nobody nudges the run meanwhile: its hosts stay
    nudged(run)

    assert (run.status, run.end_reason) == ("succeeded", "completed"), f"{run.end_detail}\n{said(run)}"
    submission = run.submission
    assert submission.trust == Trust.RUN_BY_US
    assert (submission.trials_count, submission.node_count, submission.client_count) == (1, 3, 2)
    assert (submission.replication_factor, submission.consistency_level) == (3, "QUORUM")
    assert submission.operations == 1_000
    assert submission.errors == 0
    assert submission.throughput_ops_s > 0
    assert submission.hourly_usd == Decimal("0.339")
    document = submission.document
    assert document["service"]["version"] == distribution.SERVER
    assert document["jdk"]["version"].startswith("17.")
    assert [(group["role"], group["count"]) for group in document["nodes"]] == [("database", 3), ("client", 2)]
    assert {node.zone for node in run.nodes.filter(role="database")} == {"us-east-1a", "us-east-1b", "us-east-1c"}
    assert run.nodes.get(name="db-0").facts["data"] == [
        {"device": "/dev/nvme1n1", "filesystem": "xfs", "size_gib": 1.9}
    ]
    assert [count for path, count in mirror.downloads.items() if f"-{distribution.SERVER}-" in path] == [3, 3]
    assert_merged(run)
    assert run.receipt["left"] == 0
    assert Decimal(run.receipt["total_usd"]) > 0
    assert ec2.alive == []
    assert datetime.now(UTC) < run.expires_at
    assert_no_secret(run, artifacts_folder, client)


def test_two_trials_of_ycsb_with_two_clients_over_gce(site, gce, mirror, client, celery_worker, artifacts_folder):
    site.RUN_PROVIDERS = ["gce"]
    site.GCE_PROJECT, site.GCE_ENDPOINT = "lab", gce.endpoint
    site.MAVEN_MIRROR = mirror.add_ycsb()
    price("gce", "us-central1", n1_standard_2="0.095", pd_balanced="0.1", cross_zone="0.01")

    run = nudged(
        started(
            client,
            provider="gce",
            region="us-central1",
            zones="us-central1-a",
            database_type="n1-standard-2",
            database_count="1",
            client_type="n1-standard-2",
            client_count="2",
            tool="ycsb",
            operation="workloada",
            consistency_level="ONE",
            replication_factor="1",
            threads="4",
            operations="2000",
            prefill="1000",
            trials="2",
        )
    )

    assert (run.status, run.end_reason) == ("succeeded", "completed"), f"{run.end_detail}\n{said(run)}"
    submission = run.submission
    assert (submission.trials_count, submission.node_count, submission.client_count) == (2, 1, 2)
    assert [(trial.operations, trial.errors, trial.client_count) for trial in submission.trials.all()] == [
        (2_000, 0, 2),
        (2_000, 0, 2),
    ]
    assert (submission.tool, submission.consistency_level, submission.latency_kind) == ("ycsb", "ONE", "service_time")
    assert submission.latency_p99_ms > 0
    assert submission.document["workload"]["key_count"] == 1_000
    assert {(path.rpartition("/")[2], count) for path, count in mirror.downloads.items() if "/site/ycsb/" in path} >= {
        ("core-0.17.0.jar", 2)
    }
    assert_no_secret(run, artifacts_folder, client)


def assert_whole_copy_in_each_zone(run):
    """Three replicas of everything: each node, in a zone of its own, owns all of it."""
    answers = hosts_of(run).run(
        {"db-0": f"{NODETOOL} version", "db-1": f"{NODETOOL} status keyspace1"}, timeout_seconds=300
    )
    assert answers["db-0"].output.split() == ["ReleaseVersion:", distribution.SERVER]
    rows = [line.split() for line in answers["db-1"].output.splitlines() if line.startswith("UN ")]
    nodes = run.nodes.filter(role="database")
    assert sorted((row[1], row[-1]) for row in rows) == sorted((node.private_address, node.zone) for node in nodes)
    assert {word for row in rows for word in row if word.endswith("%")} == {"100.0%"}


def assert_merged(run):
    """Each client did its half on its own keys; the histograms of both are one, not a range."""
    [trial] = run.submission.trials.all()
    assert trial.client_count == 2
    assert trial.operations == 1_000
    assert trial.latency_ranges == {}
    assert {histogram["operation"] for histogram in trial.histograms} == {"read", "write", "total"}
    assert "not_mergeable" not in run.submission.flags
    keys = {}
    for client in ("client-0", "client-1"):
        keys[client] = keys_of(run, client)
        histograms = hdr_log.PARSER.parse(lines_of(run, client, OutputKind.HDR)).histograms
        assert {histogram.operation for histogram in histograms} == {"read", "write", "total"}
        assert {histogram.kind for histogram in histograms} == {LatencyKind.SERVICE_TIME}
    assert keys == {"client-0": "min=1,max=500", "client-1": "min=501,max=1000"}
    for node in run.nodes.all():
        assert parse_samples(lines_of(run, node.name, OutputKind.SAMPLES)).seconds >= 1


def keys_of(run, client):
    """The range of keys in a client's log, of which all else is as the plan says."""
    reading = cassandra_stress.PARSERS[1].parse(lines_of(run, client, OutputKind.LOG))
    [[trial]] = reading.trial_sets
    assert (trial.operations, trial.errors, trial.threads) == (500, 0, 4)
    assert (reading.facts.consistency_level, reading.facts.replication_factor) == ("QUORUM", 3)
    points = run.outputs.get(node__name=client, kind=OutputKind.LOG).series
    assert [point for point in points if point[1] > 0 and point[2] is not None]
    text = lines_of(run, client, OutputKind.LOG).read()
    [keys] = re.findall(r"Distribution: Uniform:  (min=\d+,max=\d+)\n  Order", text)
    return keys


def lines_of(run, name, kind):
    """The file of a host, as it is kept."""
    output = run.outputs.get(node__name=name, kind=kind, trial=0)
    with storage.open_stored(output.sha256) as raw:
        return io.StringIO(raw.read().decode())


def assert_no_secret(run, artifacts_folder, client):
    """Neither key nor credential in an artifact, a row, or a page."""
    for path in artifacts_folder.rglob("*"):
        assert not path.is_file() or not SECRETS.search(path.read_bytes()), path
    for output in run.outputs.all():
        assert not SECRETS.search(output.tail.encode())
    for address in (run.get_absolute_url(), f"/api/v1/runs/{run.pk}/", run.submission.get_absolute_url()):
        assert not SECRETS.search(client.get(address).content)
    assert (run.ssh_key, run.host_key) == (None, None)
