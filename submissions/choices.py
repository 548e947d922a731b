"""Closed lists of values; the open vocabularies (service, provider, ...) are slugs, see vocabulary.py."""

from collections.abc import Collection, Mapping
from enum import StrEnum, nonmember


class Choice(StrEnum):
    """A closed list whose members know how to be shown; usable as Django and as pydantic choices."""

    @property
    def label(self) -> str:
        return _LABELS.get(self, self.value.replace("_", " ").replace("-", " "))

    @classmethod
    def pairs(cls) -> list[tuple[str, str]]:
        """(value, label) of every member, the form that Django's `choices` takes."""
        return [(member.value, member.label) for member in cls]


class Role(Choice):
    """What a node group does; clients are no part of the system under test."""

    DATABASE = "database"
    CACHE = "cache"
    CLIENT = "client"
    SYSTEM_UNDER_TEST = nonmember(("database", "cache"))


class NodeKind(Choice):
    """Machines that somebody rents or owns, or a database service whose vendor runs them and bills them as one."""

    MACHINES = "machines"
    MANAGED = "managed"


class PricingModel(Choice):
    ON_DEMAND = "on_demand"
    SPOT = "spot"
    RESERVED_1Y = "reserved_1y"
    RESERVED_3Y = "reserved_3y"
    SAVINGS_1Y = "savings_1y"
    SAVINGS_3Y = "savings_3y"


class LatencyKind(Choice):
    """Service time ignores the wait of a late request, response time includes it: never ranked together."""

    SERVICE_TIME = "service_time"
    RESPONSE_TIME = "response_time"
    UNKNOWN = "unknown"

    @classmethod
    def usual(cls, counts: Mapping["LatencyKind", int]) -> "LatencyKind":
        """The most common known kind, the first of two that are equally common; unknown where no kind is known.

        A known kind precedes the unknown one however common that is: latencies of unknown kind compare with nothing.
        """
        known = [kind for kind in cls if kind != cls.UNKNOWN and counts.get(kind)]
        return max(known, key=lambda kind: counts[kind], default=cls.UNKNOWN)


class Raid(Choice):
    NONE = "none"
    RAID0 = "raid0"
    RAID1 = "raid1"
    RAID5 = "raid5"
    RAID6 = "raid6"
    RAID10 = "raid10"


class NetworkKind(Choice):
    NATIVE = "native"
    VIRTUAL = "virtual"


class NetworkEncryption(Choice):
    NONE = "none"
    NODE = "node"
    NODE_AND_CLIENT = "node_and_client"


class Architecture(Choice):
    """Of a processor, as the clouds name it; what `uname -m` prints is understood, too."""

    X86_64 = "x86_64"
    ARM64 = "arm64"

    @classmethod
    def _missing_(cls, value: object) -> "Architecture | None":
        return _MACHINES.get(value) if isinstance(value, str) else None

    @property
    def label(self) -> str:
        return "ARM" if self == Architecture.ARM64 else "x86"


_MACHINES = {"aarch64": Architecture.ARM64, "amd64": Architecture.X86_64, "x86-64": Architecture.X86_64}


class ClientPlacement(Choice):
    """Whether the load clients have machines of their own, or take CPU time from the database."""

    SEPARATE = "separate"
    ON_DATABASE = "on_database"


class Deployment(Choice):
    """How the database runs; of a rented machine the name of its type gives it away (see pricing/providers.py)."""

    VM = "vm"
    BARE_METAL = "bare_metal"
    KUBERNETES = "kubernetes"
    MANAGED = "managed"


class ConsistencyLevel(Choice):
    """The words of the databases themselves, shown as they are."""

    ANY = "ANY"
    ONE = "ONE"
    TWO = "TWO"
    THREE = "THREE"
    QUORUM = "QUORUM"
    ALL = "ALL"
    LOCAL_QUORUM = "LOCAL_QUORUM"
    EACH_QUORUM = "EACH_QUORUM"
    LOCAL_ONE = "LOCAL_ONE"
    SERIAL = "SERIAL"
    LOCAL_SERIAL = "LOCAL_SERIAL"

    @property
    def label(self) -> str:
        return self.value


class Trust(Choice):
    """How far a submission's numbers can be traced, lowest first; `rank` orders them."""

    HISTORICAL = "historical"
    UPLOADED = "uploaded"
    LOG_VERIFIED = "log_verified"
    RUN_BY_OWNER = "run_by_owner"
    RUN_BY_US = "run_by_us"
    REPRODUCED = "reproduced"

    @property
    def rank(self) -> int:
        return list(Trust).index(self)

    @property
    def and_higher(self) -> tuple["Trust", ...]:
        return tuple(Trust)[self.rank :]


