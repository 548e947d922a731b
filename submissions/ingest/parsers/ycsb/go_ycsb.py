"""go-ycsb: the properties, the summary and the rows printed while it ran."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Interval, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import go_seconds, ms_of_us, number, whole
from submissions.ingest.parsers.runs import Run, RunReading, read_runs, reading_of
from submissions.ingest.parsers.ycsb import properties

_PROPERTY = re.compile(r'"([^"]{1,200})"="([^"]{0,2000})"\s*$')
_ROW = re.compile(r"([A-Z_]{1,40}) *- (Takes\(s\): .{1,1000})")
_TABLE_ROW = re.compile(r"\| ([A-Z_]{1,40}) +\| +[\d.]+ \| .{1,1000}")
_FINISHED = re.compile(r"Run finished, takes (\S{1,40})\s*$")
_COLUMNS = (
    "Takes(s)",
    "Count",
    "OPS",
    "Avg(us)",
    "Min(us)",
    "Max(us)",
    "50th(us)",
    "90th(us)",
    "95th(us)",
    "99th(us)",
    "99.9th(us)",
)
_HEAD = "***************** properties *****************"
_LOOKS_LIKE_ROW = re.compile(r"[A-Z_]{1,40} *- Takes\(s\)|Run finished")
_TOTAL = "TOTAL"
_ERROR = "_ERROR"
_READ_MODIFY_WRITE = "READ_MODIFY_WRITE"
_MAX_ROWS = 1_000_000


@dataclass(frozen=True, slots=True)
class _Row:
    """What was measured since the start; milliseconds."""

    takes_s: float
    count: int
    ops_s: float | None
    latency: Latency


class GoYcsb:
    name = "go-ycsb"
    label = "go-ycsb"
    databases: tuple[str, ...] = ()

    def matches(self, head: Sequence[str]) -> bool:
        return any(
            _TABLE_ROW.match(line)
            or _is_json_row(line)
            or ((row := _ROW.match(line)) and ", OPS: " in row[2] and "(us): " in row[2])
            or line.strip() == _HEAD
            for line in head
        )

    def parse(self, lines: Iterable[str]) -> LogReading:
        """Latency is service time: the clock starts after the wait that `target` imposes."""
        return reading_of(self.name, read_runs(lines, _Run))


class _Run(Run):
    """One run, as far as it was read."""

    def __init__(self) -> None:
        super().__init__()
        self._has_head = False
        self.properties: dict[str, str] = {}
        self._groups: list[dict[str, _Row]] = []
        self._run_s: float | None = None
        self._rows = 0

    def read(self, line: str) -> bool:
        rows = list(_rows(line))
        if self._begins_another(line, rows):
            return False
        self._has_head |= line.strip() == _HEAD
        if finished := _FINISHED.match(line):
            self._run_s = go_seconds(finished[1])
            self._groups.append({})
        elif pair := _PROPERTY.match(line):
            if len(self.properties) < 1000:
                self.properties[pair[1]] = pair[2]
        elif not rows and _LOOKS_LIKE_ROW.match(line):
            self.not_read.add(line)
        for name, row in rows:
            self._add(name, row)
        return True

    def _begins_another(self, line: str, rows: Sequence[tuple[str, _Row]]) -> bool:
        """Properties, a row of an earlier time, or an end after this run's own."""
        if line.strip() == _HEAD:
            return bool(self._has_head or self._groups)
        if not self._groups:
            return False
        last = self._last()
        is_row_of_another = any(
            (self._run_s is not None and name in self._groups[-1])
            or (name in last and row.takes_s < last[name].takes_s)
            for name, row in rows
        )
        is_end = self._run_s is not None and _FINISHED.match(line) is not None
        return is_row_of_another or is_end or _PROPERTY.match(line) is not None

    def readings(self) -> Sequence[RunReading]:
        facts = properties.facts(
            self.properties, properties.attempts(self.attempts()), is_complete=bool(self.properties)
        )
        return [RunReading(facts, self.trial(), self.warnings())]

    def _add(self, name: str, row: _Row) -> None:
        self._rows += 1
        if self._rows > _MAX_ROWS:
            raise ParseError(f"more than {_MAX_ROWS:,} rows")
        # Rows come sorted by name, so a name that was there begins the next group.
        if not self._groups or name in self._groups[-1]:
            self._groups.append({})
        self._groups[-1][name] = row

    def attempts(self) -> dict[str, int]:
        last = self._last()
        names = {name.removesuffix(_ERROR) for name in last if name != _TOTAL}
        return {_slug(name): _count(last, name) + _count(last, name + _ERROR) for name in names}

    def trial(self) -> TrialReading:
        last = self._last()
        errors = _errors(last)
        measured = [row for name, row in last.items() if not name.endswith(_ERROR)]
        if not measured:
            if errors:
                raise ParseError(f"all {errors:,} operations failed: there is no result to record")
            raise ParseError("no row of measurements: the run ended before the first one")
        operations = _operations(last)
        duration_s = self._duration_s(last.get(_TOTAL) or max(measured, key=lambda row: row.takes_s))
        return TrialReading(
            throughput_ops_s=operations / duration_s if duration_s else None,
            operations=operations,
            errors=errors,
            duration_s=duration_s,
            # With read-modify-writes its TOTAL is the rate of database calls, not of operations.
            printed_ops_s=None if _READ_MODIFY_WRITE in last else _printed_ops_s(last),
            threads=whole(self.properties.get("threadcount")),
            latency_kind=LatencyKind.SERVICE_TIME,
            latency=last[_TOTAL].latency if _TOTAL in last else _single_latency(last),
            by_operation=_by_operation(last),
            intervals=tuple(self._intervals()),
            truncated=self._run_s is None,
        )

    def warnings(self) -> tuple[str, ...]:
        if properties.has_secret(self.properties):
            return (properties.EXPOSED_WARNING,)
        return ()

    def _last(self) -> dict[str, _Row]:
        return next((group for group in reversed(self._groups) if group), {})

    def _duration_s(self, total: _Row) -> float:
        # The run's own time has nanoseconds, but counts a warm-up in which nothing is measured.
        has_warm_up = (whole(self.properties.get("warmuptime")) or 0) > 0
        if self._run_s is None or has_warm_up:
            return total.takes_s
        return self._run_s

    def _intervals(self) -> Iterable[Interval]:
        """The differences between the rows, which count from the start; so do their percentiles."""
        if len(self._groups) < 2:
            return
        before: dict[str, _Row] = {}
        for group in self._groups:
            for name, row in group.items():
                if not name.endswith(_ERROR):
                    yield _interval(name, row, group, before)
            if _TOTAL not in group and (types := _by_type(group)):
                yield _interval(_TOTAL, max(types.values(), key=lambda row: row.takes_s), group, before)
            before = group


