"""Runs on the lab's EC2 in which only the load is light: a shell script prints what cassandra-stress printed once."""

import multiprocessing
import os
import signal
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Any

import boto3
import pytest
from django.db import connection, connections
from django.utils import timezone

from benchsite.celery import app
from runners import driver, lifecycle
from runners.choices import RunStatus
from runners.hosts import remote
from runners.hosts.hosts import output_of
from runners.load_tools import measured
from runners.load_tools.base import Job, Member, OutputFile
from runners.load_tools.cassandra_stress.cassandra_stress import CassandraStress
from runners.models import Run
from runners.plan_schema.run_plan import RunPlan
from runners.providers.aws import groups, tags
from submissions.choices import Trust
from submissions.models import Submission
from tests.factories import PriceFactory, UserFactory
from tests.files import stress_log
from tests.lab.waiting import wait_for

REGION = "us-east-1"
PLAN: dict[str, Any] = {
    "provider": "aws",
    "region": REGION,
    "zones": ["us-east-1a"],
    "service": {"name": "cassandra", "version": "5.0.9"},
    "database": {"instance_type": "m5.large", "count": 1},
    "client": {"instance_type": "m5.large", "count": 1},
    "workload": {"tool": "cassandra-stress", "operation": "write", "threads": 8, "operations": 20_000},
    "trials": 2,
    "max_duration_minutes": 60,
    "max_usd": "10",
}
FACTS = """printf '{"at": "%s", "kernel": "%s"}' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$(uname -r)" """
# What comes before the first interval at once, then a line at a time.
REPLAY = b"""\
head -n "$2" "$1"
tail -n "+$(($2 + 1))" "$1" | while IFS= read -r line; do sleep "$3"; printf '%s\\n' "$line"; done
exit "$4"
"""
CLUSTER = {"db-0": 1, "client-0": 1}
LOG = stress_log("cs40a2-01").read_bytes()