# Backed by a raw log or by a run of this site: boards, charts and findings take these unless asked for others.
PROVEN = Trust.LOG_VERIFIED.and_higher


class Visibility(Choice):
    """Who may see a submission: everyone, those who have its link, or its owner alone."""

    PUBLIC = "public"
    UNLISTED = "unlisted"
    PRIVATE = "private"


class LoadMode(Choice):
    """Closed loop (each thread waits for its answer), a fixed arrival rate, or several loads one after the other."""

    THREADS = "threads"
    FIXED_RATE = "fixed_rate"
    CURVE = "curve"


class Percentile(Choice):
    """Those of the latency that a limit may be set for."""

    P50 = "p50"
    P95 = "p95"
    P99 = "p99"
    P999 = "p999"


class DiskPattern(Choice):
    """What a disk test did; iozone's names where it has one."""

    SEQUENTIAL_READ = "sequential_read"
    SEQUENTIAL_WRITE = "sequential_write"
    RANDOM_READ = "random_read"
    RANDOM_WRITE = "random_write"
    REREAD = "reread"
    REWRITE = "rewrite"
    REVERSE_READ = "reverse_read"
    STRIDE_READ = "stride_read"
    RECORD_REWRITE = "record_rewrite"


class ArtifactKind(Choice):
    LOAD_LOG = "load_log"
    HISTOGRAM_LOG = "histogram_log"
    GRAPH = "graph"
    INTERVALS = "intervals"
    HISTOGRAMS = "histograms"
    DOCUMENT = "document"
    HOST_SUMMARY = "host_summary"  # of a run: what its machines did and what their disks can do
    PROFILE = "profile"  # of a run: collapsed stacks of a database process
    DISK_TEST = "disk_test"  # uploaded with a log: what fio or iozone printed
    OTHER = "other"


class Flag(Choice):
    """What looks implausible in a submission: stored, shown, filterable, never silently corrected."""

    RATE_MISMATCH = "rate_mismatch"
    LITTLES_LAW = "littles_law"
    ERRORS = "errors"
    PERCENTILE_ORDER = "percentile_order"
    SHORT = "short"
    MIXED_CPUS = "mixed_cpus"
    TRUNCATED = "truncated"
    FAILED = "failed"
    INCOMPLETE = "incomplete"
    NOT_MERGEABLE = "not_mergeable"
    RATE_IMPLAUSIBLE = "rate_implausible"
    STATED_PRICE_OFF = "stated_price_off"
    WITHOUT_STORAGE = "without_storage"
    STALE_PRICE = "stale_price"
    SECRETS_MASKED = "secrets_masked"
    THROTTLED = "throttled"
    NOT_FOUND = "not_found"


class DataFit(Choice):
    """The data of all replicas against the memory of the database nodes, in ranges that can be counted."""

    BELOW_1 = "below_1"
    FROM_1_TO_3 = "1_to_3"
    ABOVE_3 = "above_3"


class AgeMark(Choice):
    """What time has done to a result since it was measured: computed for a day, never stored."""

    OLD_RESULT = "old_result"
    PRICE_DRIFT = "price_drift"
    VERSION_EOL = "version_eol"
    TYPE_RETIRED = "type_retired"
    # of filters; today's price is not known in every list, and is left to its own mark
    MARKED = "marked"
    UNMARKED = "unmarked"
    MARKS = nonmember(("old_result", "price_drift", "version_eol", "type_retired"))


class DateSource(Choice):
    """Where the time of a measurement comes from; each one counts only where those before it are missing."""

    STATED = "stated"
    LOG = "log"
    FILE = "file"
    RECEIVED = "received"


class ReportReason(Choice):
    """Why a reader reports a submission."""

    WRONG_FACTS = "wrong_facts"
    FABRICATED = "fabricated"
    SECRETS = "secrets"
    PERSONAL_DATA = "personal_data"
    SPAM = "spam"
    ILLEGAL = "illegal"
    OTHER = "other"


class Outcome(Choice):
    """What a moderator decided about a submission, or about an account."""

    APPROVED = "approved"
    DISMISSED = "dismissed"
    CORRECTED = "corrected"
    UNRANKED = "unranked"
    HIDDEN = "hidden"
    BYTES_REMOVED = "bytes_removed"
    RESTORED = "restored"
    BANNED = "banned"


# So long a spot price counts after it was last seen: the market has moved on since.
SPOT_PRICE_DAYS = 31

# Held back from the boards that they concern until a moderator approves.
HELD_FLAGS = (Flag.RATE_IMPLAUSIBLE, Flag.STATED_PRICE_OFF)

