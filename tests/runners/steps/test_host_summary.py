"""The samples and disk tests of a run's hosts, from the storage to the submission's page."""

import pytest

from runners.choices import RunStatus
from runners.models import RunOutput
from submissions.choices import ArtifactKind
from submissions.ingest.files import storage
from submissions.records.detail.hosts import HostRow
from submissions.records.detail.query import submission_detail
from tests.files import DATA

pytestmark = pytest.mark.django_db

HEAD = "time,cpu_percent,iowait_percent,steal_percent,rx_bytes_s,tx_bytes_s"
DISK = ",nvme1n1:read_bytes_s,nvme1n1:write_bytes_s,nvme1n1:busy_percent"


def samples(*rows, head=HEAD):
    return "\n".join([head, *rows, ""]).encode()


def keep(run, node, trial, kind, path, content):
    """An output as `collect` leaves it."""
    RunOutput.objects.create(
        run=run,
        node=run.nodes.get(name=node),
        trial=trial,
        kind=kind,
        path=path,
        name=f"{node}-{path.replace('/', '-')}",
        sha256=storage.store_bytes(content),
        size_bytes=len(content),
    )


def test_what_the_hosts_did_stands_on_the_page_of_the_submission(make_run, drive):
    run = drive(make_run(), RunStatus.SUBMITTING)
    keep(run, "client-0", 0, "samples", "trials/0/samples.csv", samples("1,90,0,0,3000000,9000000"))
    keep(run, "client-0", 1, "samples", "trials/1/samples.csv", samples("1,60,0,0,1000000,5000000"))
    keep(run, "db-0", 0, "samples", "trials/0/samples.csv", samples("1,95,0,0,0,0,500000,4000000,50", head=HEAD + DISK))
    keep(run, "db-1", 0, "samples", "trials/0/samples.csv", samples())  # ended within a second
    keep(run, "db-2", 0, "samples", "trials/0/samples.csv", b"no samples")
    for folder, test in (("1", "random_read"), ("0", "random_read")):
        keep(
            run, "db-0", None, "disk_test", f"disk-test/{folder}-{test}.json", (DATA / f"fio/{test}.json").read_bytes()
        )
    keep(run, "db-1", None, "disk_test", "disk-test/0-random_read.json", b"fio: no space left")

    run = drive(run)

    assert run.status == "succeeded"
    found = submission_detail(run.submission).hosts
    each = run.submission.throughput_ops_s / 3
    assert found.rows == (
        HostRow("db-0", "database", each, 95.0, 95.0, 0.5, 4.0, 0.0, 0.0, is_saturated=False, is_skewed=False),
        HostRow("client-0", "client", None, 75.0, 90.0, None, None, 2.0, 7.0, is_saturated=True, is_skewed=False),
    )
    assert found.warnings == (
        "Client client-0 was saturated in trial 1: its CPU was more than 85 % busy. "
        "The throughput may be limited by the load tool, not by the database.",
    )
    assert [(row.host, row.target, row.iops) for row in found.disk_tests] == [
        ("db-0", "data folder 0", 42555.8),
        ("db-0", "data folder 1", 42555.8),
    ]
    hosts = run.submission.document["hosts"]
    assert [(host["name"], host["role"], host["cpu_percent"], host["sampled_s"]) for host in hosts] == [
        ("db-0", "database", 95.0, 1),
        ("client-0", "client", 75.0, 2),
    ]
    assert (hosts[0]["disk_write_bytes_s"], hosts[1]["network_sent_bytes_s"]) == (4_000_000.0, 7_000_000.0)
    assert [test["iops"] for test in run.submission.document["disk_tests"]] == [42555.8, 42555.8]
    notes = [event.message for event in run.events.filter(kind="note")]
    assert any("db-2-trials-0-samples.csv cannot be read" in note for note in notes)
    assert any("db-1-disk-test-0-random_read.json cannot be read" in note for note in notes)


def test_what_the_hosts_did_over_time_is_drawn_beside_what_the_load_tool_printed(make_run, drive):
    run = drive(make_run(), RunStatus.SUBMITTING)
    logs = ",gcs,gc_ms,compactions,compaction_ms"
    client = [f"{1000 + second},{second},0,0,0,0" for second in range(1, 10)]
    node = [f"{1000 + second},5,0,0,0,0,1,{second},1,500" for second in range(1, 10)]
    keep(run, "client-0", 1, "samples", "trials/1/samples.csv", samples(*client))
    keep(run, "db-0", 1, "samples", "trials/1/samples.csv", samples(*node, head=HEAD + logs))
    keep(run, "db-1", 1, "samples", "trials/1/samples.csv", samples(*node[:4], head=HEAD + logs))

    run = drive(run)

    shown = submission_detail(run.submission)
    [activity] = shown.intervals.activity
    length = max(shown.intervals.series[1].elapsed_seconds)
    assert (activity.name, activity.number) == ("trial 2", 1)
    assert activity.elapsed_seconds[-1] == pytest.approx(length, abs=0.1)  # the load tool ended with its samples
    assert activity.client_cpu_percent[-1] == 9.0
    assert activity.gc_ms_s[-1] == 9.0
    assert activity.compactions[-1] == 0.5
    assert len(activity.elapsed_seconds) == min(9, int(length) + 1)


def test_a_step_that_is_repeated_adds_no_second_file(make_run, drive):
    from runners.steps import submit

    run = drive(make_run(), RunStatus.SUBMITTING)
    keep(run, "client-0", 0, "samples", "trials/0/samples.csv", samples("1,90,0,0,3,9"))
    run = drive(run)
    before = sorted(run.submission.artifacts.values_list("name", "sha256"))
    type(run).objects.filter(pk=run.pk).update(status=RunStatus.SUBMITTING)
    run.refresh_from_db()
    submit.step(run)

    assert sorted(run.submission.artifacts.values_list("name", "sha256")) == before
    assert [name for name, _ in before].count("hosts.json") == 1


def test_a_run_without_samples_has_no_such_file(make_run, drive):
    run = drive(make_run())

    assert not run.submission.artifacts.filter(kind__in=[ArtifactKind.OTHER, ArtifactKind.HOST_SUMMARY]).exists()
    assert submission_detail(run.submission).hosts is None
