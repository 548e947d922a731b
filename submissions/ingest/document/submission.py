"""The submission document: what every way in (JSON, bulk, form, log import, a run) fills."""

from typing import Annotated, Any

from pydantic import Field, model_validator

from submissions.choices import (
    Architecture,
    ClientPlacement,
    ConsistencyLevel,
    Deployment,
    LatencyKind,
    NetworkEncryption,
    NetworkKind,
    NodeKind,
    PricingModel,
    Raid,
    Role,
    Visibility,
)
from submissions.ingest.document.bill import BillDocument
from submissions.ingest.document.disk_test import DiskTestDocument
from submissions.ingest.document.host import HostDocument
from submissions.ingest.document.slo import SloDocument
from submissions.ingest.document.strict_model import LatencyDocument, StrictModel
from submissions.ingest.document.types import (
    STRING,
    Command,
    Count,
    DataBytes,
    Embargo,
    GiB,
    HourlyUsd,
    Line,
    Moment,
    Name,
    Notes,
    Operations,
    OpsPerSecond,
    Paragraph,
    PriceSource,
    Repetitions,
    Seconds,
    Settings,
    Share,
    Short,
    Small,
    Url,
    ValueBytes,
    Version,
)
from submissions.vocabulary import Slug

MAX_TRIALS = 100
MAX_GROUPS = 20
MAX_DISK_TESTS = 5_000
MAX_HOSTS = 2_000

# What every document states, also without a value. A field that was added later is left out where it has its usual
# value: the same content has the same sum as before.
_FIRST_FIELDS = frozenset(
    {
        *("service", "measured_at", "title", "notes", "source_url", "source", "provider", "region", "zones"),
        *("nodes", "jdk", "network", "settings", "workload", "relative_base", "trials"),
    }
)
_FIRST_OF_PARTS = {
    "service": frozenset({"name", "version"}),
    "jdk": frozenset({"vendor", "version"}),
    "network": frozenset({"kind", "encryption"}),
    "workload": frozenset(
        {
            *("tool", "tool_version", "command", "operations", "consistency_level", "replication_factor", "columns"),
            *("value_bytes", "key_distribution", "key_count", "threads", "fixed_rate_ops_s", "throttle_ops_s"),
            *("requested_operations", "requested_duration_s"),
        }
    ),
}
_FIRST_OF_GROUPS = frozenset(
    {
        *("role", "count", "instance_type", "cpu_model", "vcpus", "memory_gib", "disks"),
        *("pricing_model", "hourly_usd"),
    }
)


class Service(StrictModel):
    name: Slug = Field(description="The system under test: cassandra, postgresql, ...")
    version: Version | None = None


class Disk(StrictModel):
    kind: Slug = Field(description="local-ssd, local-hdd, gp3, pd-ssd, ...")
    count: Count = 1
    size_gib: GiB | None = Field(None, description="Of one disk, GiB")
    raid: Annotated[Raid, STRING] | None = None
    filesystem: Slug | None = None
    iops: Count | None = Field(None, description="Provisioned for one disk")
    throughput_mibps: Count | None = Field(None, description="Provisioned for one disk, MiB/s")


class NodeGroup(StrictModel):
    role: Annotated[Role, STRING]
    count: Count
    instance_type: Short
    architecture: Annotated[Architecture, STRING] | None = None
    cpu_model: Name | None = None
    vcpus: Small | None = None
    memory_gib: GiB | None = None
    disks: tuple[Disk, ...] = Field((), max_length=50)
    pricing_model: Annotated[PricingModel, STRING] = PricingModel.ON_DEMAND
    kind: Annotated[NodeKind, STRING] = Field(
        NodeKind.MACHINES,
        description="managed: a service of its vendor (such as MongoDB Atlas), of which instance_type is the size",
    )
    hourly_usd: HourlyUsd | None = Field(
        None, description="USD per node and hour; overrides the price book and is shown as stated"
    )
    price_source: PriceSource = Field("", description="Where a stated hourly_usd comes from")


class Jdk(StrictModel):
    vendor: Slug | None = None
    version: Version | None = None


class Network(StrictModel):
    kind: Annotated[NetworkKind, STRING] | None = None
    encryption: Annotated[NetworkEncryption, STRING] | None = None


