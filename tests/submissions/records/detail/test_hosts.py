"""The table of the hosts of a run, and the warnings about them."""

import pytest
from django.core.files.storage import default_storage

from submissions.age.retired import retired_of
from submissions.analysis.host_metrics.host_use import DiskUse, HostUse
from submissions.analysis.host_metrics.hosts import DiskFigures, DiskTest, Hosts, host, packed
from submissions.choices import ArtifactKind, Role
from submissions.records.cache import prices_version
from submissions.records.detail.hosts import table_of
from submissions.records.detail.query import load_submission, submission_detail
from tests.documents import document
from tests.factories import ArtifactFactory, NodeGroupFactory, SubmissionFactory, bearer
from tests.pages import HOSTILE, faults, text


def use(cpu_percent, *disks):
    return HostUse(10, cpu_percent, 99.0, 0.0, 0.0, 1e6, 2.5e6, disks)


SLOW = (DiskUse("md0", 0.0, 4e7, 0.0), DiskUse("sda", 0.0, 2e7, 100.0), DiskUse("sdb", 1e6, 2e7, 40.0))


def given(submission, *hosts, tests=()):
    return ArtifactFactory(
        submission=submission, kind=ArtifactKind.HOST_SUMMARY, name="hosts.json", content=packed(hosts, tests)
    )


def test_a_slow_member_of_a_raid_is_named_with_its_figures():
    found = table_of(Hosts((host("db-1", Role.DATABASE, {0: use(10.0, *SLOW), 2: use(10.0, *SLOW)}),), ()), 500.0)

    assert [(row.disk_read_mb_s, row.disk_write_mb_s, row.is_skewed) for row in found.rows] == [(1.0, 40.0, True)]
    assert found.warnings == (
        "The RAID members of db-1 were not used evenly in trials 1 and 3: in trial 1 sda was 100 % busy at "
        "20 MB/s, but sdb was 40 % busy at 21 MB/s. An array is as slow as its slowest member.",
    )


def test_a_load_tool_on_a_database_node_is_named():
    found = table_of(Hosts((host("db-0", Role.DATABASE, {0: use(90.0), 1: use(99.0)}),), ()), None)

    assert found.warnings == (
        "db-0, which also ran the load tool, was saturated in trials 1 and 2: its CPU was more than 85 % busy. "
        "The throughput may be limited by the load tool, not by the database.",
    )


def test_one_trial_is_named_once():
    found = table_of(Hosts((host("db-1", Role.DATABASE, {1: use(10.0, *SLOW)}),), ()), None)

    assert found.warnings == (
        "The RAID members of db-1 were not used evenly in trial 2: sda was 100 % busy at 20 MB/s, but "
        "sdb was 40 % busy at 21 MB/s. An array is as slow as its slowest member.",
    )


def test_a_hundred_saturated_clients_need_ten_sentences_and_a_number():
    clients = tuple(host(f"client-{number}", Role.CLIENT, {0: use(99.0)}) for number in range(100))

    found = table_of(Hosts(clients, ()), None)

    assert len(found.warnings) == 11
    assert found.warnings[-1] == "90 more hosts are marked in the table."
    assert all(row.is_saturated for row in found.rows)


@pytest.mark.django_db
def test_the_page_shows_hosts_and_disk_tests(client):
    submission = SubmissionFactory(throughput_ops_s=90000.0)
    given(
        submission,
        host("db-0", Role.DATABASE, {0: use(40.0, *SLOW)}),
        host("client-0", Role.CLIENT, {0: use(88.0)}),
        tests=[DiskTest("db-0", "0", DiskFigures("sequential_write", 1099.0, 16769.4, 0.06, 1.5))],
    )

    response = client.get(submission.get_absolute_url())

    said = text(response).replace(" ", "")
    assert "db-0unevenRAIDdatabase30,00040991401" + "2.5" in said
    assert "client-0saturatedclient8899—unknown—unknown12.5" in said
    assert "db-0datafolder0fio:sequentialwrite,blocksof64KiB,16inflight1,10016,8000.0601.5" in said
    assert "Client client-0 was saturated in trial 1" in text(response)
    assert faults(response) == []


@pytest.mark.django_db
def test_a_cache_in_front_leaves_the_rate_of_a_database_node_unknown():
    submission = SubmissionFactory(throughput_ops_s=90000.0)
    NodeGroupFactory(submission=submission, position=2, role="cache")
    given(submission, host("db-0", Role.DATABASE, {0: use(40.0)}))

    assert [row.ops_s for row in submission_detail(load_submission(submission.pk)).hosts.rows] == [None]


@pytest.mark.django_db
@pytest.mark.parametrize("content", [b"", b"{}", b'{"hosts": 1, "disk_tests": []}'])
def test_another_file_of_that_name_leaves_the_page_as_it_is(client, content):
    submission = SubmissionFactory()
    ArtifactFactory(submission=submission, kind=ArtifactKind.HOST_SUMMARY, name="hosts.json", content=content)

    response = client.get(submission.get_absolute_url())

    assert response.status_code == 200
    assert response.context["detail"].hosts is None


@pytest.mark.django_db
def test_a_file_whose_bytes_are_lost_leaves_the_page_as_it_is(client):
    submission = SubmissionFactory()
    artifact = given(submission, host("db-0", Role.DATABASE, {0: use(41.5)}))
    default_storage.delete(artifact.storage_name)

    assert client.get(submission.get_absolute_url()).context["detail"].hosts is None


