"""Whole runs of Cassandra on this machine: the real server, the real load tool, and nothing of them afterwards."""

import base64
import os
import shutil
import tempfile
import time
from pathlib import Path

import pytest
import yaml
from django.conf import settings

from benchsite.processes import embedded, embedded_servers
from runners.databases import jvm_options
from runners.distributions import maven, tools
from submissions.choices import LatencyKind
from tests.lab import distribution
from tests.runners.test_local_run import commands

LIMIT_SECONDS = 600  # on an idle machine a run takes half a minute
VERSION = distribution.SERVER
PLAN = {
    "provider": "local",
    "service": {"name": "cassandra", "version": VERSION},
    "database": {"instance_type": "this-machine", "count": 1},
    "settings": {
        "heap": "256M",
        # one node of 2,000 rows: nobody to wait for, and no code that is worth a second compilation
        "jvm_options": [
            "-XX:MaxDirectMemorySize=128M",
            "-XX:TieredStopAtLevel=1",
            "-Dcassandra.skip_wait_for_gossip_to_settle=0",
        ],
    },
    "workload": {
        "tool": "cassandra-stress",
        "operation": "write",
        "consistency_level": "ONE",
        "threads": 4,
        "operations": 2_000,
    },
    "trials": 1,
    "max_duration_minutes": 15,
    "max_usd": "0",
}


@pytest.fixture
def data_folder(open_folder, settings):
    settings.DATA_DIR = open_folder
    settings.RUN_PROVIDERS = ["local"]
    return open_folder


@pytest.fixture(scope="module")
def unpacked():
    """The distribution that the lab keeps, unpacked once."""
    if tools.best_java() is None:
        pytest.skip("there is no Java 11 or newer")
    if shutil.which("mvn") is None:
        pytest.skip("there is no mvn to fetch Cassandra with")
    folder = Path(tempfile.mkdtemp(prefix="tools-", dir=settings.DATA_DIR))
    yield tools.unpack(folder, distribution.composed(VERSION), VERSION)
    shutil.rmtree(folder)


@pytest.fixture
def fetched(data_folder, unpacked):
    """A distribution where the site's own tools would be; its files are those of the unpacked one, linked."""
    return Path(shutil.copytree(unpacked, data_folder / "tools" / unpacked.name, copy_function=os.link))


@pytest.fixture
def fetched_ycsb(fetched):
    home = distribution.ycsb()
    return Path(shutil.copytree(home, fetched.with_name(home.name)))


@pytest.fixture
def fetched_latte(fetched):
    home = distribution.latte()
    if home is None:
        pytest.skip("latte is not in the lab's cache: cargo would build it for minutes")
    return Path(shutil.copytree(home, fetched.with_name(home.name)))


@pytest.fixture
def confirmed(transactional_db, data_folder):
    """A function: a queued run of a plan. Nothing of it survives the test."""
    from runners import creation
    from runners.providers.registry import provider_for
    from tests.factories import UserFactory

    made = []

    def make(plan):
        run = creation.create_run(plan, UserFactory())
        creation.confirm(run)
        made.append(run)
        return run

    yield make
    for run in made:
        wait_until(lambda run=run: provider_for("local").terminate(run.tag, None))


def wait_until(happens):
    deadline = time.monotonic() + LIMIT_SECONDS
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def drive(run):
    """Be the worker until the run has ended."""
    from runners import driver

    def once():
        driver.drive_once(run)
        run.refresh_from_db()
        return run.is_final

    wait_until(once)
    return run


def test_without_a_distribution_the_plan_is_refused_with_what_is_missing(confirmed, monkeypatch):
    from benchsite.http.refusals import Refusal

    monkeypatch.setattr(tools, "best_java", lambda: None)
    with pytest.raises(Refusal) as refused:
        confirmed(PLAN)

    assert [(fault.pointer, fault.detail) for fault in refused.value.faults] == [
        (
            "#/service/name",
            "this machine runs postgresql: Cassandra here needs Java 11 or newer (Java 17 is best) "
            "and a distribution: make cassandra",
        ),
    ]


@pytest.fixture
def open_list(monkeypatch):
    """As if the list of allowed options had a hole."""
    monkeypatch.setattr(jvm_options, "is_allowed", lambda option: True)


@pytest.mark.lab
@pytest.mark.skipif(os.getuid() != 0, reason="only root's site has another account for its runs")
def test_a_command_of_the_server_reads_nothing_of_the_site(confirmed, fetched, data_folder, open_list):
    """The attack that once read the site's database, on a site that would let it through."""
    key = Path(data_folder / "secret_key")
    key.write_text("the secret key")
    key.chmod(0o600)
    place, psql = embedded.place_of(os.environ["DATA_DIR"]), embedded_servers.postgres_bin() / "psql"
    loot = data_folder / "runs/loot"
    loot.mkdir(parents=True)
    loot.chmod(0o777)
    theft = f"(id;cat {key};{psql} -h {place.sockets} -U postgres -c 'SELECT 1')>{loot}/all 2>&1"
    command = f"echo${{IFS}}{base64.b64encode(theft.encode()).decode()}|base64${{IFS}}-d|sh"
    options = ["-XX:MaxMetaspaceSize=28m", f"-XX:OnOutOfMemoryError={command}"]
    run = drive(confirmed({**PLAN, "settings": {"heap": "256M", "jvm_options": options}}))

    assert (run.status, run.end_reason) == ("failed", "bootstrap_failed")
    text = (loot / "all").read_text()
    assert "(benchrun)" in text
    assert text.count("Permission denied") == 2
    assert "the secret key" not in text


