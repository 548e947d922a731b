"""memtier_benchmark: the file of --json-out-file, with a histogram for each command."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from submissions.analysis.curves.histograms import HistogramError, Merger
from submissions.choices import LatencyKind
from submissions.ingest.document.readings import (
    Facts,
    Histogram,
    Interval,
    Latency,
    LogReading,
    OperationReading,
    TrialReading,
)
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.json_document import MAX_CHARACTERS, at, read_object, starts_json
from submissions.ingest.parsers.memtier import memtier
from submissions.ingest.parsers.numbers import count, finite

_ALL = "ALL STATS"
_TOTALS, _WAITS = "Totals", "Waits"
_NOT_COMMANDS = (_TOTALS, _WAITS, "Runtime")
_PERCENTILES = {"p50.00": "p50", "p95.00": "p95", "p99.00": "p99", "p99.90": "p999"}
_NS_PER_US = 1_000  # its histograms count microseconds
_PROTOCOLS = {
    **dict.fromkeys(("redis", "resp2", "resp3"), ("redis",)),
    **dict.fromkeys(("memcache_text", "memcache_binary"), ("memcached",)),
}
_MAX_SECONDS = 1_000_000
_MAX_RUNS = 100


class MemtierJson:
    name = "memtier-benchmark-json"
    label = "memtier_benchmark --json-out-file"
    databases: tuple[str, ...] = memtier.PARSER.databases
    line_characters = MAX_CHARACTERS

    def matches(self, head: Sequence[str]) -> bool:
        return starts_json(head) and any('"run information"' in line or '"ALL STATS"' in line for line in head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        document = read_object(lines, "memtier_benchmark")
        runs = _runs(document)
        warnings: list[str] = []
        trials = tuple(_trial(document, run, warnings) for run in runs)
        return LogReading(
            tool=memtier.TOOL,
            facts=_facts(document, trials[0]),
            trial_sets=(trials,),
            warnings=tuple(dict.fromkeys(warnings)),
        )


def _runs(document: dict[str, Any]) -> list[dict[str, Any]]:
    single = document.get(_ALL)
    if isinstance(single, dict):
        return [single]
    runs = [run for name, run in document.items() if name.startswith("RUN #") and isinstance(run, dict)][:_MAX_RUNS]
    if runs:
        return runs
    if any(name.startswith("AGGREGATED AVERAGE") for name in document):
        raise ParseError(memtier.NO_SINGLE_RUN)
    raise ParseError("no ALL STATS in the JSON of memtier_benchmark: the run did not finish")


def _trial(document: dict[str, Any], run: dict[str, Any], warnings: list[str]) -> TrialReading:
    operations, seconds = count(at(run, _TOTALS, "Count")), _seconds(document, run)
    printed = finite(at(run, _TOTALS, "Ops/sec"))
    if operations == 0 or not (printed or (operations and seconds)):
        raise ParseError("no operation was completed: there is no result to record")
    is_cut = at(document, "benchmark_completion", "full_run") is False
    if is_cut:
        warnings.append("memtier_benchmark was interrupted before the end of the run")
    if errors := count(at(run, _TOTALS, "Connection Errors")):
        warnings.append(f"{errors:,} connections failed")
    return TrialReading(
        throughput_ops_s=operations / seconds if operations and seconds else printed,
        operations=operations,
        duration_s=seconds,
        printed_ops_s=printed or None,
        threads=_connections(document),
        started_at=_started_at(run),
        latency_kind=LatencyKind.SERVICE_TIME,
        latency=_latency(at(run, _TOTALS), mean=_mean(run)),
        by_operation=tuple(_operation(name, run[name], seconds) for name in _commands(run)),
        intervals=tuple(_intervals(at(run, _TOTALS, "Time-Serie"))),
        histograms=_histograms(run, warnings),
        truncated=is_cut,
    )


def _seconds(document: dict[str, Any], run: dict[str, Any]) -> float | None:
    """Of the clients' own clocks; an interrupted run has none there (its total is negative) but its wall clock."""
    total = finite(at(run, "Runtime", "Total duration"))
    if total is not None and total > 0:
        return total / 1000
    actual = finite(at(document, "benchmark_completion", "actual_duration_ms"))
    return actual / 1000 if actual and actual > 0 else None


def _connections(document: dict[str, Any]) -> int | None:
    """What other tools call threads: each waits for the answers of its pipeline."""
    threads = count(at(document, "run information", "Threads"))
    connections = count(at(document, "run information", "Connections per thread"))
    return threads * connections if threads and connections else None


def _started_at(run: dict[str, Any]) -> datetime | None:
    milliseconds = finite(at(run, "Runtime", "Start time"))
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds and milliseconds > 0 else None
    except (ValueError, OverflowError, OSError):
        return None


def _commands(run: dict[str, Any]) -> list[str]:
    return [name for name, row in run.items() if name not in _NOT_COMMANDS and count(at(row, "Count"))][:200]


