"""A database host loses its process, its JVM, its disk or its network: the page of the run shows the cause."""

from collections.abc import Sequence
from html import unescape

import pytest

from runners.load_tools.base import Job, Member, Traces
from runners.plan_schema.run_plan import RunPlan
from runners.steps import bootstrap, collect, stress, submit
from submissions.ingest.files import storage
from tests.lab.fault_runs import LightLoad, assert_ended, driven, give_up_soon, in_trial, job_of, queued_run

pytestmark = pytest.mark.django_db(transaction=True)

# What has the place of a database: it writes a log and a commit log, takes connections, and ends when it cannot write.
# Only where it is to crash, it is a Java virtual machine.
DATABASE = b"""\
mkdir -p log data/0
mount -t tmpfs -o size=512k tmpfs data/0
echo 'password: hunter2secret' >overrides.json
(
  echo "INFO database is up" >>log/system.log
  while head -c 1000 /dev/zero >>data/0/commitlog; do sleep 0.2; done
  echo "ERROR FSWriteError in data/0/commitlog" >>log/system.log
  pkill -f light-database
) >log/stdout 2>&1 &
case $1 in
java) rmiregistry -J-XX:ErrorFile="$PWD/log/hs_err_%p.log" -J-Dname=light-database 9042 >>log/stdout 2>&1 & ;;
*) python3 listen.py name=light-database >>log/stdout 2>&1 & ;;
esac
until nc -z 127.0.0.1 9042; do sleep 0.1; done
"""
LISTEN = b"""\
import socket

server = socket.create_server(("", 9042))
while True:
    server.accept()[0].close()
"""
WATCH = "for node in {nodes}; do while nc -z -w 1 $node 9042; do echo working; sleep 0.3; done; done; exit 1"


class DatabaseLoad(LightLoad):
    traces = Traces(process="name=[l]ight-database", files=("log/stdout", "log/*.log", "overrides.json"))

    def bootstrap_jobs(self, plan: RunPlan, cluster: Sequence[Member]) -> Sequence[Job]:
        names = [member.name for member in cluster if member.role == "database"]
        commands = {name: f"sh start.sh {'java' if name == 'db-1' else 'python'}" for name in names}
        start = job_of("start", commands, {name: {"start.sh": DATABASE, "listen.py": LISTEN} for name in names})
        return [*super().bootstrap_jobs(plan, cluster), start]

    def trial_job(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Job:
        nodes = " ".join(member.address for member in cluster if member.role == "database")
        return job_of(f"trial-{trial}", {"client-0": WATCH.format(nodes=nodes)})


@pytest.fixture
def load(monkeypatch, settings, lab_network):
    settings.RUN_PROVIDERS = ["aws"]
    settings.RUN_SETTLE_SECONDS = 1
    settings.RUN_SSH_CIDR = f"{lab_network.gateway}/32"
    light = DatabaseLoad()
    for module in (bootstrap, stress, collect, submit):
        monkeypatch.setattr(module, "for_plan", lambda plan: light)
    monkeypatch.setattr("runners.diagnosis.keep.for_plan", lambda plan: light)
    give_up_soon(monkeypatch)
    return light


def test_each_way_to_lose_a_database_host_can_be_read_on_the_page_of_the_run(ec2, load, client):
    run = driven(queued_run(database={"instance_type": "m5.large", "count": 4}), in_trial(1))
    process, jvm, disk, network = (ec2.hosts[run.nodes.get(name=f"db-{index}").provider_id] for index in range(4))

    process.run("pkill -9 -f name=[l]ight-database")
    jvm.run("pkill -SEGV -f name=[l]ight-database")
    disk.run("head -c 600000 /dev/zero >/var/lib/benchsite/data/0/other", check=False)
    network.cut_link()
    run = driven(run)

    made = {"client-0": 1, **{f"db-{index}": 1 for index in range(4)}}
    assert_ended(run, "failed", "stress_failed", made=made)
    assert {cause["host"]: cause["kind"] for cause in run.diagnosis["causes"]} == {
        "db-0": "not_running",
        "db-1": "jvm_crash",
        "db-2": "disk_full",
        "db-3": "unreachable",
    }
    assert run.diagnosis["silent"] == ["db-3"]
    client.force_login(run.owner)
    page = unescape(client.get(run.get_absolute_url()).content.decode())
    for shown in (
        "The database of db-0 has stopped, and no log names an error",
        "The Java virtual machine of db-1 crashed",
        "A fatal error has been detected by the Java Runtime Environment",
        "A disk of db-2 is full",
        "No space left on device",
        "db-3 did not answer",
        "ERROR FSWriteError in data/0/commitlog",
        "Filesystem",  # df, in the state of the host
    ):
        assert shown in page
    assert "hunter2secret" not in page
    names = set(run.outputs.filter(kind="diagnosis", sha256__isnull=False).values_list("name", flat=True))
    assert {
        "db-2-kernel.log",
        "db-2-state.txt",
        "db-2-stdout",
        "db-2-system.log",
        "client-0-trial-0-output.log",
    } <= names
    settings = run.outputs.get(name="db-2-overrides.json")
    with storage.open_stored(settings.sha256) as stored:
        assert stored.read() == b"password: *masked*\n"
    address = f"/api/v1/runs/{run.pk}/logs/{settings.pk}/"
    assert b"".join(client.get(address).streaming_content) == b"password: *masked*\n"
    client.logout()
    assert client.get(address).status_code in (401, 403)
    assert "hs_err" not in client.get(run.get_absolute_url()).content.decode()