@pytest.mark.lab
def test_the_cql_of_a_profile_brings_no_code(confirmed, fetched):
    function = "CREATE FUNCTION ks.f (x int) RETURNS NULL ON NULL INPUT RETURNS int LANGUAGE java AS 'return 1;';"
    profile = {
        "keyspace": "ks",
        "table": "t",
        "table_definition": "CREATE TABLE t (id int PRIMARY KEY, v text);",
        "extra_definitions": [function],
        "queries": {"one": {"cql": "SELECT * FROM t WHERE id = ?", "fields": "samerow"}},
    }
    workload = {**PLAN["workload"], "operation": "user", "profile": yaml.safe_dump(profile)}
    run = drive(confirmed({**PLAN, "workload": workload}))

    assert (run.status, run.end_reason) == ("failed", "bootstrap_failed")
    assert "User-defined functions are disabled" in run.outputs.get(path__startswith="jobs/schema").tail


@pytest.mark.lab
def test_one_node_from_the_queue_to_a_submission_and_nothing_is_left(confirmed, fetched, data_folder):
    run = drive(confirmed(PLAN))

    assert run.end_detail == ""
    assert (run.status, run.end_reason) == ("succeeded", "completed")
    submission = run.submission
    assert (submission.service, submission.service_version, submission.provider) == ("cassandra", VERSION, "local")
    assert (submission.trust, submission.trials_count, submission.hourly_usd) == ("run_by_us", 1, None)
    assert submission.document["settings"]["heap"] == "256M"
    assert submission.document["workload"]["tool_version"] == maven.STRESS
    [trial] = submission.trials.all()
    assert (trial.operations, trial.errors) == (2_000, 0)
    assert trial.throughput_ops_s == pytest.approx(trial.operations / trial.duration_s, rel=0.05)
    assert run.receipt["left"] == 0
    assert commands(run, data_folder / "runs") == []
    assert list((data_folder / "runs").iterdir()) == []
    assert (fetched / "conf/cassandra.yaml").read_text().startswith("# ")  # the run changed its own copy only
    assert not (fetched / "conf/cassandra.yaml.distributed").exists()


@pytest.mark.lab
def test_ycsb_at_a_fixed_rate_measures_from_when_each_operation_was_due(confirmed, fetched_ycsb, data_folder):
    workload = {
        "tool": "ycsb",
        "operation": "workloadf",
        "consistency_level": "ONE",
        "threads": 4,
        "fixed_rate_ops_s": 100,
        "duration_seconds": 4,
        "prefill": 500,
        "columns": 3,
        "value_bytes": 20,
    }
    run = drive(confirmed({**PLAN, "workload": workload}))

    assert run.end_detail == ""
    assert (run.status, run.end_reason) == ("succeeded", "completed")
    submission = run.submission
    assert (submission.service, submission.service_version, submission.trust) == ("cassandra", VERSION, "run_by_us")
    assert (submission.tool, submission.consistency_level) == ("ycsb", "ONE")
    assert (submission.latency_kind, submission.fixed_rate_ops_s) == (LatencyKind.RESPONSE_TIME, 100)
    [trial] = submission.trials.all()
    assert trial.errors == 0
    assert trial.throughput_ops_s == pytest.approx(100, rel=0.3)
    assert trial.latency_p50_ms < trial.latency_p99_ms
    document = submission.document["workload"]
    assert (document["columns"], document["value_bytes"], document["key_count"]) == (3, 20, 500)
    assert document["operations"] == {"read": 0.5, "read-modify-write": 0.5}
    assert run.outputs.get(path="jobs/fill/output").tail.count("[INSERT], Return=OK, 500") == 1
    assert commands(run, data_folder / "runs") == []
    assert list((data_folder / "runs").iterdir()) == []


@pytest.mark.lab
def test_latte_at_a_rate_that_limits_it(confirmed, fetched_latte, data_folder):
    workload = {
        "tool": "latte",
        "operation": "mixed",
        "read_share": 0.8,
        "consistency_level": "ONE",
        "threads": 8,
        "fixed_rate_ops_s": 100,
        "duration_seconds": 4,
        "prefill": 500,
        "columns": 3,
        "value_bytes": 20,
    }
    run = drive(confirmed({**PLAN, "workload": workload}))

    assert run.end_detail == ""
    assert (run.status, run.end_reason) == ("succeeded", "completed")
    submission = run.submission
    assert (submission.tool, submission.service_version, submission.trust) == ("latte", VERSION, "run_by_us")
    assert (submission.latency_kind, submission.throttle_ops_s) == (LatencyKind.SERVICE_TIME, 100)
    [trial] = submission.trials.all()
    assert (trial.errors, trial.threads) == (0, 8)
    assert trial.throughput_ops_s == pytest.approx(100, rel=0.3)
    assert trial.latency_p50_ms < trial.latency_p99_ms
    document = submission.document["workload"]
    assert (document["columns"], document["value_bytes"], document["key_count"]) == (3, 20, 500)
    assert document["operations"] == pytest.approx({"read": 0.8, "write": 0.2})
    assert commands(run, data_folder / "runs") == []
    assert list((data_folder / "runs").iterdir()) == []