def _mean(run: dict[str, Any]) -> float | None:
    """Over all commands, each weighted with its count: that of Totals is wrong in an interrupted run."""
    pairs = [(finite(at(run[name], "Average Latency")), count(at(run[name], "Count")) or 0) for name in _commands(run)]
    if not pairs or any(mean is None for mean, _ in pairs):
        return finite(at(run, _TOTALS, "Average Latency"))
    return sum((mean or 0.0) * done for mean, done in pairs) / sum(done for _, done in pairs)


def _latency(row: Any, *, mean: float | None) -> Latency:
    levels = {field: finite(at(row, "Percentile Latencies", key)) for key, field in _PERCENTILES.items()}
    return Latency(mean=mean, max=finite(at(row, "Max Latency")), **levels)


def _operation(name: str, row: Any, seconds: float | None) -> OperationReading:
    operations = count(at(row, "Count"))
    return OperationReading(
        name=memtier.command(name),
        operations=operations,
        throughput_ops_s=operations / seconds if operations and seconds else finite(at(row, "Ops/sec")),
        latency=_latency(row, mean=finite(at(row, "Average Latency"))),
    )


def _intervals(series: Any) -> Iterable[Interval]:
    if not isinstance(series, dict) or len(series) > _MAX_SECONDS:
        return
    for second, row in series.items():
        done = count(at(row, "Count"))
        if not second.isdigit() or len(second) > 9 or done is None:
            continue
        levels = {field: finite(at(row, key)) for key, field in _PERCENTILES.items()}
        yield Interval(
            operation="total",
            elapsed_seconds=float(int(second) + 1),
            operations=done,
            errors=None,
            throughput_ops_s=float(done),
            latency=Latency(mean=finite(at(row, "Average Latency")), max=finite(at(row, "Max Latency")), **levels),
        )


def _histograms(run: dict[str, Any], warnings: list[str]) -> tuple[Histogram, ...]:
    recorded = []
    for name in [*_commands(run), _TOTALS]:
        encoded = at(run.get(name), "Percentile Latencies", "Histogram log format", "Compressed Histogram")
        if not isinstance(encoded, str):
            continue
        merger = Merger()
        try:
            merger.add_scaled(encoded.strip(), _NS_PER_US)
        except HistogramError as error:
            warnings.append(f"the histograms of the file were omitted: {error}")
            return ()
        if merger.count:
            operation = "total" if name == _TOTALS else memtier.command(name)
            recorded.append(Histogram(operation, LatencyKind.SERVICE_TIME, merger.encoded()))
    return tuple(recorded)


def _facts(document: dict[str, Any], trial: TrialReading) -> Facts:
    configuration = document.get("configuration")
    size = count(at(configuration, "data_size"))
    clients = _connections(document)
    requests, seconds = count(at(configuration, "requests")), finite(at(configuration, "test_time"))
    rate = finite(at(configuration, "rate_limit"))
    return Facts(
        databases=_PROTOCOLS.get(str(at(configuration, "protocol"))),
        operations=_shares(configuration, trial),
        threads=trial.threads,
        pipeline=count(at(configuration, "pipeline")) or None,
        throttle_ops_s=rate * clients if rate and clients else None,  # of each connection
        columns=1 if size else None,
        value_bytes=size or None,
        key_count=_key_count(configuration),
        key_distribution=_key_distribution(configuration),
        requested_operations=requests * clients if requests and clients and not seconds else None,
        requested_duration_s=seconds or None,
        measured_at=trial.started_at,
    )


def _shares(configuration: Any, trial: TrialReading) -> dict[str, float] | None:
    """As asked for (--ratio is sets to gets); of commands of one's own, as measured."""
    names = {operation.name for operation in trial.by_operation}
    words = str(at(configuration, "ratio") or "").split(":")
    if names <= {"set", "get"} and len(words) == 2 and all(word.isdigit() and len(word) < 10 for word in words):
        sets, gets = int(words[0]), int(words[1])
        if sets + gets:
            shares = {"set": sets / (sets + gets), "get": gets / (sets + gets)}
            return {name: share for name, share in shares.items() if share}
    done = sum(operation.operations or 0 for operation in trial.by_operation)
    return {one.name: round((one.operations or 0) / done, 4) for one in trial.by_operation} if done else None


def _key_count(configuration: Any) -> int | None:
    lowest, highest = count(at(configuration, "key_minimum")), count(at(configuration, "key_maximum"))
    return highest - lowest + 1 if lowest is not None and highest is not None and highest >= lowest else None


def _key_distribution(configuration: Any) -> str | None:
    """Of --key-pattern for sets and gets: where they differ there is no one word."""
    names = {"R": "uniform", "S": "sequential", "P": "sequential", "G": "gaussian", "Z": "zipfian"}
    patterns = set(str(at(configuration, "key_pattern") or "").split(":"))
    return names.get(patterns.pop()) if len(patterns) == 1 else None


PARSER = MemtierJson()
