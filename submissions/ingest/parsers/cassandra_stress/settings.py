"""The settings header that cassandra-stress prints since 3.10, and a user profile's schema."""

import re
from dataclasses import dataclass, field

from submissions.choices import ConsistencyLevel
from submissions.ingest.parsers.cassandra_stress import figures

# Of a hostile file: the largest known Cassandra clusters have some thousands of nodes.
_MAX_HOSTS = 10_000
_MAX_CHARACTERS = 200_000  # of all settings together; a normal header has 3,000
_MAX_CQL = 4000
_SECONDS = {
    "NANOSECONDS": 1e-9,
    "MICROSECONDS": 1e-6,
    "MILLISECONDS": 1e-3,
    "SECONDS": 1.0,
    "MINUTES": 60.0,
    "HOURS": 3600.0,
    "DAYS": 86400.0,
}
_DURATION = re.compile(r"(\d{1,12}) +([A-Za-z]+)")
_FIXED = re.compile(r"Fixed: +key=(\d{1,12})")
_BOUNDS = re.compile(r"min=(-?\d{1,18}),max=(-?\d{1,18})")
_SEQUENCE = re.compile(r"(-?\d{1,18})\.\.(-?\d{1,18})")
_PROFILE_REPLICATION = re.compile(r"replication\s*=\s*\{([^}]*)\}", re.IGNORECASE)
# 3.11 misspells it: "Datatacenter: datacenter1; Host: /127.0.0.1; Rack: rack1".
_HOST = re.compile(r"Data(?:ta)?center: [^;]{1,200}; Host: ([^;]{1,200});")
_COUNTERS = ("counter_write", "counter_read")


