"""memtier_benchmark: the table that it prints, one trial for each run of --run-count."""

import re
from collections.abc import Iterable, Sequence

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import number, observed_shares, whole
from submissions.ingest.parsers.runs import Run, RunReading, read_runs, reading_of

TOOL = "memtier-benchmark"
NO_SINGLE_RUN = (
    "the file has only the best, the worst and the average of several runs: run memtier_benchmark with"
    " --print-all-runs, so that each run becomes a trial"
)

_COLUMNS = re.compile(r"Type\s+Ops/sec\s.{0,200}$")
_PROGRESS = re.compile(r"\[RUN #(?P<run>\d{1,4})(?: \d{1,3}%,? {1,4}\d{1,9} secs)?\].{0,60}?(?P<ops>\d{1,18}) ops,")
_FIELDS = {
    "threads": re.compile(r"(\d{1,9}) +Threads$"),
    "connections": re.compile(r"(\d{1,9}) +Connections per thread$"),
    "requests": re.compile(r"(\d{1,18}) +Requests per (?:client|thread)$"),
    "seconds": re.compile(r"(\d{1,9}) +Seconds$"),
}
_SECTION = re.compile(
    r"(ALL STATS|RUN #\d{1,4} RESULTS|BEST RUN RESULTS|WORST RUN RESULTS|AGGREGATED AVERAGE .{1,60})$"
)
_LATENCIES = {
    "Avg. Latency": "mean",
    "Latency": "mean",
    "p50 Latency": "p50",
    "p95 Latency": "p95",
    "p99 Latency": "p99",
    "p99.9 Latency": "p999",
}
_COLUMN = re.compile(r"(?:Avg\. |p[\d.]{1,8} )?Latency|\S+")
_TOTALS = "Totals"
_LOOKS_LIKE_ROW = re.compile(r"(?:Totals|Sets|Gets) {1,20}[\d.]{3,20} ")
_PIPELINED = 1.2  # more requests under way than connections: they were sent in pipelines
_MAX_RUNS = 100
_MAX_COMMANDS = 200

Row = dict[str, float | None]


