"""Each fact of a system, its workload and its measurement once: its words, where it is stored, what is made of it."""

from dataclasses import dataclass
from typing import TypedDict, Unpack

from submissions.choices import (
    AgeMark,
    Architecture,
    Choice,
    ClientPlacement,
    ConsistencyLevel,
    DateSource,
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
    noun: str
    columns: tuple[str, ...] = ()
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


class _Attributes(TypedDict, total=False):
    place: str
    unit: str
    choices: type[Choice]
    is_slug: bool
    most: int
    is_filter: bool
    is_counted: bool
    in_table: bool
    in_form: bool
    in_configuration: bool
    is_varied: bool
    in_dump: bool
    meaning: str


def _fact(
    key: str, label: str, noun: str = "", *, column: str | None = None, **attributes: Unpack[_Attributes]
) -> Fact:
    """`noun` is the label without its capital, and the column has the key's name, unless stated."""
    column = key if column is None else column
    noun = noun or f"{label[:1].lower()}{label[1:]}"
    return Fact(key, label, noun, (column,) if column else (), **attributes)


# What many facts have in common
_FACET: _Attributes = {"is_filter": True, "is_counted": True}
_LISTED: _Attributes = {**_FACET, "in_table": True}
_RUNS: _Attributes = {"in_form": True, "in_configuration": True}
_VARIED: _Attributes = {**_RUNS, "is_varied": True}

# In the order of the columns of the dump, of filters and of counts, unless these have one of their own.
# The submission
TITLE = _fact("title", "Title", place="title", in_table=True, in_form=True)
NOTES = _fact("notes", "Notes", place="notes", in_form=True)
SOURCE = _fact("source", "Source", place="source")
SOURCE_URL = _fact("source_url", "Source URL", "source URL", place="source_url", in_form=True)
MEASURED_AT = _fact(
    "measured_at", "Measured at", "measurement date", place="measured_at", unit="UTC", in_table=True, in_form=True
)
MEASURED_AT_SOURCE = _fact(
    "measured_at_source",
    "Measurement date from",
    "source of the measurement date",
    choices=DateSource,
    meaning="each one only where those before it are missing",
)
TRUST = _fact("trust", "Trust level", choices=Trust, meaning="lowest first", **_LISTED)
FLAG = _fact("flag", "Flag", "data-quality flag", column="flags", choices=Flag, **_LISTED)
AGE = _fact("age", "Age", "note on age", column="", choices=AgeMark, **_FACET)  # of a day: see submissions/age/
TRIALS = _fact("trials", "Trials", "number of trials", column="trials_count", place="trials", in_table=True)

# Whose it is
LICENSE = _fact("license", "Licence", **_FACET)
PACK = _fact("pack", "Pack", "pack that it came with", **_FACET)
ATTRIBUTION = _fact("attribution", "Attribution", in_table=True)

# The database and where it ran
SERVICE = _fact("service", "Database", place="service.name", is_slug=True, in_form=True, **_LISTED)
SERVICE_VERSION = _fact(
    "service_version", "Database version", place="service.version", is_filter=True, in_table=True, **_VARIED
)
PROVIDER = _fact(
    *("provider", "Provider"),
    place="provider",
    is_slug=True,
    meaning="a cloud, on-premises, or local",
    **_LISTED,
    **_VARIED,
)
REGION = _fact(
    "region", "Region", place="region", is_slug=True, meaning="as the provider names it", **_LISTED, **_VARIED
)
ZONES = _fact("zones", "Zones", place="zones", meaning="of the nodes", in_form=True)
SETTINGS = _fact("settings", "Settings", column="", place="settings")

# The machines: a submission's columns hold those of its largest database group
ROLE = _fact("role", "Role", column="", place="nodes.role", choices=Role, in_form=True)
GROUP_COUNT = _fact("count", "Nodes", "node count", column="", place="nodes.count", in_form=True)
INSTANCE_TYPE = _fact(
    *("instance_type", "Instance type"),
    place="nodes.instance_type",
    meaning="of the largest group of database nodes",
    **_LISTED,
    **_VARIED,
)
MACHINE_FAMILY = _fact(
    *("machine_family", "Machine family"),
    meaning="by the name of that type: m5, n2-standard, Dsv5; unknown where it has none",
    **_FACET,
)
ARCHITECTURE = _fact(
    *("architecture", "Architecture"),
    place="nodes.architecture",
    choices=Architecture,
    meaning="of the database nodes",
    in_form=True,
    is_varied=True,
    **_FACET,
)
CPU_MODEL = _fact(
    "cpu_model", "CPU model", "CPU model", place="nodes.cpu_model", meaning="of the database nodes", **_FACET, **_VARIED
)
VCPUS = _fact("vcpus", "vCPUs", "number of vCPUs", place="nodes.vcpus", meaning="of one database node", **_RUNS)
MEMORY = _fact("memory_gib", "Memory", place="nodes.memory_gib", unit="GiB", meaning="of one database node")
DISKS = _fact("disks", "Disks", column="", place="nodes.disks")
DISK_KIND = _fact(
    *("disk_kind", "Disk type"),
    place="nodes.disks.kind",
    is_slug=True,
    meaning="of the disks that hold the database's data",
    **_LISTED,
    **_VARIED,
)
DISK_COUNT = _fact(
    "disk_count", "Disks per node", "number of disks per node", column="", place="nodes.disks.count", in_form=True
)
DISK_SIZE = _fact("disk_size_gib", "Disk size", column="", place="nodes.disks.size_gib", unit="GiB", in_form=True)
DISK_RAID = _fact("disk_raid", "RAID", "RAID level", column="", place="nodes.disks.raid", choices=Raid, in_form=True)
DISK_FILESYSTEM = _fact("disk_filesystem", "File system", column="", place="nodes.disks.filesystem")
DISK_IOPS = _fact(
    *("disk_iops", "Provisioned IOPS per disk", "provisioned IOPS per disk"),
    column="",
    place="nodes.disks.iops",
    in_form=True,
)
DISK_THROUGHPUT = _fact(
    *("disk_throughput_mibps", "Provisioned throughput per disk"),
    column="",
    place="nodes.disks.throughput_mibps",
    unit="MiB/s",
)
NODE_COUNT = _fact(
    "node_count", "Database nodes", "number of database nodes", in_configuration=True, is_varied=True, **_LISTED
)
CACHE_NODE_COUNT = _fact(
    "cache_node_count", "Cache nodes", "number of cache nodes", in_table=True, in_configuration=True
)
CLIENT_COUNT = _fact(
    *("client_count", "Load clients", "number of load clients"),
    meaning="machines that generated the load",
    in_configuration=True,
    is_varied=True,
)
CLIENT_PLACEMENT = _fact(
    *("client_placement", "Load clients run on", "placement of the load clients"),
    place="client_placement",
    choices=ClientPlacement,
    meaning="on_database: they took CPU time from the database",
    is_filter=True,
    in_form=True,
)
PRICING_MODEL = _fact(
    *("pricing_model", "Pricing model"),
    place="nodes.pricing_model",
    choices=PricingModel,
    meaning="of the database nodes",
    is_filter=True,
    in_form=True,
)
NODE_HOURLY_USD = _fact("hourly_usd", "Price per node", column="", place="nodes.hourly_usd", unit="USD/h", in_form=True)

# Software and network
JDK_VENDOR = _fact(
    *("jdk_vendor", "JDK vendor", "JDK vendor"),
    place="jdk.vendor",
    is_slug=True,
    meaning="of the database",
    **_LISTED,
    **_RUNS,
)
JDK_VERSION = _fact(
    "jdk_version", "JDK version", "JDK version", place="jdk.version", meaning="of the database", **_LISTED, **_RUNS
)
JDK = Fact("jdk", "JDK", "JDK", ("jdk_vendor", "jdk_version"), "jdk", is_varied=True)
NETWORK_KIND = _fact("network_kind", "Network", place="network.kind", choices=NetworkKind, is_filter=True, **_VARIED)
NETWORK_ENCRYPTION = _fact(
    *("network_encryption", "Network encryption"),
    place="network.encryption",
    choices=NetworkEncryption,
    is_filter=True,
    **_VARIED,
)

# The workload and its load
WORKLOAD = _fact("workload", "Workload", **_LISTED)
TOOL = _fact("tool", "Load tool", place="workload.tool", is_slug=True, **_LISTED)
TOOL_VERSION = _fact("tool_version", "Load tool version", place="workload.tool_version", in_form=True)
COMMAND = _fact("command", "Command line", column="", place="workload.command", in_form=True)
OPERATION = _fact("operation", "Operation", meaning="write, read, mixed, ...", **_LISTED)
OPERATION_MIX = _fact("operations", "Operation mix", column="", place="workload.operations")
CONSISTENCY_LEVEL = _fact(
    *("consistency_level", "Consistency level"),
    place="workload.consistency_level",
    choices=ConsistencyLevel,
    meaning="as the database names it",
    in_form=True,
    **_LISTED,
)
REPLICATION_FACTOR = _fact(
    *("replication_factor", "Replication factor"),
    place="workload.replication_factor",
    most=10_000,
    meaning="copies of each row",
    in_form=True,
    **_LISTED,
)
COLUMNS = _fact("columns", "Columns per row", "number of columns", column="", place="workload.columns", in_form=True)
VALUE_BYTES = _fact("value_bytes", "Column size", column="", place="workload.value_bytes", unit="bytes", in_form=True)
KEY_COUNT = _fact("key_count", "Keys", "number of keys", column="", place="workload.key_count", in_form=True)
KEY_DISTRIBUTION = _fact(
    "key_distribution", "Key distribution", column="", place="workload.key_distribution", in_form=True
)
PIPELINE = _fact(
    *("pipeline", "Pipeline", "requests in a pipeline"),
    column="",
    place="workload.pipeline",
    unit="requests",
    in_form=True,
)
LOAD_MODE = _fact(
    *("load_mode", "Load mode"),
    choices=LoadMode,
    meaning="threads is a closed loop",
    is_filter=True,
    in_table=True,
    in_configuration=True,
)
THREADS = _fact(
    *("threads", "Threads per client", "number of threads per client"),
    place="workload.threads",
    is_filter=True,
    in_table=True,
    **_VARIED,
)
THROTTLE = _fact(
    *("throttle_ops_s", "Rate limit"),
    place="workload.throttle_ops_s",
    unit="ops/s",
    meaning="that the load tool held its threads to, all clients together",
    in_table=True,
    in_form=True,
)
FIXED_RATE = _fact(
    *("fixed_rate_ops_s", "Fixed rate"),
    place="workload.fixed_rate_ops_s",
    unit="ops/s",
    meaning="of an open loop, all clients together",
    in_table=True,
    in_form=True,
)
REQUESTED_OPERATIONS = _fact(
    "requested_operations", "Requested operations", column="", place="workload.requested_operations"
)
REQUESTED_DURATION = _fact(
    "requested_duration_s", "Requested duration", column="", place="workload.requested_duration_s", unit="s"
)
DURATION = _fact("duration", "Duration class", column="")

# The measurement, beside its metrics
LATENCY_KIND = _fact("latency_kind", "Latency kind", choices=LatencyKind, **_LISTED)
OPERATIONS_DONE = _fact("operations_done", "Operations", "number of operations", column="operations")
ERRORS = _fact("errors", "Errors", "number of errors")

FACTS: dict[str, Fact] = {value.key: value for value in list(vars().values()) if isinstance(value, Fact)}
# a document's place -> its fact
BY_PLACE: dict[str, Fact] = {fact.place: fact for fact in FACTS.values() if fact.place}
# a column of Submission -> its fact
BY_COLUMN: dict[str, Fact] = {fact.column: fact for fact in FACTS.values() if len(fact.columns) == 1}
