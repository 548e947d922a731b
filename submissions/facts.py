"""Each fact of a system, its workload and its measurement once: its words, where it is stored, what is made of it."""

from dataclasses import dataclass
from typing import TypedDict

from submissions.choices import (
    AgeMark,
    Architecture,
    Choice,
    ClientPlacement,
    ConsistencyLevel,
    DataFit,
    DateSource,
    Deployment,
    Flag,
    LatencyKind,
    LoadMode,
    NetworkEncryption,
    NetworkKind,
    PricingModel,
    Raid,
    Role,
    Trust,
)

_ONE_OF_THE_SAME_NAME = ("",)


@dataclass(frozen=True, slots=True)
class Fact:
    """Metrics, the measured quantities, are in metrics.py. See docs/adding-a-fact.md.

    `label` heads a column, a form field or a filter; `noun` is for sentences: "the JDK version is not stated".
    `columns` are those of Submission: none where only the document has the fact, two for a pair of facts.
    `place` is the dotted path in the submission document; below `nodes` and `disks`, which are lists,
    it has no index: "nodes.disks.kind".
    """

    key: str  # the name in forms, addresses and the API
    label: str
    noun: str = ""  # the label without its capital, unless stated
    columns: tuple[str, ...] = _ONE_OF_THE_SAME_NAME
    place: str = ""
    unit: str = ""
    choices: type[Choice] | None = None  # of a closed list
    is_slug: bool = False  # of an open vocabulary (vocabulary.py): a filter knows other spellings of a value
    most: int = 1_000_000  # of a whole number
    is_filter: bool = False  # lists of results can be filtered by it
    is_counted: bool = False  # beside the list: how many results have each value
    in_table: bool = False  # in tables of results, and in the rows of the API
    in_form: bool = False  # uploaders can state it beside a log
    in_configuration: bool = False  # results that differ in it are no runs of one configuration
    is_varied: bool = False  # a grid can compare two of its values, or have them as rows or columns
    in_dump: bool = True  # where it has a column
    meaning: str = ""  # behind the noun, in the schema of the dump

    def __post_init__(self) -> None:
        if not self.noun:
            object.__setattr__(self, "noun", f"{self.label[:1].lower()}{self.label[1:]}")
        if self.columns == _ONE_OF_THE_SAME_NAME:
            object.__setattr__(self, "columns", (self.key,))

    @property
    def column(self) -> str:
        """The only column. Raises ValueError where there is none, or a pair."""
        (column,) = self.columns
        return column

    @property
    def label_with_unit(self) -> str:
        """ "Column size (bytes)", for a field or a column whose values have no unit of their own."""
        return f"{self.label} ({self.unit})" if self.unit else self.label

    @property
    def path(self) -> tuple[str, ...]:
        """`place`, key by key."""
        return tuple(self.place.split(".")) if self.place else ()


class _Facet(TypedDict):
    is_filter: bool
    is_counted: bool


class _Listed(_Facet):
    in_table: bool


class _Runs(TypedDict):
    in_form: bool
    in_configuration: bool


class _Varied(_Runs):
    is_varied: bool


# What many facts have in common
_FACET: _Facet = {"is_filter": True, "is_counted": True}
_LISTED: _Listed = {**_FACET, "in_table": True}
_RUNS: _Runs = {"in_form": True, "in_configuration": True}
_VARIED: _Varied = {**_RUNS, "is_varied": True}

# In the order of the columns of the dump, of filters and of counts, unless these have one of their own.
# The submission
TITLE = Fact("title", "Title", place="title", in_table=True, in_form=True)
NOTES = Fact("notes", "Notes", place="notes", in_form=True)
SOURCE = Fact("source", "Source", place="source")
SOURCE_URL = Fact("source_url", "Source URL", "source URL", place="source_url", in_form=True)
MEASURED_AT = Fact(
    "measured_at", "Measured at", "measurement date", place="measured_at", unit="UTC", in_table=True, in_form=True
)
MEASURED_AT_SOURCE = Fact(
    "measured_at_source",
    "Measurement date from",
    "source of the measurement date",
    choices=DateSource,
    meaning="each one only where those before it are missing",
)
TRUST = Fact("trust", "Trust level", choices=Trust, meaning="lowest first", **_LISTED)
FLAG = Fact("flag", "Flag", "data-quality flag", columns=("flags",), choices=Flag, **_LISTED)
AGE = Fact("age", "Age", "note on age", columns=(), choices=AgeMark, **_FACET)  # of a day: see submissions/age/
TRIALS = Fact("trials", "Trials", "number of trials", columns=("trials_count",), place="trials", in_table=True)

# Whose it is
LICENSE = Fact("license", "Licence", **_FACET)
PACK = Fact("pack", "Pack", "pack that it came with", **_FACET)
ATTRIBUTION = Fact("attribution", "Attribution", in_table=True)