def _interval(name: str, row: _Row, group: dict[str, _Row], before: dict[str, _Row]) -> Interval:
    if name == _TOTAL:
        errors = _errors(group) - _errors(before)
        good = _operations(group) - _operations(before)
    else:
        errors = _count(group, name + _ERROR) - _count(before, name + _ERROR)
        good = row.count - _count(before, name)
    earlier = before.get(name) or (max(before.values(), key=lambda row: row.takes_s) if before else None)
    seconds = row.takes_s - (earlier.takes_s if earlier and (name == _TOTAL or name in before) else 0.0)
    return Interval(
        operation=_slug(name),
        elapsed_seconds=row.takes_s,
        operations=good + errors,
        errors=errors,
        throughput_ops_s=(good + errors) / seconds if seconds > 0 else None,
    )


def _by_operation(rows: dict[str, _Row]) -> tuple[OperationReading, ...]:
    names = {name.removesuffix(_ERROR) for name in rows if name != _TOTAL}
    return tuple(
        OperationReading(
            name=_slug(name),
            operations=_count(rows, name),
            errors=_count(rows, name + _ERROR),
            throughput_ops_s=rows[name].ops_s if name in rows else None,
            latency=rows[name].latency if name in rows else Latency(),
        )
        for name in sorted(names)
    )


def _operations(rows: dict[str, _Row]) -> int:
    """Successful transactions: a read-modify-write is counted as its read and its update, too."""
    calls = _count(rows, _TOTAL) or sum(row.count for row in _by_type(rows).values())
    return max(0, calls - _count(rows, _READ_MODIFY_WRITE))


def _by_type(rows: dict[str, _Row]) -> dict[str, _Row]:
    """The successful calls of the database."""
    left_out = (_TOTAL, _READ_MODIFY_WRITE)
    return {name: row for name, row in rows.items() if name not in left_out and not name.endswith(_ERROR)}


def _printed_ops_s(rows: dict[str, _Row]) -> float | None:
    """Releases before 2022 print no TOTAL."""
    if _TOTAL in rows:
        return rows[_TOTAL].ops_s
    rates = [row.ops_s for row in _by_type(rows).values()]
    return sum(rate for rate in rates if rate is not None) if rates and None not in rates else None


def _single_latency(rows: dict[str, _Row]) -> Latency:
    """Percentiles of several types cannot be joined."""
    types = list(_by_type(rows).values())
    return types[0].latency if len(types) == 1 else Latency()


def _errors(rows: dict[str, _Row]) -> int:
    return sum(row.count for name, row in rows.items() if name.endswith(_ERROR))


def _count(rows: dict[str, _Row], name: str) -> int:
    return rows[name].count if name in rows else 0


def _slug(name: str) -> str:
    return name.lower().replace("_", "-")


def _rows(line: str) -> Iterable[tuple[str, _Row]]:
    """The rows in a line, in each of the three output styles (a JSON line has them all)."""
    if plain := _ROW.match(line):
        yield from _row(plain[1], dict(_pairs(plain[2])))
    elif _TABLE_ROW.match(line):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        yield from _row(cells[0], dict(zip(_COLUMNS, cells[1:], strict=False)))
    elif _is_json_row(line):
        for fields in _json_rows(line):
            yield from _row(str(fields.get("Operation")), fields)


def _row(name: str, fields: dict[str, str]) -> Iterable[tuple[str, _Row]]:
    takes_s, count = number(fields.get("Takes(s)")), whole(fields.get("Count"))
    if takes_s is None or count is None:
        return
    latency = Latency(
        mean=_ms(fields, "Avg(us)"),
        p50=_ms(fields, "50th(us)"),
        p95=_ms(fields, "95th(us)"),
        p99=_ms(fields, "99th(us)"),
        p999=_ms(fields, "99.9th(us)"),
        max=_ms(fields, "Max(us)"),
    )
    yield name, _Row(takes_s, count, number(fields.get("OPS")), latency)


def _ms(fields: dict[str, str], column: str) -> float | None:
    return ms_of_us(number(fields.get(column)))


def _pairs(text: str) -> Iterable[tuple[str, str]]:
    for pair in text.split(", "):
        name, _, value = pair.partition(": ")
        yield name, value.strip()


def _is_json_row(line: str) -> bool:
    return line.startswith("[{") and '"Takes(s)"' in line and '"TPM"' not in line  # which go-tpc has


def _json_rows(line: str) -> list[dict[str, str]]:
    try:
        rows = json.loads(line)
    except (ValueError, RecursionError):
        return []  # cut short
    return [{str(key): str(value) for key, value in row.items()} for row in rows if isinstance(row, dict)]


PARSER = GoYcsb()
