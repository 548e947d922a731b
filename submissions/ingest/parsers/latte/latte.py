"""latte: the JSON report that it saves; what it prints is refused with that hint."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from submissions.analysis.curves.histograms import HistogramError, percentiles
from submissions.choices import ConsistencyLevel, LatencyKind
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
from submissions.ingest.parsers.latte.json_report import Report, read_report
from submissions.ingest.parsers.numbers import count, finite
from submissions.ingest.parsers.ycsb.properties import EXPOSED_WARNING, is_exposed

_FIELD_OF_PERCENTILE = {50.0: "p50", 95.0: "p95", 99.0: "p99", 99.9: "p999", 100.0: "max"}
_DEFAULT_FUNCTION = "run"
_SAVED = re.compile(r"info: Saved report to (\S{1,500})")
_RUNNING = "info: Running benchmark"
_LOADING = "info: Loading workload script "
# What ScyllaDB reports as the Cassandra version it is compatible with.
_SCYLLA_RELEASE_VERSION = "3.0.8"


class LatteJson:
    """A cycle is the operation: one call of the workload's function, with all requests it makes.

    `cycle_latency` is the latency of that; `request_latency` of the requests inside. Failed cycles
    are among the counted ones and in the latency. latte starts the clock when a request is sent,
    with `--rate` too (its issue 120), so its latency is service time; ScyllaDB's fork starts it when
    the request was due since 0.28.2, and its report does not tell the version.
    """

    name = "latte"
    label = "latte JSON report"
    databases: tuple[str, ...] = ("cassandra", "scylladb")
    line_characters = 32 * 1024 * 1024  # a report printed without line ends is one line

    def matches(self, head: Sequence[str]) -> bool:
        start = next((line.lstrip() for line in head if line.strip()), "")
        return start.startswith("{") and any('"sampling_interval"' in line for line in head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        report = read_report(lines)
        kind = _latency_kind(report)
        trial, warnings = _trial(report, kind)
        return LogReading(
            tool=self.name,
            facts=_facts(report, trial),
            trial_sets=((trial,),),
            warnings=(*warnings, *_warnings(report, kind)),
        )


class LatteLog:
    name = "latte-log"
    label = "what latte prints"
    databases: tuple[str, ...] = ("cassandra", "scylladb")

    def matches(self, head: Sequence[str]) -> bool:
        return any(line.startswith((_LOADING, _RUNNING, "SUMMARY STATS ═══")) for line in head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        """Always raises ParseError: the report has the same figures, unrounded, and histograms."""
        has_run, saved = False, None
        for line in lines:
            has_run |= line.startswith(_RUNNING)
            saved = saved or _SAVED.match(line)
        if not has_run:
            raise ParseError("no benchmark in the output of latte: it only prepared the database")
        report = f" ({saved[1]})" if saved else ""
        raise ParseError(f"upload the JSON report that latte saved{report}, not what it printed")


def _trial(report: Report, kind: LatencyKind) -> tuple[TrialReading, list[str]]:
    cycles, errors = report.whole("result", "cycle_count"), report.whole("result", "error_count")
    duration_s = report.number("result", "elapsed_time_s")
    if cycles is None or errors is None or not duration_s:
        raise ParseError("no cycle_count, error_count and elapsed_time_s in the latte report")
    operations = cycles - errors
    if operations <= 0:
        raise ParseError(f"all {cycles:,} cycles failed: there is no result to record")
    histograms, warnings = _histograms(report, kind)
    trial = TrialReading(
        throughput_ops_s=operations / duration_s,
        operations=operations,
        errors=errors,
        duration_s=duration_s,
        printed_ops_s=report.number("result", "cycle_throughput"),
        threads=_requests_in_flight(report),
        started_at=_started_at(report),
        latency_kind=kind,
        latency=_latency(report, report.at("result", "cycle_latency")),
        by_operation=_by_operation(report, operations, errors, duration_s),
        intervals=tuple(_intervals(report)),
        histograms=histograms,
    )
    return trial, warnings


def _latency_kind(report: Report) -> LatencyKind:
    is_fork = report.at("conf", "connection", "validation_strategy") is not None
    has_rate = _rate_ops_s(report) is not None
    return LatencyKind.UNKNOWN if is_fork and has_rate else LatencyKind.SERVICE_TIME


def _rate_ops_s(report: Report) -> float | None:
    return report.number("conf", "rate") or report.number("conf", "rate", "rate")


def _requests_in_flight(report: Report) -> int | None:
    """What other tools call threads: `concurrency` is for each of latte's threads."""
    threads, each = report.whole("conf", "threads"), report.whole("conf", "concurrency")
    return threads * each if threads and each else None


def _started_at(report: Report) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(report.at("result", "start_time")))
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _functions(report: Report) -> dict[str, float]:
    """The workload's functions and their weights, as latte names them."""
    functions = report.at("conf", "functions")
    weights = {}
    for function in functions if isinstance(functions, list) else []:
        if isinstance(function, dict) and isinstance(name := function.get("name"), str):
            weight = finite(function.get("weight"))
            if weight and weight > 0:
                weights[name] = weight
    return weights


