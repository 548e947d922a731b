"""What a parser read in a file: values only, nothing guessed; None means that the file does not state it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, runtime_checkable

from submissions.choices import ClientPlacement, DiskPattern, LatencyKind, Role

# Latency and Interval are never changed. Frozen ones take three times as long to make, and a long log has 100,000.


@dataclass(slots=True, unsafe_hash=True)
class Latency:
    """Milliseconds; a percentile the tool does not print is None."""

    mean: float | None = None
    p50: float | None = None
    p95: float | None = None
    p99: float | None = None
    p999: float | None = None
    max: float | None = None


@dataclass(frozen=True, slots=True)
class OperationReading:
    """One operation type of a mixed workload, as the tool's own summary gives it."""

    name: str  # lower case, the tool's or profile's own: write, read, insert, singlepost
    operations: int | None = None  # successful ones
    errors: int | None = None
    throughput_ops_s: float | None = None
    latency: Latency = Latency()


@dataclass(slots=True, unsafe_hash=True)
class Interval:
    """One row of the series that the tool printed while it ran."""

    operation: str  # "total" or the type's name
    elapsed_seconds: float  # end of the interval since the trial's start
    operations: int | None  # in this interval (never cumulative), failed ones included
    errors: int | None  # in this interval
    throughput_ops_s: float | None  # as printed
    latency: Latency = Latency()
    gc_count: int | None = None
    gc_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Histogram:
    """One operation type's whole distribution, merged over the log's intervals."""

    operation: str  # lower case
    kind: LatencyKind  # UNKNOWN where only the log beside the file can tell
    encoded: str  # HdrHistogram V2 compressed, base64, values in nanoseconds


@dataclass(frozen=True, slots=True)
class TrialReading:
    """One repetition measured by one client process.

    `operations` counts only successful operations: a tool whose total includes the failed ones has
    them subtracted. `throughput_ops_s` is operations / duration_s where both are known.
    """

    throughput_ops_s: float | None
    operations: int | None = None
    errors: int | None = None
    not_found: int = 0  # of the errors: answers that a record, which the workload itself may have deleted, is not there
    duration_s: float | None = None
    printed_ops_s: float | None = None  # the tool's own headline, failed operations included
    threads: int | None = None
    throttle_ops_s: float | None = None  # as in Facts, where the runs of a file differ in their rate
    fixed_rate_ops_s: float | None = None
    started_at: datetime | None = None
    latency_kind: LatencyKind = LatencyKind.UNKNOWN
    latency: Latency = Latency()  # over all operation types, of `latency_kind`
    # The same operations by the other clock, where the tool prints both. Of several clients it cannot be joined.
    other_latencies: tuple[tuple[LatencyKind, Latency], ...] = ()
    by_operation: tuple[OperationReading, ...] = ()
    intervals: tuple[Interval, ...] = ()
    histograms: tuple[Histogram, ...] = ()
    truncated: bool = False
    failed: bool = False  # the tool says so itself, whatever it prints
    ended_by_time: bool = False  # by a time limit of the tool, so that the operations it was given are only a limit too
    label: str | None = None  # a graph file's revision