@dataclass(slots=True)
class Settings:
    """What the header, the profile and the driver's host list say; empty when nothing was printed."""

    values: dict[str, str] = field(default_factory=dict)  # "Rate/Thread Count" -> "24"
    hosts: set[str] = field(default_factory=set)
    _section: str = ""
    _characters: int = 0
    _keyspace_cql: str = ""
    _in_keyspace_cql: bool = False

    def read(self, line: str) -> None:
        """Take one line of the header: a section at the margin, its settings indented by two."""
        key, colon, value = line.strip().partition(":")
        if not colon:
            return
        if not line.startswith(" "):
            self._section = key
        elif self._characters < _MAX_CHARACTERS:
            self._characters += len(line) + len(self._section)
            self.values.setdefault(f"{self._section}/{key}", value.strip())

    def read_profile(self, line: str) -> None:
        """Take one line of the profile's printed schema: its CREATE KEYSPACE statement."""
        if "Keyspace CQL:" in line or "Table Name:" in line:
            self._in_keyspace_cql = "Keyspace CQL:" in line
        elif self._in_keyspace_cql and len(self._keyspace_cql) < _MAX_CQL:
            self._keyspace_cql += line[:_MAX_CQL] + " "

    def read_host(self, line: str) -> None:
        """Take a line of the host list: every node that the driver knows, up or down."""
        match = _HOST.match(line)
        if match and len(self.hosts) < _MAX_HOSTS:
            self.hosts.add(match[1])

    @property
    def type(self) -> str | None:
        """The command: write, read, mixed, counter_write, counter_read or user."""
        return self.values.get("Command/Type", "").lower() or None

    @property
    def ratios(self) -> dict[str, float] | None:
        """Share of each operation type, from the command or its ratios; None when not printed."""
        if self.type and self.type not in ("mixed", "user"):
            return {self.type: 1.0}
        pairs = _pairs(self.values.get("Command/Command Ratios", ""))
        weights = {name.lower(): figures.decimal(weight) or 0.0 for name, weight in pairs.items()}
        whole = sum(weights.values())
        return {name: weight / whole for name, weight in weights.items()} if whole > 0 else None

    @property
    def consistency_level(self) -> str | None:
        level = self.values.get("Command/Consistency Level")
        return level if level in list(ConsistencyLevel) else None

    @property
    def threads(self) -> int | None:
        return figures.integer(self.values.get("Rate/Thread Count", ""))

    @property
    def rate_limit(self) -> float | None:
        """Operations a second given by `fixed=` or `throttle=`; 0 without; None when not printed."""
        if self.values.get("Rate/Auto") == "true":
            return 0.0
        limit = figures.integer(self.values.get("Rate/OpsPer Sec", ""))
        return None if limit is None else float(limit)

    @property
    def is_whole_output(self) -> bool:
        """Whether the log is what the tool printed, not a file it wrote, which lacks its messages."""
        return self.values.get("Log/File") == "null"

    @property
    def requested_operations(self) -> int | None:
        count = figures.integer(self.values.get("Command/Count", ""))
        return count if count is not None and count > 0 else None  # -1: until the duration is over

    @property
    def requested_duration_s(self) -> float | None:
        return duration_s(self.values.get("Command/Duration", ""))

    @property
    def columns(self) -> int | None:
        return _fixed(self.values.get("Columns/Count Distribution", ""))

    @property
    def value_bytes(self) -> int | None:
        """Size of a value; None for counters, whose columns have no size of the header's."""
        if self.type in _COUNTERS:
            return None
        return _fixed(self.values.get("Columns/Size Distribution", ""))

    @property
    def key_count(self) -> int | None:
        """How many keys the population can produce."""
        sequence = _SEQUENCE.match(self.values.get("Population/Sequence", ""))
        distribution = self.values.get("Population/Distribution", "")
        bounds = sequence or _BOUNDS.search(distribution)
        if bounds:
            return int(bounds[2]) - int(bounds[1]) + 1
        return 1 if _FIXED.match(distribution) else None

    @property
    def key_distribution(self) -> str | None:
        if "Population/Sequence" in self.values:
            return "sequential"
        name, colon, _ = self.values.get("Population/Distribution", "").partition(":")
        return name.strip().lower().replace(" ", "_") if colon else None

    @property
    def node_count(self) -> int | None:
        """The nodes named on the command line or those that the driver found, whichever are more."""
        named = self.values.get("Node/Nodes", "").strip("[]").split(",")
        return max(len({name.strip() for name in named if name.strip()}), len(self.hosts)) or None

    @property
    def replication_factor(self) -> int | None:
        """RF of the keyspace that the tool creates; per data centre when all have the same.

        For a user profile it is its own CREATE KEYSPACE, not the header. A header's 1 is the tool's
        default and says nothing of a keyspace that exists already: it is believed only for a
        single node, where no other factor has an effect.
        """
        if self.type == "user":
            options = _PROFILE_REPLICATION.search(self._keyspace_cql)
            return _replication_factor(options[1] if options else "")
        factor = _replication_factor(self._replication)
        return None if self.is_default_replication and self.node_count != 1 else factor

    @property
    def is_default_replication(self) -> bool:
        """Whether the header shows the tool's default, which nobody may have asked for."""
        simple = self.values.get("Schema/Replication Strategy", "").endswith("SimpleStrategy")
        is_one = _replication_factor(self._replication) == 1
        return self.type != "user" and simple and is_one

    @property
    def _replication(self) -> str:
        # 3.11 misspells "Options".
        options = ("Schema/Replication Strategy Options", "Schema/Replication Strategy Pptions")
        return next((self.values[key] for key in options if key in self.values), "")


def duration_s(text: str) -> float | None:
    """Seconds of "15 SECONDS", "5 minutes"."""
    match = _DURATION.match(text)
    scale = _SECONDS.get(match[2].upper()) if match else None
    return int(match[1]) * scale if match and scale else None


def _fixed(distribution: str) -> int | None:
    match = _FIXED.match(distribution)
    return int(match[1]) if match else None


def _pairs(text: str) -> dict[str, str]:
    """{a=1, b=2} of the header and 'a': 1, 'b': 2 of CQL."""
    plain = text.strip("{} ").replace("'", "").replace(":", "=")
    parts = (part.partition("=") for part in plain.split(","))
    return {key.strip(): value.strip() for key, equals, value in parts if equals}


def _replication_factor(options: str) -> int | None:
    numbers = {figures.integer(v) for k, v in _pairs(options).items() if k != "class"}
    return numbers.pop() if len(numbers) == 1 else None