class WorkloadDocument(StrictModel):
    tool: Slug
    tool_version: Version | None = None
    command: Command | None = None
    operations: dict[Short, Share] | None = Field(None, description="Share of each operation type; the shares sum to 1")
    consistency_level: Annotated[ConsistencyLevel, STRING] | None = None
    replication_factor: Small | None = None
    columns: Count | None = None
    value_bytes: ValueBytes | None = Field(None, description="Of one column, bytes")
    key_distribution: Slug | None = None
    key_count: Operations | None = None
    data_bytes: DataBytes | None = Field(
        None,
        description="Payload that is stored, one copy, bytes; the mean of start and end where it changes."
        " Needed only where it does not follow from the other facts",
    )
    threads: Count | None = Field(None, description="Of one client")
    pipeline: Count | None = Field(
        None, description="Requests that a connection sends before it waits for the first answer; 1: it waits for each"
    )
    fixed_rate_ops_s: OpsPerSecond | None = Field(
        None, description="Arrival rate of an open-loop load, operations a second of all clients together"
    )
    throttle_ops_s: OpsPerSecond | None = Field(
        None,
        description="What the load tool limited the rate of its threads to (YCSB -target, cassandra-stress throttle=),"
        " operations a second of all clients together",
    )
    requested_operations: Operations | None = None
    requested_duration_s: Seconds | None = None

    @model_validator(mode="after")
    def _has_one_limit(self) -> "WorkloadDocument":
        if self.throttle_ops_s is not None and self.fixed_rate_ops_s is not None:
            raise ValueError("state either throttle_ops_s (a closed loop) or fixed_rate_ops_s (an open loop), not both")
        return self

    @model_validator(mode="after")
    def _shares_sum_to_one(self) -> "WorkloadDocument":
        if self.operations is None and self.command is None:
            raise ValueError(
                'needs operations or command: state "workload": {"operations": {"read": 0.5, "write": 0.5}} (the share'
                ' of each type; of one type alone {"write": 1}) or "workload": {"command": "the command line"}'
            )
        if self.operations is not None:
            if not 1 <= len(self.operations) <= 50:
                raise ValueError("operations needs 1 to 50 types")
            total = sum(self.operations.values())
            if abs(total - 1) > 0.005:
                raise ValueError(f"the shares of operations sum to {total:.4g}, not to 1")
        return self


class TrialDocument(StrictModel):
    throughput_ops_s: OpsPerSecond | None = Field(
        None, description="Successful operations a second, all clients together"
    )
    relative_throughput: OpsPerSecond | None = Field(
        None, description="Only for historical sources that give ratios; never ranked"
    )
    operations: Operations | None = Field(None, description="Successful ones")
    errors: Operations | None = None
    duration_s: Seconds | None = None
    started_at: Moment | None = None
    threads: Count | None = Field(
        None, description="Of one client, where it differs by trial: such trials are a load curve"
    )
    offered_ops_s: OpsPerSecond | None = Field(
        None,
        description="Rate that the load tool offered in this trial, all clients together, where it differs by trial:"
        " such trials are a load curve",
    )
    client_count: Count | None = None
    averaged_over: Repetitions | None = Field(
        None, description="The number of repetitions of which the source gives only the mean"
    )
    latency_kind: Annotated[LatencyKind, STRING] = LatencyKind.UNKNOWN
    latency_ms: LatencyDocument = LatencyDocument()

    @model_validator(mode="after")
    def _has_one_throughput(self) -> "TrialDocument":
        if (self.throughput_ops_s is None) == (self.relative_throughput is None):
            raise ValueError("needs throughput_ops_s")
        if self.operations == 0:
            raise ValueError("has no successful operation: there is no throughput to record")
        return self


class Publication(StrictModel):
    """Who may see the result. It is no part of the content: neither of its hash nor of the stored document."""

    visibility: Annotated[Visibility, STRING] = Field(
        Visibility.PUBLIC,
        description="public: everyone; unlisted: those who have its secret link; private: you alone",
    )
    embargo_until: Embargo | None = Field(
        None,
        description="Public from then on, whatever `visibility` is; until then `public` behaves as `private`."
        " A time, or a day (UTC)",
    )