@dataclass(frozen=True, slots=True)
class MachineReading:
    """Alike machines of one role; the names are those of the document's `nodes`."""

    role: Role
    instance_type: str
    count: int | None = None
    vcpus: int | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What the file states about the system and the workload; the names are the document's."""

    service: str | None = None
    databases: tuple[str, ...] | None = None  # whose protocol was used, where the file tells more than its tool does
    service_version: str | None = None
    tool_version: str | None = None
    command: str | None = None
    operations: dict[str, float] | None = None  # share of each type, sums to 1
    consistency_level: str | None = None
    replication_factor: int | None = None
    threads: int | None = None
    threads_per_vcpu: int | None = None  # of the database's machine, where the load grows with it
    pipeline: int | None = None  # requests that a connection sends before it waits
    client_placement: ClientPlacement | None = None
    fixed_rate_ops_s: float | None = None  # open loop; a throttle is not a fixed rate
    throttle_ops_s: float | None = None  # of this client; where the file does not tell which, either
    has_unknown_limit: bool | None = None  # the rate was limited, but the file does not state to what
    columns: int | None = None
    value_bytes: int | None = None
    key_count: int | None = None
    key_distribution: str | None = None  # sequential, uniform, zipfian, ...
    requested_operations: int | None = None
    requested_duration_s: float | None = None
    provider: str | None = None
    region: str | None = None
    zones: tuple[str, ...] | None = None
    machines: tuple[MachineReading, ...] | None = None
    node_count: int | None = None  # database nodes that the tool was given or connected to
    measured_at: datetime | None = None
    title: str | None = None
    settings: dict[str, str | int | float] | None = None  # of the database and the test, where the file lists them


@dataclass(frozen=True, slots=True)
class DiskTestReading:
    """One test of fio or iozone; the names are those of the document's `disk_tests`."""

    pattern: DiskPattern
    mb_s: float | None = None  # 10^6 bytes a second, of all jobs together
    iops: float | None = None
    latency_ms: Latency = Latency()  # of one request, from its submission to its completion
    name: str = ""
    tool_version: str | None = None
    command: str | None = None
    host: str | None = None
    target: str | None = None
    read_share: float | None = None  # where reads and writes ran at the same time
    block_bytes: int | None = None
    jobs: int | None = None
    queue_depth: int | None = None
    file_bytes: int | None = None
    duration_s: float | None = None
    is_direct: bool | None = None
    measured_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class LogReading:
    """Everything read in one file.

    One trial set per entry of `trial_sets`: a normal log has one set with one trial; a log of
    `-rate auto` has one set per thread count, the points of a load curve; a file with only histograms has none.
    """

    tool: str  # slug: cassandra-stress, ycsb, pgbench, hdr-log, ycsb-hdr, fio, ...
    facts: Facts = Facts()
    trial_sets: tuple[tuple[TrialReading, ...], ...] = ()
    # One per trial set where the sets were run with different settings (a graph file's revisions, pipelines):
    # `facts` then holds only what all sets have in common. Empty: `facts` holds for every set.
    set_facts: tuple[Facts, ...] = ()
    histograms: tuple[Histogram, ...] = ()  # of an HDR log: belongs to the trial uploaded with it
    disk_tests: tuple[DiskTestReading, ...] = ()  # of a disk tool's output, which has no trial
    warnings: tuple[str, ...] = field(default=())  # shown to the uploader, one sentence each
    # Lines that begin like a result of the tool and could not be read: their number, and the first of them
    lines_not_read_count: int = 0
    lines_not_read: tuple[str, ...] = ()


@runtime_checkable
class BlockLines(Protocol):
    """Lines of a long file, of which a parser may take many at once: a loop over each takes longer than reading it."""

    def __iter__(self) -> Iterator[str]: ...

    def offer_blocks(self, take: Callable[[str], bool]) -> None:
        """From now on `take` is called with whole lines, their ends (`\\n`) included, as they follow the last line
        that was given out. Those that it returns True for are not given out. Nothing was cut off long ones."""


class Parser(Protocol):
    """A load tool's reader. Pure: lines in, readings out; no file, no database, no defaults."""

    name: str  # slug, unique
    label: str  # as shown in the list of supported formats
    databases: tuple[str, ...]  # whose protocols the tool speaks, of vocabulary.DATABASES; empty: any

    def matches(self, head: Sequence[str]) -> bool:
        """Whether the first lines (at most 400, each cut at 20,000 characters) are this format's."""

    def parse(self, lines: Iterable[str]) -> LogReading:
        """Read the whole stream once, in bounded memory.

        Raises ParseError, whose text the uploader reads: what is missing, or why it is no result.
        """
