"""What an account without any rights can do by a plan on the site's own machine: a benchmark, and nothing else."""

import pytest

from runners.models import Run
from runners.providers.local import account
from tests.factories import UserFactory, bearer

pytestmark = pytest.mark.django_db
URL = "/api/v1/runs/"

CASSANDRA = {
    "provider": "local",
    "service": {"name": "cassandra", "version": "5.0.9"},
    "database": {"instance_type": "this-machine", "count": 1},
    "workload": {"tool": "cassandra-stress", "operation": "write", "threads": 4, "operations": 1000},
    "max_duration_minutes": 15,
    "max_usd": "0",
}
POSTGRESQL = {
    **CASSANDRA,
    "service": {"name": "postgresql"},
    "workload": {"tool": "pgbench", "operation": "tpcb", "duration_seconds": 5},
}
PROFILE = "keyspace: ks\ntable: t\n"


@pytest.fixture
def site(open_folder, settings):
    """A local site as `make run` starts it, whose machine has Cassandra."""
    settings.DATA_DIR = open_folder
    settings.RUN_PROVIDERS = ["local"]
    settings.RUNS_NEED_PERMISSION = False
    (open_folder / "tools/apache-cassandra-5.0.9").mkdir(parents=True)
    (open_folder / "tools/apache-cassandra-5.0.9/load-tool.version").write_text("5.0.9\n")


@pytest.fixture
def kept_apart(monkeypatch):
    """A function: whether runs have an account of their own."""

    def become(is_kept_apart):
        from importlib import import_module

        provider = import_module("runners.providers.local.provider")
        monkeypatch.setattr(provider, "has_own_account", lambda: is_kept_apart)

    become(True)
    return become


def send(client, plan, user=None):
    return client.post(URL, plan, content_type="application/json", **bearer(user or UserFactory(), scopes=["run"]))


def changed(plan, *, workload=None, **changes):
    return {**plan, **changes, "workload": {**plan["workload"], **(workload or {})}}


ATTACKS = {
    "a command when memory runs out": changed(
        CASSANDRA,
        settings={"jvm_options": ["-XX:MaxMetaspaceSize=28m", "-XX:OnOutOfMemoryError=id>/tmp/x;cat${IFS}/etc/passwd"]},
    ),
    "a debugger's port": changed(
        CASSANDRA, settings={"jvm_options": ["-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=*:5599"]}
    ),
    "a log elsewhere": changed(CASSANDRA, settings={"jvm_options": ["-Xlog:gc:file=/tmp/x"]}),
    "an archive command": changed(
        CASSANDRA, settings={"cassandra.yaml": {"audit_logging_options": {"enabled": True, "archive_command": "id"}}}
    ),
    "user-defined functions": changed(CASSANDRA, settings={"cassandra.yaml": {"user_defined_functions_enabled": True}}),
    "a class for the tables": changed(
        CASSANDRA, settings={"cassandra.yaml": {"memtable": {"configurations": {"x": {"class_name": "evil.X"}}}}}
    ),
    "options of the load tool in its operation": changed(
        CASSANDRA, workload={"operation": "write n=1 -log file=/tmp/x"}
    ),
    "a profile from elsewhere": changed(
        CASSANDRA, workload={"operation": "user profile=file:///etc/passwd ops(insert=1)", "profile": PROFILE}
    ),
    "options in the weights of a profile": changed(
        CASSANDRA,
        workload={"operation": "user", "profile": PROFILE},
        settings={"cassandra-stress": {"ops": {"insert -log file=/tmp/x": 1}}},
    ),
    "a release from another folder": changed(
        CASSANDRA, service={"name": "cassandra", "version": "5.0.9/../../../../tmp/x"}
    ),
    "a command for the archive": changed(POSTGRESQL, settings={"postgresql.conf": {"archive_command": "id"}}),
    "a library": changed(POSTGRESQL, settings={"postgresql.conf": {"shared_preload_libraries": "/tmp/x.so"}}),
    "a port": changed(POSTGRESQL, settings={"postgresql.conf": {"listen_addresses": "*"}}),
    "a second setting in a value": changed(
        POSTGRESQL, settings={"postgresql.conf": {"work_mem = '1MB'\narchive_command": "id"}}
    ),
    "months of the machine": changed(POSTGRESQL, max_duration_minutes=24 * 60),
    "more threads than the machine has": changed(CASSANDRA, workload={"threads": 10_000}),
    "settings that no run applies": changed(CASSANDRA, settings={"kernel": "tuned"}),
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_an_attack_is_refused_before_anything_starts(site, kept_apart, client, attack):
    answer = send(client, attack)

    assert answer.status_code == 400
    assert answer.json()["errors"]
    assert not Run.objects.exists()


def test_the_answer_names_the_option_and_the_reason(site, kept_apart, client):
    errors = send(client, ATTACKS["a debugger's port"]).json()["errors"]

    [detail] = [error["detail"] for error in errors if error["pointer"] == "#/workload/tool"]
    assert detail.startswith("settings: jvm_options: '-agentlib:jdwp=transport=dt_socket,server=y")
    assert "no commands, agents, files, classes or other system properties" in detail


def test_an_honest_plan_of_a_stranger_is_accepted_where_runs_are_kept_apart(site, kept_apart, client):
    tuned = {"postgresql.conf": {"shared_buffers": "64MB", "synchronous_commit": False}}

    assert send(client, changed(POSTGRESQL, settings=tuned)).status_code == 201


def test_where_runs_are_not_kept_apart_only_staff_start_them(site, kept_apart, client):
    kept_apart(False)
    staff = UserFactory(is_staff=True)

    refused, accepted = send(client, POSTGRESQL), send(client, POSTGRESQL, staff)

    assert (refused.status_code, accepted.status_code) == (403, 201)
    assert refused.json()["errors"] == [
        {
            "pointer": "#/provider",
            "detail": "Runs on this machine are for staff only: the site was not started by root, "
            "so a run could read everything that the site can read.",
        }
    ]
    assert [run.owner for run in Run.objects.all()] == [staff]


def test_the_form_says_that_the_plan_is_public_and_who_may_run_here(site, kept_apart, client):
    stranger = UserFactory()
    client.force_login(stranger)

    page = " ".join(client.get("/runs/new/").content.decode().split())
    assert "The plan is public as soon as you save it" in page
    assert "for staff only" not in page
    kept_apart(False)
    assert "Runs on this machine are for staff only" in client.get("/runs/new/").content.decode()
    client.force_login(UserFactory(is_staff=True))
    assert "for staff only" not in client.get("/runs/new/").content.decode()


def test_a_queued_run_of_a_stranger_ends_when_the_site_is_started_by_another_user(site, kept_apart, client):
    from runners import driver

    assert send(client, POSTGRESQL).status_code == 201
    run = Run.objects.get()
    kept_apart(False)
    driver.drive_once(run)
    run.refresh_from_db()

    assert (run.status, run.end_detail) == (
        "failed",
        "Runs on this machine are for staff only: the site was not "
        "started by root, so a run could read everything that the site can read.",
    )


def test_only_root_has_an_account_for_runs(monkeypatch, site):
    monkeypatch.setattr(account.os, "getuid", lambda: 1000)

    assert account.own_account() is None
    assert account.has_own_account() is False
