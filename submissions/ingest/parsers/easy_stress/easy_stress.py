"""cassandra-easy-stress, formerly easy-cass-stress and tlp-stress: what it prints, and its file of `--csv`."""

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from submissions.choices import ConsistencyLevel, LatencyKind
from submissions.ingest.document.readings import Latency, LogReading
from submissions.ingest.parsers.easy_stress import command
from submissions.ingest.parsers.easy_stress.counts import P99_IS_SAMPLED, Row, counts_of, shifted, trial
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import number, whole
from submissions.ingest.parsers.runs import Run, RunReading, read_runs, reading_of

TOOL = "cassandra-easy-stress"
_SECONDS_OF_A_ROW = 3.0  # startReporting in Metrics.kt, in every release
_NUMBER = r"(-?[\d.,E-]{1,24}|NaN|\S)"  # of DecimalFormat, whose NaN is one character
_GROUP = rf"(\d{{1,15}})\s+{_NUMBER}\s+{_NUMBER} \|\s+"  # count, p99, rate of the last minute
_ROW = re.compile(rf"\s*{_GROUP}{_GROUP}{_GROUP}(\d{{1,15}})\s+{_NUMBER}\s*$")
_HEAD = re.compile(r"\s*Count\s+Latency \(p99\)\s+1min \(req/s\) \|")
_LEVEL = re.compile(r"Executing \d{1,18} operations with consistency level (?P<level>[A-Z_]{1,20})")
_COMPLETE = "Stress complete"
_CSV_TITLE = re.compile(r"# (?:tlp-stress|easy-cass-stress|cassandra-easy-stress) run at ")
_CSV_GROUPS = ",,Mutations,"
_CSV_HEAD = re.compile(r"(?:Timestamp|Epoch Time \(ms\)), ?Elapsed Time")
# What is rarer than one in a hundred is not in the sample of a thousand: its maximum is not that of the run.
_CSV_LATENCY = re.compile(r"Latency (?:\((?P<unit>ms|us)\) )?\((?P<name>p50|p95|p99)\)")
_NEARLY = 0.95
_MAX_ROWS = 1_000_000


class _Output(Run):
    """Of one start of the tool."""

    def __init__(self) -> None:
        super().__init__()
        self.command: str | None = None
        self.kind = LatencyKind.UNKNOWN
        self.rows: list[Row] = []

    def read(self, line: str) -> bool:
        if found := command.COMMAND.search(line[:5000]):
            if self.rows:
                return False
            self.command = found["words"].strip()
        if not self.rows:
            self._read_name(line)
        return True

    def _read_name(self, line: str) -> None:
        if command.RESPONSE_TIME.search(line[:200]):
            self.kind = LatencyKind.RESPONSE_TIME
        elif command.SERVICE_TIME.search(line[:200]):
            self.kind = LatencyKind.SERVICE_TIME

    def _add(self, row: Row) -> bool:
        """False where it counts anew: it is of another run."""
        if self.rows and row.done < self.rows[-1].done:
            return False
        if len(self.rows) >= _MAX_ROWS:
            raise ParseError(f"more than {_MAX_ROWS:,} rows")
        self.rows.append(row)
        return True

    def _reading(self, rows: Sequence[Row], *, is_complete: bool) -> RunReading:
        if not rows:
            raise ParseError("no row of counts: the run did not finish")
        workload = command.workload_of(self.command)
        prefix = f"{workload}-" if workload else ""
        facts = command.facts(self.command, self.kind, counts_of(rows[-1], prefix))
        is_short = rows[-1].elapsed_s < _NEARLY * (facts.requested_duration_s or 0)
        return RunReading(
            facts,
            trial(rows, self.kind, prefix=prefix, is_complete=is_complete and not is_short),
            tuple(self._warnings()),
        )

    def _warnings(self) -> Iterable[str]:
        yield P99_IS_SAMPLED
        if self.kind == LatencyKind.UNKNOWN:
            yield (
                "the log does not name the tool, so it is not known whether its latencies are service time (tlp-stress)"
                " or response time (easy-cass-stress, cassandra-easy-stress)"
            )
        if self.command is None:
            yield "the command line is not in the log: state it, with the workload and --rate"


