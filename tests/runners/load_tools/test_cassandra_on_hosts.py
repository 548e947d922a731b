"""A whole run on the lab: keys, SSH, bootstrap, a cluster of three zones, two clients, their results."""

import json
import re
import tarfile
import time

import pytest

from runners.hosts.keys import make_keys, public_key, user_data
from runners.hosts.remote import SshHosts
from runners.load_tools.base import Member
from runners.load_tools.cassandra_stress import CassandraStress, Downloads
from runners.plan import RunPlan
from submissions.analysis.host_use import parse as parse_samples
from submissions.choices import LatencyKind
from submissions.ingest.parsers import cassandra_stress, hdr_log
from tests.lab import distribution
from tests.lab.hosts import Host, HostOrder
from tests.lab.waiting import wait_for

SECONDS = 900
HISTOGRAMS = "HdrHistogram-2.1.12.jar"
ADDRESS = 150  # the first of this test's in the lab's network


@pytest.fixture
def plan():
    return RunPlan.model_validate(
        {
            "provider": "aws",
            "zones": ["za", "zb", "zc"],
            "service": {"name": "cassandra", "version": distribution.SERVER},
            "database": {"instance_type": "lab", "count": 3, "disks": [{"kind": "local-ssd", "count": 1}]},
            "client": {"instance_type": "lab", "count": 2},
            "settings": {
                "heap": "320M",
                "jvm_options": ["-XX:MaxDirectMemorySize=128M", "-XX:TieredStopAtLevel=1"],  # lives for minutes
                "cassandra.yaml": {"concurrent_writes": 8, "concurrent_reads": 8},
            },
            "workload": {
                "tool": "cassandra-stress",
                "operation": "mixed",
                "read_share": 0.5,
                "operations": 4_000,
                "threads": 4,
                "replication_factor": 3,
                "consistency_level": "QUORUM",
                "columns": 5,
                "value_bytes": 34,
            },
            "trials": 1,
            "max_duration_minutes": 30,
            "max_usd": "1",
        }
    )


@pytest.fixture
def cluster(plan, lab_network):
    addresses = lab_network.parts()[0]
    return [
        Member(name, role, index, str(addresses[ADDRESS + number]), plan.zone_of(index))
        for number, (name, role, index) in enumerate(plan.node_names())
    ]


@pytest.fixture
def hosts(cluster, lab_network):
    """Booted machines that know nothing but the run's user data."""
    keys = make_keys()
    data = user_data(keys.host_private, public_key(keys.private)).encode()
    booted = [
        Host(
            lab_network,
            HostOrder(
                f"w{number}",
                member.address,
                f"i-{number}",
                member.name,
                user_data=data,
                disks=[("nvme1n1", 4)] if member.role == "database" else (),
            ),
        )
        for number, member in enumerate(cluster)
    ]
    yield SshHosts(
        {member.name: member.address for member in cluster},
        private_key=keys.private,
        host_key=public_key(keys.host_private),
    )
    for host in booted:
        host.kill()


@pytest.fixture
def workload(mirror, tmp_path):
    mirror.add_cassandra(distribution.SERVER)
    mirror.add_cassandra(distribution.STRESS)
    with tarfile.open(distribution.composed()) as archive:
        content = archive.extractfile(f"apache-cassandra-{distribution.SERVER}/lib/{HISTOGRAMS}").read()
    jar = tmp_path / HISTOGRAMS
    jar.write_bytes(content)
    mirror.add(f"org/hdrhistogram/HdrHistogram/2.1.12/{HISTOGRAMS}", jar)
    return CassandraStress(Downloads(mirror.url, distribution.STRESS, maven_mirror=mirror.url))


