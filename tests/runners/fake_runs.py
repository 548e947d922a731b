"""A run on the fake cloud: real rows, real steps, real logs; only the machines are not there."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.utils import timezone

from runners import driver, lifecycle
from runners.choices import OutputKind, RunStatus
from runners.load_tools.base import Job, Member, OutputFile, Workload
from runners.models import Run, RunNode, RunOutput
from runners.plan_schema.run_plan import RunPlan
from runners.providers import fake
from runners.steps import bootstrap, collect, stress, submit
from runners.steps.loads import load_result, load_steps
from submissions.ingest.files.storage import store_bytes
from tests.factories import PriceFactory, UserFactory
from tests.files import stress_log

PLAN: dict[str, Any] = {
    "provider": "fake",
    "region": "us-east-1",
    "zones": ["us-east-1a", "us-east-1b", "us-east-1c"],
    "service": {"name": "cassandra", "version": "5.0.9"},
    "database": {"instance_type": "m5.xlarge", "count": 3},
    "client": {"instance_type": "m5.large", "count": 1},
    "workload": {
        "tool": "cassandra-stress",
        "operation": "write",
        "consistency_level": "QUORUM",
        "replication_factor": 3,
        "threads": 16,
        "operations": 20000,
    },
    "trials": 2,
    "max_duration_minutes": 60,
    "max_usd": "10",
}


class ReplayedStress(Workload):
    """The commands of no real tool: the fake hosts answer with what the real one printed once."""

    tool, service = "cassandra-stress", "cassandra"

    def bootstrap_jobs(self, plan: RunPlan, cluster: Sequence[Member]) -> Sequence[Job]:
        return [self._job(name, [member.name for member in cluster]) for name in ("install", "facts")]

    def trial_job(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Job:
        clients = [member.name for member in cluster if member.role == "client"]
        return self._job(f"trial-{trial}", clients)

    def outputs(self, plan: RunPlan, cluster: Sequence[Member], trial: int) -> Sequence[OutputFile]:
        return [
            OutputFile(member.name, f"/run/trial-{trial}.log", "log", trial, f"{member.name}-trial-{trial}.log")
            for member in cluster
            if member.role == "client"
        ]

    def progress(self, lines: Sequence[str]) -> Sequence[tuple[float, float, float | None]]:
        return []

    def document(self, plan: RunPlan, facts: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "service": plan.service.model_dump(),
            "provider": "aws",
            "region": plan.region,
            "measured_at": "2026-11-20T06:00:00Z",
            "nodes": [{"role": "database", "count": plan.database.count, "instance_type": "m5.xlarge"}],
        }

    def _job(self, name: str, hosts: Sequence[str]) -> Job:
        return Job(
            name=name,
            commands=dict.fromkeys(hosts, f"run {name}"),
            files={},
            expected_seconds=10,
            timeout_seconds=600,
            log_path=f"/run/{name}.log",
        )


def prepare_cloud(monkeypatch, settings) -> fake.FakeCloud:
    """An empty fake cloud whose clients print a real log of cassandra-stress at each trial."""
    settings.RUN_PROVIDERS = ["fake"]
    settings.RUN_SETTLE_SECONDS = 0
    for module in (bootstrap, stress, load_steps, load_result, collect, submit):
        monkeypatch.setattr(module, "for_plan", lambda plan: ReplayedStress())
    cloud = fake.reset()
    log = stress_log("cs40a2-03-netns").read_bytes()
    cloud.plan["trial-0"] = fake.FakeJob(log)
    cloud.plan["trial-1"] = fake.FakeJob(log.replace(b"236.8 ms", b"240.1 ms"))
    cloud.plan["facts"] = fake.FakeJob(b'{"kernel": "6.1"}')
    return cloud


def record_prices() -> None:
    for instance_type, usd in (("m5.xlarge", "0.192"), ("m5.large", "0.096")):
        PriceFactory(
            provider="fake",
            region="us-east-1",
            sku=instance_type,
            unit="hour",
            pricing_model="on_demand",
            usd=Decimal(usd),
            valid_from=date(2026, 1, 1),
        )
    PriceFactory(
        provider="fake",
        region="us-east-1",
        sku="cross-zone",
        unit="gb",
        pricing_model="on_demand",
        usd=Decimal("0.01"),
        valid_from=date(2026, 1, 1),
    )


def queued_run(owner=None, **changes) -> Run:
    """A confirmed run; keywords change the plan."""
    plan = {**PLAN, **changes}
    RunPlan.model_validate(plan)
    run = Run.objects.create(
        owner=owner or UserFactory(),
        provider=plan["provider"],
        plan=plan,
        max_usd=Decimal(plan["max_usd"]),
        worst_case_usd=Decimal("1"),
        tag=f"test-{Run.objects.count()}-{timezone.now().timestamp():.0f}",
    )
    lifecycle.advance(run, RunStatus.QUEUED, confirmed_at=timezone.now())
    return run


def kept_log(run: Run, content: bytes = b"INFO database is up\n") -> RunOutput:
    """A log of a host of this run, whose bytes stand in the storage."""
    node = RunNode.objects.create(run=run, name="db-0", role="database", index=0, instance_type="m5.large")
    return RunOutput.objects.create(
        run=run,
        node=node,
        kind=OutputKind.DIAGNOSIS,
        path="diagnosis/log/system.log",
        name="db-0-system.log",
        tail=content.decode(),
        sha256=store_bytes(content),
        size_bytes=len(content),
    )


def drive_until(run: Run, status: str | None = None, most: int = 60) -> Run:
    """Steps of a run until it has `status`, ends, or has had `most` steps."""
    for _ in range(most):
        run.refresh_from_db()
        if run.is_final or run.status == status:
            return run
        driver.drive_once(run)
    run.refresh_from_db()
    return run


def pretend_later(run: Run, by: timedelta) -> None:
    """Move what a run remembers of time into the past, in the place of waiting."""
    for field in ("deadline_at", "held_until", "due_at", "launched_at"):
        if value := getattr(run, field):
            setattr(run, field, value - by)
    run.state = {
        name: _earlier(value, by) if isinstance(value, str) and value[4:5] == "-" else value
        for name, value in run.state.items()
    }
    if asked := run.progress.get("asked_at"):
        run.progress["asked_at"] = _earlier(asked, by)
    run.save()
    for node in run.nodes.filter(launched_at__isnull=False):
        node.launched_at -= by
        node.save(update_fields=["launched_at"])


def _earlier(moment: str, by: timedelta) -> str:
    return (datetime.fromisoformat(moment) - by).isoformat()