class _Text(_Output):
    def __init__(self) -> None:
        super().__init__()
        self._level: str | None = None
        self._is_complete = False

    def read(self, line: str) -> bool:
        if row := _ROW.match(line):
            return self._add(self._row(row))
        if line.lstrip().startswith(_COMPLETE):
            self._is_complete = True
        elif level := _LEVEL.match(line.lstrip()):
            self._level = level["level"] if level["level"] in set(ConsistencyLevel) else None
        elif line.count(" | ") == 3 and line.strip()[:1].isdigit():
            self.not_read.add(line)
        return super().read(line)

    def _row(self, row: re.Match[str]) -> Row:
        groups = [row.groups()[place : place + 3] for place in (0, 3, 6)]
        return Row(
            elapsed_s=(len(self.rows) + 1) * _SECONDS_OF_A_ROW,
            counts=tuple(int(count) for count, _, _ in groups),
            errors=int(row[10]),
            latencies=tuple(Latency(p99=number(p99)) if whole(count) else Latency() for count, p99, _ in groups),
        )

    def readings(self) -> Sequence[RunReading]:
        reading = self._reading(self.rows, is_complete=self._is_complete)
        level = reading.facts.consistency_level or self._level
        about = (
            "the rows have no times: one comes every 3 seconds, so the duration is known to 3 seconds (--csv has times)"
        )
        facts = replace(reading.facts, consistency_level=level)
        return [replace(reading, facts=facts, warnings=(*reading.warnings, about))]


class _Csv(_Output):
    def __init__(self) -> None:
        super().__init__()
        self._columns: list[str] = []
        self._starts: list[int] = []
        self._times: list[datetime] = []

    def read(self, line: str) -> bool:
        if _CSV_TITLE.match(line) and self.rows:
            return False
        if _CSV_HEAD.match(line):
            self._columns = [cell.strip() for cell in next(csv.reader([line]), [])]
            self._starts = [place for place, name in enumerate(self._columns) if name == "Count"][:4]
        elif line[:1].isdigit() and len(self._starts) == 4:
            return self._read_row(next(csv.reader([line]), []), line)
        return super().read(line)

    def _read_row(self, cells: list[str], line: str) -> bool:
        counts = [whole(cells[place]) if place < len(cells) else None for place in self._starts]
        at, elapsed_s = _time(cells[0] if cells else ""), number(cells[1] if len(cells) > 1 else "")
        if None in counts or at is None or elapsed_s is None:
            self.not_read.add(line)
            return True
        *done, errors = (count or 0 for count in counts)
        seconds = elapsed_s / 1000 if "(ms)" in self._columns[1] else elapsed_s
        latencies = tuple(
            self._latency(cells, start, end) if count else Latency()
            for count, start, end in zip(done, self._starts, self._starts[1:], strict=False)
        )
        if not self._add(Row(seconds, tuple(done), errors, latencies)):
            return False
        self._times.append(at)
        return True

    def _latency(self, cells: list[str], start: int, end: int) -> Latency:
        values: dict[str, float | None] = {}
        for place in range(start + 1, min(end, len(cells))):
            if column := _CSV_LATENCY.fullmatch(self._columns[place]):
                value = number(cells[place])
                values[column["name"]] = value / 1000 if value and column["unit"] == "us" else value
        return Latency(**values)

    def readings(self) -> Sequence[RunReading]:
        """The clock of the file starts before the table is filled, that of the rows when the run begins."""
        if len(self.rows) < 2:
            raise ParseError("fewer than two rows of counts: how long the run took is not known")
        period_s = self.rows[1].elapsed_s - self.rows[0].elapsed_s or _SECONDS_OF_A_ROW
        rows = shifted(self.rows, self.rows[0].elapsed_s - period_s)
        reading = self._reading(rows, is_complete=True)
        measured_at = self._times[0] - timedelta(seconds=period_s)
        return [replace(reading, facts=replace(reading.facts, measured_at=measured_at))]


class EasyStressText:
    """Requests are sent without waiting for answers, so its threads are none that wait."""

    name = TOOL
    label = "cassandra-easy-stress, easy-cass-stress, tlp-stress"
    databases: tuple[str, ...] = ("cassandra", "scylladb")

    def matches(self, head: Sequence[str]) -> bool:
        return any(_HEAD.match(line) or _ROW.match(line) for line in head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        return reading_of(TOOL, read_runs(lines, _Text, may_repeat=lambda line: _ROW.match(line) is not None))


class EasyStressCsv:
    name = f"{TOOL}-csv"
    label = "cassandra-easy-stress, tlp-stress: --csv"
    databases: tuple[str, ...] = ("cassandra", "scylladb")

    def matches(self, head: Sequence[str]) -> bool:
        return any(_CSV_TITLE.match(line) or line.startswith(_CSV_GROUPS) or _CSV_HEAD.match(line) for line in head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        return reading_of(TOOL, read_runs(lines, _Csv))


def _time(text: str) -> datetime | None:
    """2021-11-09T20:02:58.463608846Z, or milliseconds since 1970."""
    try:
        if text.isdigit():
            return datetime.fromtimestamp(int(text) / 1000, UTC)
        return datetime.fromisoformat(re.sub(r"(\.\d{6})\d{1,3}", r"\1", text[:40])).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


PARSERS = (EasyStressCsv(), EasyStressText())