class ClusterDocument(Publication):
    """Everything but the trials: what an import's `metadata` holds."""

    service: Service
    measured_at: Moment | None = None
    title: Line = ""
    notes: Notes = ""
    source_url: Url | None = None
    source: Paragraph = ""
    provider: Slug
    region: Slug | None = None
    zones: tuple[Slug, ...] = Field((), max_length=50)
    nodes: tuple[NodeGroup, ...] = Field(min_length=1, max_length=MAX_GROUPS)
    jdk: Jdk | None = None
    network: Network | None = None
    settings: Settings = Field(default_factory=dict)
    workload: WorkloadDocument
    client_placement: Annotated[ClientPlacement, STRING] | None = Field(
        None, description="on_database: the load clients ran on a machine of the database, and took CPU time from it"
    )
    deployment: Annotated[Deployment, STRING] | None = Field(
        None,
        description="How the database runs; without it managed where its nodes are, else bare_metal or vm by the name"
        " of their type at a known cloud, else unknown",
    )
    series: Short | None = Field(
        None,
        description="Of systems that you measured in turns (a trial of each, then the next of each), the same for each;"
        " with `started_at` of all trials they are compared round by round",
    )
    slo: SloDocument | None = Field(
        None, description="Of a load curve (trials at several loads): the limit that you measured it for"
    )
    relative_base: Line = Field("", description="What a relative throughput of 1 or 100 refers to")
    hosts: tuple[HostDocument, ...] = Field(
        (), max_length=MAX_HOSTS, description="What the hosts did during the trials"
    )
    disk_tests: tuple[DiskTestDocument, ...] = Field(
        (), max_length=MAX_DISK_TESTS, description="What fio or iozone measured on the hosts, without the database"
    )
    bill: BillDocument | None = Field(None, description="What the whole test cost, set-up and clients included")

    @model_validator(mode="after")
    def _has_a_database_group(self) -> "ClusterDocument":
        if not any(group.role == Role.DATABASE for group in self.nodes):
            raise ValueError('nodes needs a group with role "database"')
        return self

    @model_validator(mode="after")
    def _is_deployed_in_one_way(self) -> "ClusterDocument":
        if self.database.kind == NodeKind.MANAGED and self.deployment not in (None, Deployment.MANAGED):
            raise ValueError(f'the database nodes are managed, so deployment cannot be "{self.deployment}"')
        return self

    @property
    def database(self) -> NodeGroup:
        """The largest database group: the lists show its hardware."""
        groups = [group for group in self.nodes if group.role == Role.DATABASE]
        return max(groups, key=lambda group: group.count)

    def count(self, role: Role) -> int:
        return sum(group.count for group in self.nodes if group.role == role)


class SubmissionDocument(ClusterDocument):
    """A whole submission: the body of POST /api/v1/submissions/."""

    trials: tuple[TrialDocument, ...] = Field(min_length=1, max_length=MAX_TRIALS)

    @model_validator(mode="after")
    def _one_kind_of_throughput(self) -> "SubmissionDocument":
        kinds = {trial.throughput_ops_s is None for trial in self.trials}
        if len(kinds) > 1:
            raise ValueError("trials must be all absolute or all relative")
        if True in kinds and not self.relative_base:
            raise ValueError("relative_base must state what a relative throughput refers to")
        return self

    def content(self, *, exclude_none: bool = False) -> dict[str, Any]:
        """As JSON, without who may see it."""
        hidden = {*Publication.model_fields, *(name for name in _ADDED_FIELDS if not getattr(self, name))}
        content = self.model_dump(mode="json", exclude=hidden, exclude_none=exclude_none)
        for part, name in _ADDED_TO_PARTS:
            if content.get(part) and content[part].get(name) is None:
                content[part].pop(name, None)
        for group in content["nodes"]:
            for name, usual in _ADDED_TO_GROUPS:
                if name in group and group[name] == usual:
                    del group[name]
        return content

    @property
    def is_relative(self) -> bool:
        return self.trials[0].throughput_ops_s is None


_ADDED_FIELDS = tuple(SubmissionDocument.model_fields.keys() - _FIRST_FIELDS - Publication.model_fields.keys())
_PARTS: dict[str, type[StrictModel]] = {
    "service": Service,
    "jdk": Jdk,
    "network": Network,
    "workload": WorkloadDocument,
}
_ADDED_TO_PARTS = tuple(
    (part, name) for part, kind in _PARTS.items() for name in kind.model_fields if name not in _FIRST_OF_PARTS[part]
)
_ADDED_TO_GROUPS = tuple(
    (name, field.default) for name, field in NodeGroup.model_fields.items() if name not in _FIRST_OF_GROUPS
)