@pytest.mark.django_db
def test_words_of_others_are_words(client):
    submission = SubmissionFactory()
    given(
        submission,
        host(HOSTILE, Role.CLIENT, {0: use(99.0)}),
        tests=[DiskTest(HOSTILE[:100], HOSTILE, DiskFigures("random_read", 1.0, 1.0, 1.0, 1.0))],
    )

    response = client.get(submission.get_absolute_url())

    assert "<script>alert" not in response.content.decode()
    assert faults(response) == []


@pytest.mark.django_db
@pytest.mark.parametrize("count", [1, 60])
def test_many_hosts_are_folded(client, count):
    submission = SubmissionFactory()
    given(submission, *(host(f"db-{number}", Role.DATABASE, {0: use(40.0)}) for number in range(count)))

    retired_of(prices_version())  # as it was read by any page since the last change of prices

    response = client.get(submission.get_absolute_url())

    assert ("<summary>60 hosts</summary>" in response.content.decode()) is (count == 60)


STATED = [
    {
        "role": "database",
        "count": 48,
        "throughput_ops_s": 10_900,
        "server_latency_ms": {"mean": 1.0, "p99": 4.5},
        "cpu_percent": 74.4,
        "disk_write_bytes_s": 12_800_000,
    },
    {"name": "c-1", "role": "client", "cpu_percent": 99, "network_sent_bytes_s": 2_500_000},
]


@pytest.mark.django_db
def test_the_page_shows_the_hosts_and_disk_tests_that_an_uploader_states(client):
    iozone = {
        "tool": "iozone", "host": "db-1", "pattern": "sequential_write", "block_bytes": 65536, "jobs": 60,
        "mb_s": 1099, "latency_ms": {"mean": 0.06},
    }  # fmt: skip
    submission = SubmissionFactory(document=document({"hosts": STATED, "disk_tests": [iozone]}))

    response = client.get(submission.get_absolute_url())

    said = text(response).replace(" ", "")
    assert "Hosts during the trials" in text(response)
    assert "databasemeanof48database10,90014.574.412.8—unknown" in said
    assert "c-1saturatedclient—unknown—unknown—unknown99—unknown2.5" in said
    assert "Not stated: CPU, busiest second; disk reads; network in. MB are" in text(response)
    assert "Disk reads" not in text(response)
    assert "db-1—unknowniozone:sequentialwrite,blocksof64KiB,60jobs1,100—unknown0.06" in said
    assert faults(response) == []


@pytest.mark.django_db
def test_the_api_gives_the_hosts_of_an_upload_and_null_for_what_is_unknown(client):
    body = document({"hosts": STATED})
    created = client.post("/api/v1/submissions/", body, content_type="application/json", **bearer())
    address = f"/api/v1/submissions/{created.json()['id']}/"

    answer = client.get(f"{address}hosts/").json()

    assert [(host["role"], host["count"], host["cpu_percent"]) for host in answer["hosts"]] == [
        ("database", 48, 74.4),
        ("client", 1, 99.0),
    ]
    assert answer["hosts"][0]["server_latency_ms"]["mean"] == 1.0
    assert answer["hosts"][0]["network_sent_bytes_s"] is None
    assert answer["disk_tests"] == []
    detail = client.get(address).json()
    assert (detail["hosts"], detail["disk_tests"]) == (answer["hosts"], [])
    assert created.json()["hosts"] == answer["hosts"]


@pytest.mark.django_db
def test_a_run_of_an_earlier_version_has_its_hosts_in_the_api_too(client):
    submission = SubmissionFactory()
    test = DiskTest("db-0", "0", DiskFigures("random_read", 174.3, 42555.8, 0.7, 2.1))
    given(submission, host("db-0", Role.DATABASE, {0: use(40.0, *SLOW)}), tests=[test])

    answer = client.get(f"/api/v1/submissions/{submission.pk}/hosts/").json()

    [one] = answer["hosts"]
    assert (one["name"], one["sampled_s"], one["cpu_percent"], one["disk_busy_percent"]) == ("db-0", 10, 40.0, 100.0)
    assert (one["disk_write_bytes_s"], one["network_sent_bytes_s"]) == (4e7, 2.5e6)
    [tested] = answer["disk_tests"]
    assert (tested["tool"], tested["block_bytes"], tested["queue_depth"], tested["iops"]) == ("fio", 4096, 32, 42555.8)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("hosts", "pointer", "detail"),
    [
        ([{"role": "database"}], "#/hosts/0", "needs a figure"),
        ([{"role": "database", "cpu_percent": 101}], "#/hosts/0/cpu_percent", "must be at most 100"),
        ([{"role": "router", "cpu_percent": 1}], "#/hosts/0/role", "must be one of"),
        ([{"role": "client", "cpu": 1}], "#/hosts/0/cpu", "unknown"),
        ([{"role": "client", "cpu_percent": 9, "cpu_max_percent": 8}], "#/hosts/0", "is above cpu_max_percent"),
    ],
)
def test_hosts_that_cannot_be_are_refused_by_name(client, hosts, pointer, detail):
    body = document({"hosts": hosts})

    response = client.post("/api/v1/submissions/", body, content_type="application/json", **bearer())

    assert response.status_code == 400
    [error] = response.json()["errors"]
    assert error["pointer"] == pointer
    assert detail in error["detail"]