@dataclass
class LightLoad(CassandraStress):
    """Real jobs on real hosts; `logs`, `pauses` (seconds a line) and `exits` are those of the trials."""

    logs: list[bytes] = field(default_factory=lambda: [LOG, LOG.replace(b"  3853,", b"  3854,")])
    pauses: list[float] = field(default_factory=lambda: [0.01, 0.01])
    exits: list[int] = field(default_factory=lambda: [0, 0])
    install: str = "echo installing on $(uname -n)"

    def bootstrap_jobs(self, plan: RunPlan, cluster: Sequence[Member]) -> Sequence[Job]:
        names = [member.name for member in cluster]
        return [job_of("install", dict.fromkeys(names, self.install)), job_of("facts", dict.fromkeys(names, FACTS))]

    def trial_job(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Job:
        log, words = f"replay-{trial}.log", (str(self.pauses[trial]), str(self.exits[trial]))
        lines = self.logs[trial] if not self.pauses[trial] else self.logs[trial].partition(b"\ntype ")[0]
        at_once = lines.count(b"\n") + 1
        command = f"sh replay.sh {log} {at_once} {' '.join(words)}"
        files = {log: self.logs[trial], "replay.sh": REPLAY}
        clients = _clients(cluster)
        return job_of(f"trial-{trial}", dict.fromkeys(clients, command), dict.fromkeys(clients, files))

    def outputs(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Sequence[OutputFile]:
        job = f"trial-{trial}"
        return [OutputFile(name, output_of(job), "log", trial, f"{name}-{job}.log") for name in _clients(cluster)]

    def document(self, plan: RunPlan, facts: Mapping[str, Any]) -> dict[str, Any]:
        return measured.cluster_document(plan, facts)


def _clients(cluster: Sequence[Member]) -> list[str]:
    return [member.name for member in cluster if member.role == "client"]


def job_of(name: str, commands: Mapping[str, str], files: Mapping[str, Mapping[str, bytes]] | None = None) -> Job:
    return Job(name, commands, files or {}, expected_seconds=3, timeout_seconds=7200, log_path=output_of(name))


def record_prices(usd: str) -> None:
    """`usd` for an hour of m5.large, and the volume of 40 GiB that it starts from."""
    for sku, unit, amount in (("m5.large", "hour", usd), ("gp3", "gib_month", "0.08")):
        PriceFactory(
            provider="aws",
            region=REGION,
            sku=sku,
            unit=unit,
            pricing_model="on_demand",
            usd=Decimal(amount),
            valid_from=date(2026, 1, 1),
        )


def queued_run(**changes: Any) -> Run:
    """A confirmed run; keywords change the plan."""
    plan = {**PLAN, **changes}
    RunPlan.model_validate(plan)
    run = Run.objects.create(
        owner=UserFactory(),
        provider=plan["provider"],
        plan=plan,
        max_usd=Decimal(plan["max_usd"]),
        worst_case_usd=Decimal("0.1"),
        tag=f"faults-{int(timezone.now().timestamp() * 1e6)}",
    )
    lifecycle.advance(run, RunStatus.QUEUED, confirmed_at=timezone.now())
    return run


def give_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that has fallen silent is lost after seconds, with its kept connection too."""
    quick = replace(remote.KEPT, connect_seconds=2.0, pause_seconds=0.1, keepalive_seconds=1.0)
    monkeypatch.setattr(remote, "KEPT", quick)


def driven(run: Run, until: Callable[[Run], object] = lambda run: False, *, seconds: float = 300) -> Run:
    """The run after as many steps as it needs to end, or to be as `until` says."""

    def steps() -> bool:
        run.refresh_from_db()
        while not (run.is_final or until(run)):
            before = run.status, dict(run.state)
            driver.drive_once(run)
            run.refresh_from_db()
            if (run.status, run.state) == before:
                return False  # it waits for something: to ask all the time would only slow that down
        return True

    try:
        wait_for(steps, "the run is where it shall be", seconds=seconds, every=0.2)
    except TimeoutError as error:
        raise AssertionError(f"still {run.status} {run.state} {run.progress}\n{said(run)}") from error
    return run


def driven_to(run: Run, status: str) -> Run:
    driven(run, lambda run: run.status == status)
    assert run.status == status, f"{run.end_reason}: {run.end_detail}\n{said(run)}"
    return run


def in_trial(number: int) -> Callable[[Run], object]:
    """The load tool prints in the trial, counted from 1."""
    return lambda run: run.outputs.filter(trial=number - 1, offset_bytes__gt=0).exists()


def said(run: Run) -> str:
    return "\n".join(f"{event.at:%H:%M:%S} {event.new_status or ''} {event.message}" for event in run.events.all())


def kill_a_worker(run: Run, *, before_write: int) -> bool:
    """Do a step in a process of its own, which kill -9 ends when it would write to the database the so-manieth time.

    False when the step was over before: then nobody was killed.
    """
    # A connection that two processes use is broken. The child would close those to the broker by itself, and wait
    # for an answer that is its parent's.
    connections.close_all()
    app.pool.force_close_all(close_pool=False)
    app.pool.setup()
    worker = multiprocessing.get_context("fork").Process(target=_work_until_killed, args=(run.pk, before_write))
    worker.start()
    worker.join(120)
    if worker.is_alive():
        worker.kill()
        worker.join()
        raise AssertionError(f"the worker hung before write {before_write}")
    assert worker.exitcode in (0, -signal.SIGKILL), f"the worker ended with {worker.exitcode}"
    run.refresh_from_db()
    return worker.exitcode == -signal.SIGKILL


def _work_until_killed(run_id: int, before_write: int) -> None:
    # A connection that was opened before the browser tests' event loop ran is the parent's: not to be used here, nor
    # to be closed, which it would be when nobody had a reference to it.
    inherited = [(one, one.connection) for one in connections.all(initialized_only=True)]
    for one, _ in inherited:
        one.connection = None
    left = before_write

    def watch(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal left
        if sql.lstrip().startswith(("UPDATE", "INSERT", "DELETE")):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        driver.drive_once(Run.objects.get(pk=run_id))
    os._exit(0)


@dataclass(frozen=True)
class InCloud:
    """What EC2 has with the run's tag, asked by plain boto3."""

    left: tuple[str, ...]  # ids of whatever still exists
    ever: Counter[str]  # machines ever made, by name


def in_cloud(run: Run) -> InCloud:
    ec2 = boto3.client("ec2", region_name=REGION)
    by_tag = [{"Name": "tag:benchsite:run", "Values": [run.tag]}]
    reservations = ec2.describe_instances(Filters=by_tag)["Reservations"]
    instances = [one for reservation in reservations for one in reservation["Instances"]]
    requests = ec2.describe_spot_instance_requests(Filters=by_tag)["SpotInstanceRequests"]
    left = [
        *(one["InstanceId"] for one in instances if one["State"]["Name"] != "terminated"),
        *(one["SpotInstanceRequestId"] for one in requests if one["State"] in ("open", "active")),
        *(one["VolumeId"] for one in ec2.describe_volumes(Filters=by_tag)["Volumes"]),
        *(one["GroupId"] for one in ec2.describe_security_groups(Filters=by_tag)["SecurityGroups"]),
        *(one["KeyName"] for one in ec2.describe_key_pairs(Filters=by_tag)["KeyPairs"]),
    ]
    ec2.close()
    return InCloud(tuple(left), Counter(_name(one) for one in instances))


def _name(instance: Mapping[str, Any]) -> str:
    names = groups.unpack(tags.values(instance)[tags.NAMES])
    return names[instance["AmiLaunchIndex"]]


def assert_ended(run, status, reason, *, made=CLUSTER, trials=None):
    """The end, nothing left, no machine made twice, and a submission with `trials` or none."""
    assert (run.status, run.end_reason) == (status, reason), f"{run.end_detail}\n{said(run)}"
    found = in_cloud(run)
    assert found.left == ()
    assert found.ever == Counter(made)
    assert run.receipt is None or run.receipt["left"] == 0
    assert (run.ssh_key, run.host_key) == (None, None)
    if trials is None:
        assert run.submission is None
        assert not Submission.objects.exists()
    else:
        assert (run.submission.trust, run.submission.trials_count) == (Trust.RUN_BY_US, trials)
        assert Submission.objects.count() == 1


def assert_succeeded(run):
    assert_ended(run, "succeeded", "completed", trials=2)
    assert {line["name"] for line in run.receipt["machines"]} == set(CLUSTER)
