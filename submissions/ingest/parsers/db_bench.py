"""RocksDB's db_bench: a line for each of its benchmarks. The store runs in its process, without a server."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from submissions.choices import ClientPlacement, LatencyKind
from submissions.ingest.document.readings import Facts, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import ms_of_us, number, whole
from submissions.ingest.parsers.runs import Run, RunReading, read_runs, reading_of

_RESULT = re.compile(
    r"(?:^|\s)(?P<name>[a-z][a-z0-9_]{2,60}) {0,30}: {1,30}(?P<micros>\d{1,15}\.\d{1,6}) micros/op"
    r" (?P<rate>\d{1,15}) ops/sec(?: (?P<seconds>\d{1,12}\.\d{1,6}) seconds"
    r" (?P<operations>\d{1,18}) operations)?;?(?P<rest>.{0,200})$"
)
_PROGRESS = re.compile(r"\.\.\. finished \d{1,18} ops\s{1,60}\S.{0,80} micros/op ")
_FOUND = re.compile(r"\((\d{1,18}) of (\d{1,18}) found\)")
_HISTOGRAM = re.compile(r"Microseconds per ([a-z]{2,30}):\s*$")
_AVERAGE = re.compile(r"Count: (\d{1,18}) Average: (\d{1,15}\.\d{1,6})\s")
_MAX = re.compile(r"Min: .{1,40} Max: (\d{1,15})")
_PERCENTILES = re.compile(r"P(50|99|99\.9): (\d{1,15}\.\d{1,6})(?=\s|$)")
_COMMAND = re.compile(r"(?:^|[\s/$])(db_bench\S{0,40} +-.{1,4000})$")
_STARTED = re.compile(r"Set seed to \d{1,20} because|RocksDB: +version ")
_VERSION = re.compile(r"RocksDB: +version (\d{1,4}(?:\.\d{1,4}){1,3})")
_VALUES = re.compile(r"Values: +(\d{1,12}) bytes each")
_ENTRIES = re.compile(r"Entries: +(\d{1,18})\s*$")
_LIMIT = re.compile(r"(Write|Read) rate: (\d{1,18}) (?:bytes|ops)/second")
_OPTION = re.compile(r"\s--?([a-z_]{2,60})=(\S{1,200})")
# Not of a database: what it computes, or one operation on all of its files.
_OTHERS = re.compile(
    r"crc32c|xxh|acquireload|(?:un)?compress|compact|flush|waitfor|backup|restore|open|verify|random_?num"
)
_FIELDS = {"50": "p50", "99": "p99", "99.9": "p999"}
_ONE_THREAD = 0.01
_SHORT_S = 1.0  # seconds have three decimals
_FEW_OPS_S = 1000  # the rate has none
_LONGEST = 1000
_MAX_RESULTS = 1000


@dataclass(slots=True)
class _Result:
    """A line of the output, and the histograms below it."""

    name: str
    micros: float
    rate: float
    seconds: float | None
    operations: int | None
    found: str
    latencies: dict[str, dict[str, float | None]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)


class DbBench:
    """A thread begins its next operation when the last one has ended: service time."""

    name = "db-bench"
    label = "db_bench"
    databases: tuple[str, ...] = ("rocksdb",)

    def matches(self, head: Sequence[str]) -> bool:
        return any(_RESULT.match(line) or _PROGRESS.match(line) or _VERSION.match(line) for line in head)

    def is_certain(self, line: str) -> bool:
        own = (_RESULT, _VERSION, _VALUES, _ENTRIES, _LIMIT, _HISTOGRAM)
        return any(pattern.match(line) for pattern in own)

    def parse(self, lines: Iterable[str]) -> LogReading:
        return reading_of(self.name, read_runs(lines, _Output))


def _result(line: str) -> re.Match[str] | None:
    """Behind the count of finished operations, where that was kept."""
    return _RESULT.search(line[-_LONGEST:]) if " micros/op " in line else None


class _Output(Run):
    """Of one start of the tool."""

    def __init__(self) -> None:
        super().__init__()
        self._command: str | None = None
        self._version: str | None = None
        self._value_bytes: int | None = None
        self._entries: int | None = None
        self._limits: dict[str, int] = {}
        self._results: list[_Result] = []
        self._histogram: str | None = None

    def read(self, line: str) -> bool:
        command = _COMMAND.search(line[:4200])
        if self._results and (command or _STARTED.match(line)):
            return False
        if command:
            self._command = command[1].strip()
        elif result := _result(line):
            self._add(result)
        elif found := _HISTOGRAM.match(line):
            self._histogram = found[1]
        elif self._histogram and self._results:
            self._read_histogram(line, self._results[-1], self._histogram)
        else:
            self._read_head(line)
        return True

    def _add(self, result: re.Match[str]) -> None:
        self._histogram = None
        if len(self._results) >= _MAX_RESULTS:
            raise ParseError(f"more than {_MAX_RESULTS:,} results")
        found = _FOUND.search(result["rest"])
        is_less = found is not None and int(found[1]) < int(found[2])
        self._results.append(
            _Result(
                result["name"],
                float(result["micros"]),
                float(result["rate"]),
                number(result["seconds"]),
                whole(result["operations"]),
                f"{int(found[1]):,} of {int(found[2]):,}" if found and is_less else "",
            )
        )

    def _read_histogram(self, line: str, result: _Result, name: str) -> None:
        values = result.latencies.setdefault(name, {})
        if average := _AVERAGE.match(line):
            result.counts[name] = int(average[1])
            values["mean"] = number(average[2])
        elif most := _MAX.match(line):
            values["max"] = number(most[1])
        elif line.startswith("Percentiles:"):
            values.update({_FIELDS[each]: number(value) for each, value in _PERCENTILES.findall(line)})
            self._histogram = None

    def _read_head(self, line: str) -> None:
        if found := _VERSION.match(line):
            self._version = found[1]
        elif found := _VALUES.match(line):
            self._value_bytes = int(found[1])
        elif found := _ENTRIES.match(line):
            self._entries = int(found[1])
        elif found := _LIMIT.match(line):
            self._limits[found[1]] = int(found[2])

    def readings(self) -> Sequence[RunReading]:
        of_database = [result for result in self._results if not _OTHERS.match(result.name)]
        if not of_database:
            raise ParseError("no result of a benchmark that reads or writes: the run did not finish")
        if all(result.rate <= 0 for result in of_database):
            raise ParseError("none of the benchmarks completed an operation in a second")
        return [self._reading(result) for result in of_database if result.rate > 0]

    def _reading(self, result: _Result) -> RunReading:
        options = dict(_OPTION.findall(self._command or ""))
        threads = _threads(result, options, has_command=self._command is not None)
        batch = whole(options.get("batch_size")) or 1
        is_batch = batch > 1 and result.name.startswith(("fill", "overwrite"))
        facts = Facts(
            service_version=self._version,
            command=self._command,
            operations={f"{result.name}-batch-{batch}" if is_batch else result.name: 1.0},
            threads=threads,
            client_placement=ClientPlacement.ON_DATABASE,
            has_unknown_limit=True if self._limits.get("Write") else None,
            throttle_ops_s=float(self._limits.get("Read") or 0) or None,
            value_bytes=self._value_bytes,
            key_count=self._entries,
            requested_duration_s=number(options.get("duration")) or None,
        )
        trial = TrialReading(
            throughput_ops_s=_rate(result),
            operations=result.operations,
            duration_s=result.seconds,
            printed_ops_s=result.rate if result.rate >= _FEW_OPS_S else None,
            threads=threads,
            latency_kind=LatencyKind.SERVICE_TIME,
            latency=_latency(result),
            by_operation=tuple(_by_operation(result)) if len(result.latencies) > 1 else (),
        )
        return RunReading(facts, trial, tuple(_warnings(result, threads)))


def _rate(result: _Result) -> float:
    if result.operations and result.seconds and result.seconds >= _SHORT_S:
        return result.operations / result.seconds
    return result.rate


def _threads(result: _Result, options: dict[str, str], *, has_command: bool) -> int | None:
    """One where the time of an operation is that between two operations; more are only in the command."""
    stated = whole(options.get("threads"))
    if stated or has_command:
        return stated or 1
    return 1 if abs(result.micros * _rate(result) / 1e6 - 1) < _ONE_THREAD else None


def _latency(result: _Result) -> Latency:
    """Of all operations: the time that is printed with the rate is their mean."""
    if len(result.latencies) != 1:
        return Latency(mean=ms_of_us(result.micros))
    (values,) = result.latencies.values()
    return Latency(**{name: ms_of_us(value) for name, value in values.items()})


def _by_operation(result: _Result) -> Iterator[OperationReading]:
    for name, values in result.latencies.items():
        latency = Latency(**{each: ms_of_us(value) for each, value in values.items()})
        yield OperationReading(name, result.counts.get(name), None, None, latency)


def _warnings(result: _Result, threads: int | None) -> Iterator[str]:
    yield "rocksdb runs in the process of the load tool: there is no server and no network"
    if result.found:
        yield f"{result.name}: {result.found} keys were found; reads of the others are counted, too"
    if threads is None:
        yield "the number of threads is not in the log, and it is more than one: state it"


PARSER = DbBench()
