"""HammerDB's job report (`jobs summaryjson`, since 6.0): one timed run with its response times."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from submissions.ingest.document.readings import Facts, Interval, LogReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.hammerdb import hammerdb
from submissions.ingest.parsers.json_document import MAX_CHARACTERS, at, read_object, starts_json
from submissions.ingest.parsers.numbers import count, finite

_SCHEMA = "hammerdb-job-report-v1"
_MEASURES = {"CALLS": "calls", "AVG": "avg_ms", "MAX": "max_ms", "P99": "p99_ms", "P95": "p95_ms", "P50": "p50_ms"}
_MAX_POINTS = 100_000
_TPROC_H = "a report of TPROC-H: its result is a time for 22 queries, not a rate; only TPROC-C is read"


class HammerDbReport:
    name = "hammerdb-report"
    label = "HammerDB job report (JSON)"
    databases: tuple[str, ...] = hammerdb.PARSER.databases
    line_characters = MAX_CHARACTERS

    def matches(self, head: Sequence[str]) -> bool:
        return starts_json(head) and any(f'"{_SCHEMA}"' in line for line in head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        report = read_object(lines, "HammerDB")
        run = _run(report)
        measured_at = _time(at(report, "job", "timestamp"))
        warnings = [hammerdb.warning_about_rate([run])]
        if measured_at:
            warnings.append("the report's times have no time zone: they are read as UTC")
        read = hammerdb.reading([run], version=_text(at(report, "job", "hdb_version")), warnings=warnings)
        trial = replace(read.trial_sets[0][0], intervals=tuple(_intervals(report, measured_at)))
        return replace(read, facts=_facts(report, read.facts, measured_at), trial_sets=((trial,),))


def _run(report: dict[str, Any]) -> hammerdb.Run:
    nopm, tpm = count(at(report, "result", "nopm")), count(at(report, "result", "tpm"))
    if "H" in str(at(report, "job", "benchmark")).upper().rpartition("-")[2]:
        raise ParseError(_TPROC_H)
    if nopm is None or tpm is None:
        raise ParseError("no nopm and tpm in the result of the HammerDB report: the timed run did not finish")
    minutes = finite(at(report, "benchmark_config", "duration_minutes"))
    return hammerdb.Run(
        nopm=nopm,
        tpm=tpm,
        database=_text(at(report, "job", "database")) or "the database",
        users=count(at(report, "result", "active_virtual_users")),
        minutes=minutes if minutes and minutes > 0 else None,
        profile=_profile(at(report, "response_times", "rows")),
    )


def _profile(rows: Any) -> dict[str, dict[str, float]]:
    profile = {}
    for row in rows[:50] if isinstance(rows, list) else []:
        if name := _text(at(row, "name")):
            known = {measure: finite(at(row, key)) for measure, key in _MEASURES.items()}
            profile[name.lower()] = {measure: value for measure, value in known.items() if value is not None}
    return profile


def _facts(report: dict[str, Any], known: Facts, measured_at: datetime | None) -> Facts:
    return replace(
        known,
        tool_version=known.tool_version and known.tool_version.removeprefix("v"),
        service_version=_text(at(report, "job", "release")),
        measured_at=measured_at,
    )


def _intervals(report: dict[str, Any], start: datetime | None) -> Iterable[Interval]:
    """The transaction counter: in the database's own transactions (TPM), ramp-up and the end included."""
    series = at(report, "transaction_count", "series")
    points = at(series[0], "points") if isinstance(series, list) and series else None
    for point in points[:_MAX_POINTS] if isinstance(points, list) else []:
        moment, tpm = _time(at(point, "timestamp")), finite(at(point, "value"))
        if start and moment and moment > start and tpm is not None and tpm >= 0:
            yield Interval(
                operation="transactions",
                elapsed_seconds=(moment - start).total_seconds(),
                operations=None,
                errors=None,
                throughput_ops_s=tpm / 60,
            )


def _time(value: object) -> datetime | None:
    try:
        return datetime.strptime(str(value), "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def _text(value: object) -> str | None:
    return value.strip()[:50] or None if isinstance(value, str) else None


PARSER = HammerDbReport()