def finish(hosts, job):
    """Start a job and wait for its end; returns what each host printed."""
    if job.files:
        hosts.put(job.files)
    hosts.start(job.commands, job=job.name)
    names, offsets = sorted(job.commands), dict.fromkeys(job.commands, 0)
    printed = dict.fromkeys(job.commands, b"")
    deadline = time.monotonic() + SECONDS
    while names:
        seen = hosts.look(names, job=job.name, path=job.log_path, offsets=offsets)
        for name, progress in seen.items():
            printed[name] += progress.new_output
            offsets[name] = progress.offset
        names = [name for name in names if seen[name].is_running or seen[name].new_output]
        failed = {name: printed[name].decode()[-2000:] for name, one in seen.items() if one.exit_status}
        assert not failed, f"{job.name}: {failed}"
        assert time.monotonic() < deadline, f"{job.name} on {names}: {printed}"
        time.sleep(1)  # each look is ten ends of SSH on the processors that the cluster needs
    return {name: output.decode() for name, output in printed.items()}


def test_three_zones_and_two_clients_from_bare_hosts_to_merged_histograms(plan, cluster, hosts, workload, tmp_path):
    names = [member.name for member in cluster]
    wait_for(lambda: all(hosts.check(names).values()), "all hosts take commands", seconds=SECONDS, every=1)
    facts = {}
    for job in workload.bootstrap_jobs(plan, cluster):
        printed = finish(hosts, job)
        if job.name == "facts":
            facts = {name: json.loads(output) for name, output in printed.items()}

    status = hosts.run({"db-1": f". ./host.env; export JAVA_HOME; {NODETOOL} status keyspace1"}, timeout_seconds=60)
    printed = finish(hosts, workload.trial_job(plan, cluster, 0))

    # every zone has a whole copy: three replicas of everything, each node owns all of it
    rows = [line.split() for line in status["db-1"].output.splitlines() if line.startswith("UN ")]
    assert sorted((row[1], row[-1]) for row in rows) == sorted((m.address, m.zone) for m in cluster[:3])
    assert {word for row in rows for word in row if word.endswith("%")} == {"100.0%"}
    assert facts["db-0"]["data"] == [{"device": "/dev/nvme1n1", "filesystem": "xfs", "size_gib": 3.9}]
    document = workload.document(plan, facts)
    assert document["jdk"]["version"].startswith("17.")
    assert [(group["role"], group["count"]) for group in document["nodes"]] == [("database", 3), ("client", 2)]

    _check_outputs(plan, cluster, hosts, workload, tmp_path)
    for client in ("client-0", "client-1"):
        points = workload.progress(printed[client].splitlines())
        assert [point for point in points if point[1] > 0 and point[2] is not None]


NODETOOL = f"dist/apache-cassandra-{distribution.SERVER}/bin/nodetool -Dcom.sun.jndi.rmiURLParsing=legacy"


def _check_outputs(plan, cluster, hosts, workload, folder):
    """Each client did its half on its own keys, and its histogram holds as many operations as its log."""
    files = {}
    for output in workload.outputs(plan, cluster, 0):
        files[output.node, output.kind] = folder / output.name
        assert hosts.fetch(output.node, output.path, str(folder / output.name))
    keys = {}
    for client in ("client-0", "client-1"):
        with files[client, "log"].open() as lines:
            reading = cassandra_stress.PARSERS[1].parse(lines)
        [[trial]] = reading.trial_sets
        assert (trial.operations, trial.errors, trial.threads) == (2000, 0, 4)
        assert (reading.facts.consistency_level, reading.facts.replication_factor) == ("QUORUM", 3)
        [keys[client]] = re.findall(
            r"Distribution: Uniform:  (min=\d+,max=\d+)\n  Order", files[client, "log"].read_text()
        )
        with files[client, "hdr"].open() as lines:
            histograms = hdr_log.PARSER.parse(lines).histograms
        assert {histogram.operation for histogram in histograms} == {"read", "write", "total"}
        assert {histogram.kind for histogram in histograms} == {LatencyKind.SERVICE_TIME}
    assert keys == {"client-0": "min=1,max=2000", "client-1": "min=2001,max=4000"}
    for member in cluster:
        with files[member.name, "samples"].open() as lines:
            assert parse_samples(lines).seconds >= 1
