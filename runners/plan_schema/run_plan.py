"""What a run does: validated without a cloud, a database or a clock."""

import re
from decimal import Decimal
from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator, model_validator

from runners.choices import Diagnosis
from runners.plan_schema.load_plan import LoadPlan, ThreadsStep
from submissions.choices import ConsistencyLevel, PricingModel, Role
from submissions.ingest.document.strict_model import StrictModel
from submissions.ingest.document.submission import Disk, Jdk, Service
from submissions.ingest.document.types import NUMBER, STRING, Count, Line, OpsPerSecond, Settings, Short
from submissions.vocabulary import Slug

THIS_MACHINE = "this-machine"  # the instance type of a plan for this machine: its processor identifies it
MAX_NODES = 1_000
MAX_DURATION_MINUTES = 24 * 60
MAX_RUN_USD = Decimal(100_000)
MAX_TRAFFIC_USD_PER_GB = Decimal(10)
NEW = {"is_new": True}  # the context of a plan that is not stored yet: one that is was accepted by older rules
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z ._+~:()/-]*")


class NodesPlan(StrictModel):
    instance_type: Short
    count: Annotated[int, NUMBER, Field(ge=1, le=MAX_NODES, strict=True)]
    disks: tuple[Disk, ...] = Field((), max_length=10)


class WorkloadPlan(StrictModel):
    """`operation` is the load tool's term: write, read, mixed, tpcb, select, ..."""

    tool: Slug  # cassandra-stress, latte, pgbench, ycsb
    operation: Short
    consistency_level: Annotated[ConsistencyLevel, STRING] | None = None
    replication_factor: Annotated[int, NUMBER, Field(ge=1, le=100, strict=True)] = 1
    threads: Annotated[int, NUMBER, Field(ge=1, le=10_000, strict=True)] | None = None  # per client
    fixed_rate_ops_s: OpsPerSecond | None = None  # of all clients together
    operations: Annotated[int, NUMBER, Field(ge=1, le=10**12, strict=True)] | None = None
    duration_seconds: Annotated[int, NUMBER, Field(ge=1, le=24 * 3600, strict=True)] | None = None
    columns: Annotated[int, NUMBER, Field(ge=1, le=1_000, strict=True)] | None = None
    value_bytes: Annotated[int, NUMBER, Field(ge=1, le=10**7, strict=True)] | None = None
    read_share: Annotated[float, NUMBER, Field(ge=0, le=1)] | None = None  # of a mixed operation
    scale: Count | None = None  # pgbench -s
    prefill: Annotated[int, NUMBER, Field(ge=0, le=10**12, strict=True)] | None = None
    profile: Annotated[str, Field(max_length=50_000, strict=True)] | None = None  # user profile, YAML
    pause_seconds: Annotated[int, NUMBER, Field(ge=0, le=3600, strict=True)] = 0  # between trials
    disk_test: Annotated[bool, Field(strict=True)] = False  # fio on the database hosts first

    @model_validator(mode="after")
    def _is_complete(self) -> "WorkloadPlan":
        if (self.operations is None) == (self.duration_seconds is None):
            raise ValueError("needs either operations or duration_seconds")
        if self.operation == "mixed" and self.read_share is None:
            raise ValueError("a mixed operation needs read_share")
        if self.operation == "user" and not self.profile:
            raise ValueError("a user operation needs profile")
        return self


