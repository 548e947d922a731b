"""The log that cassandra-stress prints or writes with `-log file=`, of every era."""

import re
from collections.abc import Callable, Iterable, Sequence

from submissions.ingest.document.readings import BlockLines, LogReading
from submissions.ingest.parsers.cassandra_stress import table, vectorized
from submissions.ingest.parsers.cassandra_stress.reasons import Reasons, exception_in
from submissions.ingest.parsers.cassandra_stress.runs import Run, reading
from submissions.ingest.parsers.cassandra_stress.settings import duration_s
from submissions.ingest.parsers.cassandra_stress.trial import RunBlock
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.not_read import NotRead

_SETTINGS = "******************** Stress Settings"
_PROFILE = "******************** Profile(s)"
_NO_JMX = "Failed to connect over JMX"
# What stack traces and driver warnings start with: most of a log of 300 MB.
_NOISE = ("\tat ", "\t... ", "Caused by: ", "WARN ", "    at ")
_RUNNING = re.compile(r"Running (?:\[([^\]]{1,4000})\]|(\S{1,200})) with (\d{1,9}) threads(.*)")
_RUNNING_AUTO = re.compile(r"Running with (\d{1,9}) thread(?:Count|s)")
_FOR = re.compile(r"\s*for (-?\d{1,18}) iteration")
# 0.6 to 2.0 with --keep-going: "Operation [41] retried 10 times - error inserting key 0041".
_LOOKS_LIKE_ROW = re.compile(r"\s{0,20}(?:[A-Za-z_]\w{0,100},)?(?:\s{0,20}\d[\d.]{0,20},){4}")
_LEGACY_ERROR = re.compile(r"Operation \[\d{1,18}\] retried \d{1,9} times - error")
MAX_INTERVALS = 100_000  # stored of a file: a day with a row per second. Later rows only add to the sums
ONE_BY_ONE = 4_000  # rows: after these, together. What reads many at a time takes longer to load than to read fewer
ROWS_AT_ONCE, FEWEST_AT_ONCE = 8_192, 64
_MOST_CHARACTERS = 500  # of a line that is held for later
_MOST_STARTS = 20  # operations of a profile
_MOST_OTHER = 4_096  # different lines that are neither rows nor results, in memory
_MAX_RUNS = 200  # of a hostile file; `-rate auto` tries some dozens of thread counts
_MARKS = (
    _SETTINGS,
    "Usage:      cassandra-stress",
    "Usage: ./bin/cassandra-stress",
    "Usage: ./bin/stress",
    "at org.apache.cassandra.stress.",
)


class StressLog:
    """Reads rows, summaries and settings in any order; see Parser."""

    name = "cassandra-stress"
    label = "cassandra-stress log (0.6 to 5.0, and cql-stress)"
    databases: tuple[str, ...] = ("cassandra", "scylladb")

    def matches(self, head: Sequence[str]) -> bool:
        """Whether a header row, a summary, the settings or the tool's usage text is in the head."""
        return any(_is_ours(line) for line in head)

    def is_certain(self, line: str) -> bool:
        """A settings head with something before it is not."""
        return line.startswith(_MARKS) if any(mark in line for mark in _MARKS) else _is_ours(line)

    def parse(self, lines: Iterable[str]) -> LogReading:
        """Read the log; see Parser. A killed run becomes a truncated trial, a failed one an error."""
        reader = _Reader()
        rows, most = reader.rows, ROWS_AT_ONCE
        if isinstance(lines, BlockLines):
            lines.offer_blocks(reader.read_block)
        for line in lines:  # nearly all are rows: each is looked at once
            if line.startswith(reader.row_starts) and len(line) <= _MOST_CHARACTERS:
                rows.append(line)
                if len(rows) == most:
                    reader.read_rows()
            elif not line.startswith(_NOISE):
                reader.read(line)
        reader.read_rows()
        return reading(reader.runs, reader.reasons, reader.not_read)


def _is_ours(line: str) -> bool:
    if line.lower().startswith("op rate  ") or any(mark in line for mark in _MARKS):
        return True
    return _header(line) is not None or _RUNNING.match(line) is not None or table.of_headless_row(line) is not None


def _header(line: str) -> table.Table | None:
    return table.header(line) if "op/s," in line or line.startswith("total,int") else None