class MemtierText:
    name = TOOL
    label = "memtier_benchmark"
    databases: tuple[str, ...] = ("redis", "memcached")

    def matches(self, head: Sequence[str]) -> bool:
        return any(_COLUMNS.match(line) or _PROGRESS.search(line) for line in head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        return reading_of(TOOL, read_runs((part.rstrip() for line in lines for part in line.split("\r")), _Run))


class _Run(Run):
    """One start of the tool, as far as it was read."""

    def __init__(self) -> None:
        super().__init__()
        self._fields: dict[str, str] = {}
        self._sections: list[tuple[str, dict[str, Row]]] = []
        self._section = "ALL STATS"
        self._columns: list[str] = []
        self._done: dict[int, int] = {}  # operations of each run, as its last progress row says

    def read(self, line: str) -> bool:
        if self._begins_another(line):
            return False
        if section := _SECTION.match(line):
            self._section, self._columns = section[1], []
        elif _COLUMNS.match(line):
            self._columns = _COLUMN.findall(line)
            self._start_section()
        elif progress := _PROGRESS.search(line):
            if len(self._done) < _MAX_RUNS:
                self._done[int(progress["run"])] = int(progress["ops"])
        elif self._columns:
            self._read_row(line)
        else:
            for name, pattern in _FIELDS.items():
                if name not in self._fields and (match := pattern.match(line)):
                    self._fields[name] = match[1]
            if _LOOKS_LIKE_ROW.match(line):
                self.not_read.add(line)
        return True

    def _begins_another(self, line: str) -> bool:
        """A row or a setting behind this run's tables, a table that was there, or fewer operations than before."""
        if progress := _PROGRESS.search(line):
            return bool(self._sections) or int(progress["ops"]) < self._done.get(int(progress["run"]), 0)
        if not self._sections:
            return False
        if section := _SECTION.match(line):
            return self._has(section[1])
        if _COLUMNS.match(line):
            return self._has(self._section)
        return any(name in self._fields and pattern.match(line) for name, pattern in _FIELDS.items())

    def _has(self, section: str) -> bool:
        return any(name == section for name, _ in self._sections)

    def _start_section(self) -> None:
        if len(self._sections) > _MAX_RUNS:
            raise ParseError(f"more than {_MAX_RUNS} runs in the file")
        self._sections.append((self._section, {}))

    def _read_row(self, line: str) -> None:
        words = line.split()
        if not words:
            self._columns = []
            return
        if len(words) == len(self._columns) and len(self._sections[-1][1]) < _MAX_COMMANDS:
            values = zip(self._columns[1:], words[1:], strict=True)
            self._sections[-1][1][words[0]] = {column: number(word) for column, word in values}
        elif _LOOKS_LIKE_ROW.match(line):
            self.not_read.add(line)

    def readings(self) -> Sequence[RunReading]:
        runs = [(name, rows) for name, rows in self._sections if name == "ALL STATS" or name.startswith("RUN #")]
        if self._sections and not runs:
            raise ParseError(NO_SINGLE_RUN)
        if not runs or any(not rows.get(_TOTALS) for _, rows in runs):
            raise ParseError("no row Totals in the table of memtier_benchmark: the run did not finish")
        facts = self._facts(runs[0][1])
        return [RunReading(facts, self._trial(index, rows)) for index, (_, rows) in enumerate(runs, 1)]

    def _trial(self, run: int, rows: dict[str, Row]) -> TrialReading:
        totals = rows[_TOTALS]
        rate = totals.get("Ops/sec")
        if not rate:
            raise ParseError("no operation was completed: there is no result to record")
        operations = self._done.get(run)
        return TrialReading(
            throughput_ops_s=rate,
            operations=operations,
            duration_s=round(operations / rate, 6) if operations else None,
            printed_ops_s=rate,
            threads=self._threads(rows),
            latency_kind=LatencyKind.SERVICE_TIME,
            latency=_latency(totals),
            by_operation=tuple(
                OperationReading(name=command(name), throughput_ops_s=row.get("Ops/sec"), latency=_latency(row))
                for name, row in rows.items()
                if name != _TOTALS and row.get("Ops/sec")
            ),
        )

    def _connections(self) -> int | None:
        threads, connections = whole(self._fields.get("threads")), whole(self._fields.get("connections"))
        return threads * connections if threads and connections else None

    def _threads(self, rows: dict[str, Row]) -> int | None:
        """Connections: each waits for its answer; None where they sent in pipelines, which are not printed."""
        connections, rate, mean_ms = self._connections(), rows[_TOTALS].get("Ops/sec"), _latency(rows[_TOTALS]).mean
        if connections and rate and mean_ms and rate * mean_ms / 1000 > _PIPELINED * connections:
            return None
        return connections

    def _facts(self, rows: dict[str, Row]) -> Facts:
        requests, seconds = whole(self._fields.get("requests")), number(self._fields.get("seconds"))
        connections = self._connections()
        counts = {
            command(name): round(100 * (row.get("Ops/sec") or 0.0)) for name, row in rows.items() if name != _TOTALS
        }
        return Facts(
            operations=observed_shares(counts),
            threads=self._threads(rows),
            requested_operations=requests * connections if requests and connections else None,
            requested_duration_s=seconds or None,
        )


def command(name: str) -> str:
    """get of Gets: the tables have the commands in the plural."""
    return name.lower().removesuffix("s")[:100] or name.lower()


def _latency(row: Row) -> Latency:
    """A command that was never sent has `---` or zeros."""
    if not row.get("Ops/sec"):
        return Latency()
    return Latency(**{field: row.get(column) for column, field in _LATENCIES.items() if column in row})


PARSER = MemtierText()