class RunPlan(StrictModel):
    """The body of POST /api/v1/runs/."""

    title: Line = ""
    provider: Slug
    region: Slug | None = None
    zones: tuple[Slug, ...] = Field((), max_length=10)
    service: Service
    database: NodesPlan
    client: NodesPlan | None = None  # None only where the provider has no separate clients
    pricing_model: Annotated[PricingModel, STRING] = PricingModel.ON_DEMAND
    allow_equivalent_type: Annotated[bool, Field(strict=True)] = False  # where no machine of a type can be had
    jdk: Jdk | None = None
    settings: Settings = Field(default_factory=dict)
    workload: WorkloadPlan
    load: LoadPlan | None = None  # None: the load of `workload` in every trial
    diagnosis: Annotated[Diagnosis, STRING] = Diagnosis.ON_FAILURE  # always: published with the result
    cpu_profile: Annotated[bool, Field(strict=True)] = False  # one more trial with a profiler in the first node
    trials: Annotated[int, NUMBER, Field(ge=1, le=20, strict=True)] = 3
    # the longest is the provider's: see plans/faults.py
    max_duration_minutes: Annotated[
        int, NUMBER, Field(ge=1, strict=True, json_schema_extra={"maximum": MAX_DURATION_MINUTES})
    ]
    max_usd: Annotated[Decimal, Field(ge=0, le=MAX_RUN_USD, max_digits=12, decimal_places=4)]
    # between zones, of the sender and the receiver together: used where the price book has no price for the region
    traffic_usd_per_gb: (
        Annotated[Decimal, Field(gt=0, le=MAX_TRAFFIC_USD_PER_GB, max_digits=12, decimal_places=8)] | None
    ) = None

    @field_validator("title")
    @classmethod
    def _has_words(cls, title: str, info: ValidationInfo) -> str:
        if info.context == NEW and title and not any(map(str.isalnum, title)):
            raise ValueError("needs a letter or a digit")
        return title

    @field_validator("service")
    @classmethod
    def _has_a_version(cls, service: Service, info: ValidationInfo) -> Service:
        if info.context == NEW and service.version and not _VERSION.fullmatch(service.version):
            raise ValueError(f"{service.version} is no version: state one such as 16.2 or 5.0.9")
        return service

    @model_validator(mode="after")
    def _is_consistent(self) -> "RunPlan":
        if self.workload.replication_factor > self.database.count:
            raise ValueError(
                f"replication factor {self.workload.replication_factor} needs as many database "
                f"nodes; the plan has {self.database.count}"
            )
        if self.pricing_model not in (PricingModel.ON_DEMAND, PricingModel.SPOT):
            raise ValueError("runs use on-demand or spot machines: reservations last for years")
        if len(set(self.zones)) != len(self.zones):
            raise ValueError("zones must not repeat")
        if len(self.zones) > self.database.count:
            raise ValueError("there must not be more zones than database nodes")
        return self

    @property
    def is_spot(self) -> bool:
        return self.pricing_model == PricingModel.SPOT

    @property
    def node_count(self) -> int:
        return self.database.count + (self.client.count if self.client else 0)

    @property
    def most_trials(self) -> int:
        """How many trials there are at most: a search decides while it runs."""
        if self.load is None:
            return self.trials
        return self.load.max_steps if self.load.steps is None else len(self.load.steps) * self.trials

    @property
    def heaviest(self) -> "RunPlan":
        """The plan with the most threads of its steps: what the database must be prepared for."""
        steps = self.load.steps if self.load else None
        counts = [step.threads for step in steps or () if isinstance(step, ThreadsStep)]
        return self.at_load(threads=max([*counts, self.workload.threads or 0])) if counts else self

    def at_load(self, **workload: Any) -> "RunPlan":
        """The plan of one step: `workload` changes that part, and no other load is left."""
        return self.model_copy(update={"load": None, "workload": self.workload.model_copy(update=workload)})

    def node_names(self) -> list[tuple[str, str, int]]:
        """(name, role, index) of each machine; database nodes come first."""
        names = [(node_name(Role.DATABASE, index), "database", index) for index in range(self.database.count)]
        if self.client:
            names += [(node_name(Role.CLIENT, index), "client", index) for index in range(self.client.count)]
        return names

    def zone_of(self, index: int) -> str | None:
        """Database nodes alternate between the zones; all clients are in the first."""
        return self.zones[index % len(self.zones)] if self.zones else None


def node_name(role: str, index: int) -> str:
    """The name of the first machine with this role and index."""
    return f"db-{index}" if role == Role.DATABASE else f"client-{index}"


def as_json(plan: RunPlan) -> dict[str, Any]:
    """Without a load where the plan has only one, and without a price where it states none: as before they existed."""
    content = plan.model_dump(mode="json")
    for name in ("load", "traffic_usd_per_gb"):
        if content[name] is None:
            content.pop(name)
    return content