class _Reader:
    """The state between lines. Holds rows and settings, and no text of traces."""

    def __init__(self) -> None:
        self.reasons = Reasons()
        self.not_read = NotRead()
        self.runs = [Run()]
        self._table: table.Table | None = None
        self._other: dict[str, str] = {}  # lines that are nothing but a reason, and their exception: most are repeated
        self._text: Callable[[str], None] = self._anywhere  # how to read what is no row: depends on the last banner
        self._has_jmx = True
        self._kept = 0  # rows, over all runs
        self.rows: list[str] = []  # that wait to be read together
        self.row_starts: tuple[str, ...] = ()  # how they begin, once there are many
        self._blocks = 1

    def read(self, line: str) -> None:
        """Take the next line that is no waiting row, with or without its end."""
        if (exception := self._other.get(line)) is not None:
            self.reasons.note(line, exception)
        else:
            self.read_rows()
            self._read_line(line)

    def read_rows(self) -> None:
        """Read what waits. The first row may begin a run, and shows that they are rows."""
        if not self.rows:
            return
        first, *lines = self.rows
        self.rows.clear()
        self._read_line(first)
        if len(lines) >= FEWEST_AT_ONCE and self._add("\n".join(lines) + "\n"):
            return
        for line in lines:
            self._read_line(line)

    def read_block(self, text: str) -> bool:
        """Whole lines that follow those that were read; False, and nothing is read, where they are not rows alone."""
        last = text.rfind("\n", 0, -1) + 1
        if not text.startswith(self.row_starts) or not text.startswith(self.row_starts, last):
            return False
        self.read_rows()
        return self._add(text)

    def _add(self, text: str) -> bool:
        """Rows of the run that is being read, together; False, and nothing is added, where that cannot be."""
        table, block = self._table, self._block
        if table is None or block.ended:
            return False
        added = vectorized.add(block.series, table, text, max(MAX_INTERVALS - self._kept, 0), _MOST_CHARACTERS)
        self._kept += added
        return added > 0

    def _read_line(self, line: str) -> None:
        line = line.rstrip("\r\n")
        if self._table is None or not self._read_row(self._table, line):
            self._text(line)

    @property
    def _run(self) -> Run:
        return self.runs[-1]

    @property
    def _block(self) -> RunBlock:
        return self.runs[-1].blocks[-1]

    def _read_row(self, current: table.Table, line: str) -> bool:
        if current.is_closing:
            return "threadCount," in line or " threads," in line
        row = current.row(line)
        if row is None:
            return False
        if self._block.ended or self._block.series.falls_at(row):
            self._start_block()
        self._block.legacy = current.legacy
        self._block.is_py_stress = self._block.is_py_stress and row.is_python
        self._block.series.add(row, keep=self._kept < MAX_INTERVALS)
        self._kept += 1
        if self._kept > ONE_BY_ONE and current.plain is not None and len(self.row_starts) < _MOST_STARTS:
            start = line[: line.find(",") + 1]
            if start not in self.row_starts:
                self.row_starts += (start,)
        return True

    def _read_text(self, how: Callable[[str], None]) -> None:
        self._text = how
        self._other.clear()

    def _anywhere(self, line: str) -> None:
        if (header := _header(line)) is not None:
            self._start_table(header)
        elif self._table is None and (columns := table.of_headless_row(line)) is not None:
            self._table = columns
            self._read_row(columns, line)
        elif line.lstrip().startswith("Running "):
            self._read_running(line.lstrip())
        elif line.startswith(_SETTINGS):
            self._start_settings()
        elif line.startswith(_PROFILE):
            self._read_text(self._in_profile)
        elif line.startswith("Data"):
            self._run.settings.read_host(line)
        else:
            self._read_other(line)

    def _in_settings(self, line: str) -> None:
        if line.strip():
            self._run.settings.read(line)
        else:
            self._read_text(self._anywhere)

    def _in_profile(self, line: str) -> None:
        if line.startswith(("Connected to cluster", "Sleeping", "Running ", "type ")):
            self._read_text(self._anywhere)
            self._anywhere(line)
        else:
            self._run.settings.read_profile(line)

    def _read_other(self, line: str) -> None:
        label, colon, text = line.partition(":")
        if colon and self._read_label(label, text):
            return
        if line.startswith("END") and line.strip() == "END":
            self._block.ended = True
        elif line.startswith("FAILURE") and line.strip() == "FAILURE":
            self._block.failed = True
        elif line.startswith("Averages from the middle"):
            self._block.summary.is_average = True
        elif line.startswith(_NO_JMX):
            self._has_jmx = self._block.series.has_jmx = False
        elif _LEGACY_ERROR.match(line):
            self._block.legacy_errors = (self._block.legacy_errors or 0) + 1
        else:
            self._read_reason(line)

    def _read_label(self, label: str, text: str) -> bool:
        if self._block.summary.is_of_another_run(label, text):
            self._start_block()
        return self._block.summary.read(label, text)

    def _read_reason(self, line: str) -> None:
        if _LOOKS_LIKE_ROW.match(line):
            self.not_read.add(line)
            return
        self.reasons.read(line)
        is_short = 0 < len(line) <= _MOST_CHARACTERS and not line.isspace()
        if is_short and self._text == self._anywhere and not line.startswith("Usage:"):
            if len(self._other) >= _MOST_OTHER:
                self._other.clear()
            self._other[line] = exception_in(line)

    def _start_settings(self) -> None:
        self._read_text(self._in_settings)
        self._table = None
        if self._run.is_empty:
            self.runs[-1] = Run()
        else:
            self._count_block()
            self.runs.append(Run())

    def _start_table(self, header: table.Table) -> None:
        # Since 2.1 a header is repeated within a run; before, it is printed once, at its start.
        if header.legacy and not self._block.is_empty:
            self._start_block()
        self._table = header
        self._other.clear()

    def _start_block(self, *, has_ended: bool = False) -> None:
        """`has_ended`: the tool goes on to the next thread count, and prints no END before it."""
        if has_ended and not self._block.failed:
            self._block.ended = True
        self._count_block()
        self._run.blocks.append(RunBlock())
        self._block.series.has_jmx = self._has_jmx

    def _count_block(self) -> None:
        self._blocks += 1
        if self._blocks > _MAX_RUNS:
            raise ParseError(f"the file contains more than {_MAX_RUNS} runs")

    def _read_running(self, line: str) -> None:
        auto, running = _RUNNING_AUTO.match(line), _RUNNING.match(line)
        if not auto and not running:
            return
        if not self._block.is_empty:
            self._start_block(has_ended=True)
        if auto:
            self._block.threads = int(auto[1])
        elif running:
            names = (running[1] or running[2]).lower().split(",")
            self._block.names = tuple(name.strip() for name in names)
            self._block.threads = int(running[3])
            self._read_request(running[4])

    def _read_request(self, text: str) -> None:
        count = _FOR.match(text)
        if count:
            self._block.requested_operations = int(count[1])
        else:
            self._block.requested_duration_s = duration_s(text.strip())