# The database and where it ran
SERVICE = Fact("service", "Database", place="service.name", is_slug=True, in_form=True, **_LISTED)
SERVICE_VERSION = Fact(
    "service_version", "Database version", place="service.version", is_filter=True, in_table=True, **_VARIED
)
PROVIDER = Fact(
    *("provider", "Provider"),
    place="provider",
    is_slug=True,
    meaning="a cloud, on-premises, or local",
    **_LISTED,
    **_VARIED,
)
REGION = Fact(
    "region", "Region", place="region", is_slug=True, meaning="as the provider names it", **_LISTED, **_VARIED
)
ZONES = Fact("zones", "Zones", place="zones", meaning="of the nodes", in_form=True)
SETTINGS = Fact("settings", "Settings", columns=(), place="settings")

# The machines: a submission's columns hold those of its largest database group
ROLE = Fact("role", "Role", columns=(), place="nodes.role", choices=Role, in_form=True)
GROUP_COUNT = Fact("count", "Nodes", "node count", columns=(), place="nodes.count", in_form=True)
INSTANCE_TYPE = Fact(
    *("instance_type", "Instance type"),
    place="nodes.instance_type",
    meaning="of the largest group of database nodes",
    **_LISTED,
    **_VARIED,
)
MACHINE_FAMILY = Fact(
    *("machine_family", "Machine family"),
    meaning="by the name of that type: m5, n2-standard, Dsv5; unknown where it has none",
    **_FACET,
)
ARCHITECTURE = Fact(
    *("architecture", "Architecture"),
    place="nodes.architecture",
    choices=Architecture,
    meaning="of the database nodes",
    in_form=True,
    is_varied=True,
    **_FACET,
)
DEPLOYMENT = Fact(
    *("deployment", "Deployment"),
    place="deployment",
    choices=Deployment,
    meaning="of the database; if not stated, by the kind of its nodes and the name of their type",
    in_form=True,
    is_varied=True,
    **_FACET,
)
CPU_MODEL = Fact(
    "cpu_model", "CPU model", "CPU model", place="nodes.cpu_model", meaning="of the database nodes", **_FACET, **_VARIED
)
VCPUS = Fact("vcpus", "vCPUs", "number of vCPUs", place="nodes.vcpus", meaning="of one database node", **_RUNS)
MEMORY = Fact(
    "memory_gib", "Memory", place="nodes.memory_gib", unit="GiB", meaning="of one database node", in_form=True
)
DISKS = Fact("disks", "Disks", columns=(), place="nodes.disks")
DISK_KIND = Fact(
    *("disk_kind", "Disk type"),
    place="nodes.disks.kind",
    is_slug=True,
    meaning="of the disks that hold the database's data",
    **_LISTED,
    **_VARIED,
)
DISK_COUNT = Fact(
    "disk_count", "Disks per node", "number of disks per node", columns=(), place="nodes.disks.count", in_form=True
)
DISK_SIZE = Fact("disk_size_gib", "Disk size", columns=(), place="nodes.disks.size_gib", unit="GiB", in_form=True)
DISK_RAID = Fact("disk_raid", "RAID", "RAID level", columns=(), place="nodes.disks.raid", choices=Raid, in_form=True)
DISK_FILESYSTEM = Fact("disk_filesystem", "File system", columns=(), place="nodes.disks.filesystem")
DISK_IOPS = Fact(
    *("disk_iops", "Provisioned IOPS per disk", "provisioned IOPS per disk"),
    columns=(),
    place="nodes.disks.iops",
    in_form=True,
)
DISK_THROUGHPUT = Fact(
    *("disk_throughput_mibps", "Provisioned throughput per disk"),
    columns=(),
    place="nodes.disks.throughput_mibps",
    unit="MiB/s",
)
NODE_COUNT = Fact(
    "node_count", "Database nodes", "number of database nodes", in_configuration=True, is_varied=True, **_LISTED
)
CACHE_NODE_COUNT = Fact(
    "cache_node_count", "Cache nodes", "number of cache nodes", in_table=True, in_configuration=True
)
CLIENT_COUNT = Fact(
    *("client_count", "Load clients", "number of load clients"),
    meaning="machines that generated the load",
    in_configuration=True,
    is_varied=True,
)
CLIENT_PLACEMENT = Fact(
    *("client_placement", "Load clients run on", "placement of the load clients"),
    place="client_placement",
    choices=ClientPlacement,
    meaning="on_database: they took CPU time from the database",
    is_filter=True,
    in_form=True,
)
PRICING_MODEL = Fact(
    *("pricing_model", "Pricing model"),
    place="nodes.pricing_model",
    choices=PricingModel,
    meaning="of the database nodes",
    is_filter=True,
    in_form=True,
)
NODE_HOURLY_USD = Fact("hourly_usd", "Price per node", columns=(), place="nodes.hourly_usd", unit="USD/h", in_form=True)

