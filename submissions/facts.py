"""Each fact of a system, its workload and its measurement once: its words, its unit, and where it is stored."""

from dataclasses import dataclass

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
    """Metrics, the measured quantities, are in metrics.py.

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


def _fact(
    key: str,
    label: str,
    noun: str = "",
    *,
    column: str | None = None,
    place: str = "",
    unit: str = "",
    choices: type[Choice] | None = None,
) -> Fact:
    """`noun` is the label without its capital, and the column has the key's name, unless stated."""
    column = key if column is None else column
    noun = noun or f"{label[:1].lower()}{label[1:]}"
    return Fact(key, label, noun, (column,) if column else (), place, unit, choices)


# The submission
TITLE = _fact("title", "Title", place="title")
NOTES = _fact("notes", "Notes", place="notes")
SOURCE = _fact("source", "Source", place="source")
SOURCE_URL = _fact("source_url", "Source URL", "source URL", place="source_url")
MEASURED_AT = _fact("measured_at", "Measured at", "measurement date", place="measured_at", unit="UTC")
MEASURED_AT_SOURCE = _fact(
    "measured_at_source", "Measurement date from", "source of the measurement date", choices=DateSource
)
TRUST = _fact("trust", "Trust level", choices=Trust)
FLAG = _fact("flag", "Flag", "data-quality flag", column="flags", choices=Flag)
AGE = _fact("age", "Age", "note on age", column="", choices=AgeMark)  # of a day: see submissions/age/
TRIALS = _fact("trials", "Trials", "number of trials", column="trials_count", place="trials")

# Whose it is
LICENSE = _fact("license", "Licence")
PACK = _fact("pack", "Pack", "pack that it came with")
ATTRIBUTION = _fact("attribution", "Attribution")

# The database and where it ran
SERVICE = _fact("service", "Database", place="service.name")
SERVICE_VERSION = _fact("service_version", "Database version", place="service.version")
PROVIDER = _fact("provider", "Provider", place="provider")
REGION = _fact("region", "Region", place="region")
ZONES = _fact("zones", "Zones", place="zones")
JDK_VENDOR = _fact("jdk_vendor", "JDK vendor", "JDK vendor", place="jdk.vendor")
JDK_VERSION = _fact("jdk_version", "JDK version", "JDK version", place="jdk.version")
JDK = Fact("jdk", "JDK", "JDK", ("jdk_vendor", "jdk_version"), "jdk")
NETWORK_KIND = _fact("network_kind", "Network", place="network.kind", choices=NetworkKind)
NETWORK_ENCRYPTION = _fact(
    "network_encryption", "Network encryption", place="network.encryption", choices=NetworkEncryption
)
SETTINGS = _fact("settings", "Settings", column="", place="settings")

# The machines: a submission's columns hold those of its largest database group
NODE_COUNT = _fact("node_count", "Database nodes", "number of database nodes")
CACHE_NODE_COUNT = _fact("cache_node_count", "Cache nodes", "number of cache nodes")
CLIENT_COUNT = _fact("client_count", "Load clients", "number of load clients")
CLIENT_PLACEMENT = _fact(
    "client_placement",
    "Load clients run on",
    "placement of the load clients",
    place="client_placement",
    choices=ClientPlacement,
)
ROLE = _fact("role", "Role", column="", place="nodes.role", choices=Role)
GROUP_COUNT = _fact("count", "Nodes", "node count", column="", place="nodes.count")
INSTANCE_TYPE = _fact("instance_type", "Instance type", place="nodes.instance_type")
MACHINE_FAMILY = _fact("machine_family", "Machine family")
ARCHITECTURE = _fact("architecture", "Architecture", place="nodes.architecture", choices=Architecture)
CPU_MODEL = _fact("cpu_model", "CPU model", "CPU model", place="nodes.cpu_model")
VCPUS = _fact("vcpus", "vCPUs", "number of vCPUs", place="nodes.vcpus")
MEMORY = _fact("memory_gib", "Memory", place="nodes.memory_gib", unit="GiB")
DISKS = _fact("disks", "Disks", column="", place="nodes.disks")
DISK_KIND = _fact("disk_kind", "Disk type", place="nodes.disks.kind")
DISK_COUNT = _fact("disk_count", "Disks per node", "number of disks per node", column="", place="nodes.disks.count")
DISK_SIZE = _fact("disk_size_gib", "Disk size", column="", place="nodes.disks.size_gib", unit="GiB")
DISK_RAID = _fact("disk_raid", "RAID", "RAID level", column="", place="nodes.disks.raid", choices=Raid)
DISK_FILESYSTEM = _fact("disk_filesystem", "File system", column="", place="nodes.disks.filesystem")
DISK_IOPS = _fact(
    "disk_iops", "Provisioned IOPS per disk", "provisioned IOPS per disk", column="", place="nodes.disks.iops"
)
DISK_THROUGHPUT = _fact(
    "disk_throughput_mibps",
    "Provisioned throughput per disk",
    column="",
    place="nodes.disks.throughput_mibps",
    unit="MiB/s",
)
PRICING_MODEL = _fact("pricing_model", "Pricing model", place="nodes.pricing_model", choices=PricingModel)
NODE_HOURLY_USD = _fact("hourly_usd", "Price per node", column="", place="nodes.hourly_usd", unit="USD/h")