def _operation(report: Report, function: str) -> str:
    """The function's name; of the default function, which every script has, the script's."""
    script = PurePosixPath(str(report.at("conf", "workload") or "").replace("\\", "/")).stem
    return (script if function == _DEFAULT_FUNCTION and script else function).lower()


def _latency(report: Report, distribution: object) -> Latency:
    if not isinstance(distribution, Mapping):
        return Latency()
    values = distribution.get("percentiles")
    levels = report.at("percentiles")
    fields: dict[str, float | None] = {"mean": finite(distribution.get("mean"))}
    if isinstance(values, list) and isinstance(levels, list):
        for level, value in zip(levels, values, strict=False):
            if isinstance(level, float) and level in _FIELD_OF_PERCENTILE:
                fields[_FIELD_OF_PERCENTILE[level]] = finite(value)
    return Latency(**fields)


def _by_operation(report: Report, operations: int, errors: int, duration_s: float) -> tuple[OperationReading, ...]:
    """The report counts cycles over all functions only."""
    by_function = report.at("result", "cycle_latency_by_fn")
    if not isinstance(by_function, Mapping):
        return ()
    is_single = len(by_function) == 1
    return tuple(
        OperationReading(
            name=_operation(report, name),
            operations=operations if is_single else None,
            errors=errors if is_single else None,
            throughput_ops_s=operations / duration_s if is_single else None,
            latency=_latency(report, by_function[name]),
        )
        for name in sorted(by_function)
    )


def _histograms(report: Report, kind: LatencyKind) -> tuple[tuple[Histogram, ...], list[str]]:
    if kind == LatencyKind.UNKNOWN:
        return (), []
    by_function = report.at("result", "cycle_latency_by_fn")
    named: list[tuple[str, Any]] = [("total", report.at("result", "cycle_latency"))]
    if isinstance(by_function, Mapping):
        named += [(_operation(report, name), by_function[name]) for name in sorted(by_function)]
    recorded = []
    for name, distribution in named:
        encoded = distribution.get("histogram") if isinstance(distribution, Mapping) else None
        if not isinstance(encoded, str):
            continue
        try:
            percentiles(encoded)
        except HistogramError as error:
            return (), [f"the histograms of the report were omitted: {error}"]
        recorded.append(Histogram(operation=name, kind=kind, encoded=encoded))
    return tuple(recorded), []


def _intervals(report: Report) -> Iterable[Interval]:
    for sample in report.samples:
        start_s, length_s = finite(sample.get("time_s")), finite(sample.get("duration_s"))
        if start_s is None or length_s is None:
            continue
        yield Interval(
            operation="total",
            elapsed_seconds=round(start_s + length_s, 3),
            operations=count(sample.get("cycle_count")),
            errors=count(sample.get("cycle_error_count")),
            throughput_ops_s=finite(sample.get("cycle_throughput")),
            latency=_latency(report, sample.get("cycle_latency")),
        )


def _facts(report: Report, trial: TrialReading) -> Facts:
    weights = _functions(report)
    total = sum(weights.values())
    rate, is_fork_rate = _rate_ops_s(report), trial.latency_kind == LatencyKind.UNKNOWN
    seconds = report.number("conf", "run_duration", "Time", "secs")
    nanos = report.number("conf", "run_duration", "Time", "nanos") or 0.0
    return Facts(
        service_version=_service_version(report),
        operations={_operation(report, name): weight / total for name, weight in weights.items()} or None,
        consistency_level=_consistency_level(report),
        threads=trial.threads,
        fixed_rate_ops_s=rate if is_fork_rate else None,
        throttle_ops_s=None if is_fork_rate else rate,
        requested_operations=report.whole("conf", "run_duration", "Count"),
        requested_duration_s=None if seconds is None else seconds + nanos / 1e9,
        measured_at=trial.started_at,
    )


def _service_version(report: Report) -> str | None:
    version = report.at("conf", "cass_version")
    is_known = isinstance(version, str) and version not in ("", _SCYLLA_RELEASE_VERSION)
    return str(version) if is_known else None


def _consistency_level(report: Report) -> str | None:
    """LOCAL_QUORUM of LocalQuorum."""
    written = str(report.at("conf", "connection", "consistency") or "")
    level = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", written).upper()
    return level if level in set(ConsistencyLevel) else None


def _warnings(report: Report, kind: LatencyKind) -> Iterable[str]:
    if kind == LatencyKind.UNKNOWN:
        yield (
            "ScyllaDB's latte measures from when a request was due since 0.28.2, before that from "
            "when it was sent, and the report does not tell the version: the kind of latency is "
            "unknown"
        )
    failed = sum(count(sample.get("req_error_count")) or 0 for sample in report.samples)
    errors = report.whole("result", "error_count") or 0
    if failed > errors:
        yield f"{failed:,} requests failed, but latte counts {errors:,} cycles as failed"
    password = report.at("conf", "connection", "password")
    if is_exposed(password) if isinstance(password, str) else password:
        yield EXPOSED_WARNING


JSON_PARSER = LatteJson()
LOG_PARSER = LatteLog()