# Software and network
JDK_VENDOR = Fact(
    *("jdk_vendor", "JDK vendor", "JDK vendor"),
    place="jdk.vendor",
    is_slug=True,
    meaning="of the database",
    **_LISTED,
    **_RUNS,
)
JDK_VERSION = Fact(
    "jdk_version", "JDK version", "JDK version", place="jdk.version", meaning="of the database", **_LISTED, **_RUNS
)
JDK = Fact("jdk", "JDK", "JDK", ("jdk_vendor", "jdk_version"), place="jdk", is_varied=True)
NETWORK_KIND = Fact("network_kind", "Network", place="network.kind", choices=NetworkKind, is_filter=True, **_VARIED)
NETWORK_ENCRYPTION = Fact(
    *("network_encryption", "Network encryption"),
    place="network.encryption",
    choices=NetworkEncryption,
    is_filter=True,
    **_VARIED,
)

# The workload and its load
WORKLOAD = Fact("workload", "Workload", **_LISTED)
TOOL = Fact("tool", "Load tool", place="workload.tool", is_slug=True, **_LISTED)
TOOL_VERSION = Fact("tool_version", "Load tool version", place="workload.tool_version", in_form=True)
COMMAND = Fact("command", "Command line", columns=(), place="workload.command", in_form=True)
OPERATION = Fact("operation", "Operation", meaning="write, read, mixed, ...", **_LISTED)
OPERATION_MIX = Fact("operations", "Operation mix", columns=(), place="workload.operations")
CONSISTENCY_LEVEL = Fact(
    *("consistency_level", "Consistency level"),
    place="workload.consistency_level",
    choices=ConsistencyLevel,
    meaning="as the database names it",
    in_form=True,
    **_LISTED,
)
REPLICATION_FACTOR = Fact(
    *("replication_factor", "Replication factor"),
    place="workload.replication_factor",
    most=10_000,
    meaning="copies of each row",
    in_form=True,
    **_LISTED,
)
COLUMNS = Fact("columns", "Columns per row", "number of columns", columns=(), place="workload.columns", in_form=True)
VALUE_BYTES = Fact("value_bytes", "Column size", columns=(), place="workload.value_bytes", unit="bytes", in_form=True)
KEY_COUNT = Fact("key_count", "Keys", "number of keys", columns=(), place="workload.key_count", in_form=True)
KEY_DISTRIBUTION = Fact(
    "key_distribution", "Key distribution", columns=(), place="workload.key_distribution", in_form=True
)
DATA_BYTES = Fact(
    *("data_bytes", "Data", "amount of data"),
    place="workload.data_bytes",
    unit="bytes",
    meaning="one copy, payload alone; the mean of start and end",
    in_table=True,
    in_form=True,
)
DATA_TO_MEMORY = Fact(
    *("data_to_memory", "Data to memory", "ratio of data to memory"),
    meaning="data of all replicas by the memory of the database nodes",
    in_table=True,
)
DATA_FIT = Fact(
    *("data_fit", "Data against memory", "range of data to memory"),
    choices=DataFit,
    meaning="below_1: the data fits in memory",
    **_FACET,
)
PIPELINE = Fact(
    *("pipeline", "Pipeline", "requests in a pipeline"),
    columns=(),
    place="workload.pipeline",
    unit="requests",
    in_form=True,
)
LOAD_MODE = Fact(
    *("load_mode", "Load mode"),
    choices=LoadMode,
    meaning="threads is a closed loop",
    is_filter=True,
    in_table=True,
    in_configuration=True,
)
THREADS = Fact(
    *("threads", "Threads per client", "number of threads per client"),
    place="workload.threads",
    is_filter=True,
    in_table=True,
    **_VARIED,
)
THROTTLE = Fact(
    *("throttle_ops_s", "Rate limit"),
    place="workload.throttle_ops_s",
    unit="ops/s",
    meaning="that the load tool held its threads to, all clients together",
    in_table=True,
    in_form=True,
)
FIXED_RATE = Fact(
    *("fixed_rate_ops_s", "Fixed rate"),
    place="workload.fixed_rate_ops_s",
    unit="ops/s",
    meaning="of an open loop, all clients together",
    in_table=True,
    in_form=True,
)
REQUESTED_OPERATIONS = Fact(
    "requested_operations", "Requested operations", columns=(), place="workload.requested_operations"
)
REQUESTED_DURATION = Fact(
    "requested_duration_s", "Requested duration", columns=(), place="workload.requested_duration_s", unit="s"
)
DURATION = Fact("duration", "Duration class", columns=())

# The measurement, beside its metrics
LATENCY_KIND = Fact("latency_kind", "Latency kind", choices=LatencyKind, **_LISTED)
OPERATIONS_DONE = Fact("operations_done", "Operations", "number of operations", columns=("operations",))
ERRORS = Fact("errors", "Errors", "number of errors")

FACTS: dict[str, Fact] = {value.key: value for value in list(vars().values()) if isinstance(value, Fact)}
# a document's place -> its fact
BY_PLACE: dict[str, Fact] = {fact.place: fact for fact in FACTS.values() if fact.place}
# a column of Submission -> its fact
BY_COLUMN: dict[str, Fact] = {fact.column: fact for fact in FACTS.values() if len(fact.columns) == 1}