# The workload and its load
WORKLOAD = _fact("workload", "Workload")
TOOL = _fact("tool", "Load tool", place="workload.tool")
TOOL_VERSION = _fact("tool_version", "Load tool version", place="workload.tool_version")
COMMAND = _fact("command", "Command line", column="", place="workload.command")
OPERATION = _fact("operation", "Operation")
OPERATION_MIX = _fact("operations", "Operation mix", column="", place="workload.operations")
CONSISTENCY_LEVEL = _fact(
    "consistency_level", "Consistency level", place="workload.consistency_level", choices=ConsistencyLevel
)
REPLICATION_FACTOR = _fact("replication_factor", "Replication factor", place="workload.replication_factor")
COLUMNS = _fact("columns", "Columns per row", "number of columns", column="", place="workload.columns")
VALUE_BYTES = _fact("value_bytes", "Column size", column="", place="workload.value_bytes", unit="bytes")
KEY_COUNT = _fact("key_count", "Keys", "number of keys", column="", place="workload.key_count")
KEY_DISTRIBUTION = _fact("key_distribution", "Key distribution", column="", place="workload.key_distribution")
PIPELINE = _fact(
    "pipeline", "Pipeline", "requests in a pipeline", column="", place="workload.pipeline", unit="requests"
)
LOAD_MODE = _fact("load_mode", "Load mode", choices=LoadMode)
THREADS = _fact("threads", "Threads per client", "number of threads per client", place="workload.threads")
FIXED_RATE = _fact("fixed_rate_ops_s", "Fixed rate", place="workload.fixed_rate_ops_s", unit="ops/s")
THROTTLE = _fact("throttle_ops_s", "Rate limit", place="workload.throttle_ops_s", unit="ops/s")
REQUESTED_OPERATIONS = _fact(
    "requested_operations", "Requested operations", column="", place="workload.requested_operations"
)
REQUESTED_DURATION = _fact(
    "requested_duration_s", "Requested duration", column="", place="workload.requested_duration_s", unit="s"
)
DURATION = _fact("duration", "Duration class", column="")

# The measurement, beside its metrics
LATENCY_KIND = _fact("latency_kind", "Latency kind", choices=LatencyKind)
OPERATIONS_DONE = _fact("operations_done", "Operations", "number of operations", column="operations")
ERRORS = _fact("errors", "Errors", "number of errors")

FACTS: dict[str, Fact] = {value.key: value for value in list(vars().values()) if isinstance(value, Fact)}
# a document's place -> its fact
BY_PLACE: dict[str, Fact] = {fact.place: fact for fact in FACTS.values() if fact.place}
# a column of Submission -> its fact
BY_COLUMN: dict[str, Fact] = {fact.column: fact for fact in FACTS.values() if len(fact.columns) == 1}