# With one of these flags the rate itself is unreliable: such a submission is listed, but excluded from every ranking.
EXCLUDING_FLAGS = (
    Flag.RATE_MISMATCH,
    Flag.LITTLES_LAW,
    Flag.ERRORS,
    Flag.TRUNCATED,
    Flag.FAILED,
    Flag.INCOMPLETE,
    Flag.RATE_IMPLAUSIBLE,
)

# With one of these no recommendation is made from it.
UNSOUND_FLAGS = (*EXCLUDING_FLAGS, Flag.STATED_PRICE_OFF)

# What others measured or a price book contradicts: last in every list that is not filtered by one of them.
DOUBTFUL_FLAGS = (Flag.RATE_IMPLAUSIBLE, Flag.STATED_PRICE_OFF)


def is_off_money_boards(flags: Collection[str], trust: str) -> bool:
    """Whether a cost says too little about the system to lead by it, with the exception of an article's own figures.

    `IS_PRICE_OFF` of the models is the same for querysets.
    """
    return Flag.STATED_PRICE_OFF in flags or (Flag.WITHOUT_STORAGE in flags and trust != Trust.HISTORICAL)


# Rates that differ by no more than this are the same rate, and a measured one so near to its limit was held to it.
SAME_RATE = 0.05


def is_same_rate(ops_s: float, other: float) -> bool:
    return abs(ops_s - other) <= SAME_RATE * other


# The rate of a throttled one is right, but it is the load tool's limit: no capacity of the system either.
NO_CAPACITY_FLAGS = (*EXCLUDING_FLAGS, Flag.THROTTLED)

_LABELS: dict[Choice, str] = {
    ClientPlacement.SEPARATE: "own machines",
    ClientPlacement.ON_DATABASE: "the database's machine",
    Deployment.VM: "virtual machine",
    Deployment.KUBERNETES: "Kubernetes",
    Deployment.MANAGED: "managed service",
    PricingModel.ON_DEMAND: "on demand",
    PricingModel.RESERVED_1Y: "reserved, 1 year",
    PricingModel.RESERVED_3Y: "reserved, 3 years",
    DataFit.BELOW_1: "below 1: fits in memory",
    DataFit.FROM_1_TO_3: "1 to 3",
    DataFit.ABOVE_3: "over 3",
    PricingModel.SAVINGS_1Y: "savings plan, 1 year",
    PricingModel.SAVINGS_3Y: "savings plan, 3 years",
    Trust.HISTORICAL: "historical",
    Trust.LOG_VERIFIED: "log verified",
    Trust.RUN_BY_OWNER: "run by owner",
    Trust.RUN_BY_US: "run by us",
    AgeMark.OLD_RESULT: "measured over 12 months ago",
    AgeMark.PRICE_DRIFT: "price changed by over 2 %",
    AgeMark.VERSION_EOL: "version past its end of life",
    AgeMark.TYPE_RETIRED: "type no longer in the price list",
    AgeMark.MARKED: "any of these except the price",
    AgeMark.UNMARKED: "none of these except the price",
    DateSource.STATED: "stated by the uploader",
    DateSource.LOG: "from the log",
    DateSource.FILE: "date of the file",
    DateSource.RECEIVED: "day of receipt",
    ReportReason.WRONG_FACTS: "a stated fact is wrong",
    ReportReason.FABRICATED: "the figures look fabricated",
    ReportReason.SECRETS: "a password or key is visible",
    ReportReason.PERSONAL_DATA: "personal data is visible",
    ReportReason.SPAM: "spam or advertising",
    ReportReason.ILLEGAL: "illegal content",
    ReportReason.OTHER: "something else",
    Trust.REPRODUCED: "reproduced: two accounts agree",
    Percentile.P999: "p99.9",
    Flag.RATE_MISMATCH: "rate mismatch",
    Flag.LITTLES_LAW: "Little's law",
    Flag.ERRORS: "errors over 0.1 %",
    Flag.PERCENTILE_ORDER: "percentiles out of order",
    Flag.SHORT: "under 60 s",
    Flag.MIXED_CPUS: "mixed CPU models",
    Flag.TRUNCATED: "truncated log",
    Flag.FAILED: "failed run",
    Flag.INCOMPLETE: "fewer operations than requested",
    Flag.NOT_MERGEABLE: "percentiles not mergeable",
    Flag.RATE_IMPLAUSIBLE: "implausible rate",
    Flag.STATED_PRICE_OFF: "stated price far from list price",
    Flag.WITHOUT_STORAGE: "without storage",
    Flag.STALE_PRICE: "price last confirmed over a year before",
    Flag.SECRETS_MASKED: "secrets masked",
    Flag.THROTTLED: "throttled",
    Flag.NOT_FOUND: "reads of deleted records",
}
