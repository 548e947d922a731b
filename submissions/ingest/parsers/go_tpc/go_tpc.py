"""go-tpc and `tiup bench`: TPC-C, alone or beside the queries of CH-benCHmark."""

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Interval, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers import tpc_c
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.go_tpc.rows import SINCE_START, SUMMARY, Row, is_query, rows
from submissions.ingest.parsers.numbers import go_seconds, number, whole
from submissions.ingest.parsers.runs import Run, RunReading, read_runs, reading_of

_NEW_ORDER = "NEW_ORDER"
_ERROR = "_ERR"
_COMMAND = re.compile(r"(?:^|[\s/$])((?:go-tpc|tiup bench)\s+(?:tpcc|ch)\s.{0,2000}\brun\b.{0,2000})$")
_FINISHED = re.compile(r"Finished(?:$|: \d{1,9} OLTP workers, \d{1,9} OLAP workers)")
_WORKERS = re.compile(r"Finished: (\d{1,9}) OLTP workers")
_EFFICIENCY = re.compile(
    r"tpmC: (?P<tpmc>[\d.]{1,20}), (?:tpmTotal: [\d.]{1,20}, )?efficiency: (?P<percent>[\d.]{1,20})%"
)
_SHORT_OPTIONS = {"T": "threads", "d": "driver"}
_DRIVERS = {"mysql": ("mysql",), "postgres": ("postgresql",)}
_STARTS = ("[Summary] NEW_ORDER", "[Current] NEW_ORDER", "tpmC:")
_MAX_ROWS = 1_000_000


class GoTpc:
    """An operation is a new order, as in the result of TPC-C (tpmC): the other transactions are in `by_operation`.

    Each thread waits for its answer, so latency is service time; with `--wait` it thinks in between.
    """

    name = "go-tpc"
    label = "go-tpc (TPC-C)"
    databases: tuple[str, ...] = ("mysql", "postgresql")

    def matches(self, head: Sequence[str]) -> bool:
        return any(_EFFICIENCY.match(line) or is_query(line) or any(rows(line)) for line in head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        return reading_of(self.name, read_runs(lines, _Output))


class _Output(Run):
    """Of one start of the tool."""

    def __init__(self) -> None:
        super().__init__()
        self.command: str | None = None
        self.workers: int | None = None
        self.efficiency: re.Match[str] | None = None
        self.summary: dict[str, Row] = {}
        self.since_start: dict[str, Row] = {}
        self.current: list[Row] = []  # of new orders
        self.has_queries = False

    @property
    def is_measured(self) -> bool:
        return bool(self.summary or self.since_start or self.current)

    def read(self, line: str) -> bool:
        line = line.strip()
        if command := _COMMAND.search(line[:5000]):
            if self.is_measured:
                return False
            self.command = command[1].strip()
        elif _FINISHED.match(line):
            workers = _WORKERS.match(line)
            self.workers = int(workers[1]) if workers else self.workers
            return not self.summary
        elif efficiency := _EFFICIENCY.match(line):
            self.efficiency = efficiency
        elif is_query(line):
            self.has_queries = True
        else:
            return self._read_rows(line)
        return True

    def _read_rows(self, line: str) -> bool:
        found = list(rows(line))
        if any(self._is_of_another_run(row) for row in found):
            return False
        for row in found:
            if row.kind == SUMMARY:
                self.summary[row.name] = row
            elif row.kind == SINCE_START:
                self.since_start[row.name] = row
            elif row.name == _NEW_ORDER and self.current[-1:] != [row]:
                self._add_current(row)
        if not found and line.startswith(_STARTS):
            self.not_read.add(line)
        return True

    def _add_current(self, row: Row) -> None:
        if len(self.current) >= _MAX_ROWS:
            raise ParseError(f"more than {_MAX_ROWS:,} rows")
        self.current.append(row)

    def _is_of_another_run(self, row: Row) -> bool:
        if row.kind == SUMMARY:
            return self.summary.get(row.name, row) != row
        if row.kind == SINCE_START:
            before = self.since_start.get(row.name)
            return before is not None and row.takes_s < before.takes_s
        return bool(self.summary)

    def readings(self) -> Sequence[RunReading]:
        if not self.is_measured:
            if self.has_queries:
                raise ParseError("a log of TPC-H: its result is a time for each query, not a rate; only TPC-C is read")
            raise ParseError("no row of new orders ([Summary] NEW_ORDER - ...): the run did not finish")
        options = _options(self.command)
        threads = self.workers or whole(options.get("threads"))
        warehouses = self._warehouses() or whole(options.get("warehouses"))
        done = self.summary or self.since_start
        trial = replace(self._trial(done) if done else self._truncated_trial(), threads=threads)
        facts = Facts(
            command=self.command,
            databases=_DRIVERS.get(options.get("driver", "")),
            operations={f"{tpc_c.NEW_ORDER}-beside-queries" if self.has_queries else tpc_c.NEW_ORDER: 1.0},
            threads=threads,
            requested_duration_s=go_seconds(options.get("time", "")) or None,
            settings={"warehouses": warehouses} if warehouses else None,
        )
        return [RunReading(facts, trial, tuple(self._warnings(threads)))]

    def _trial(self, done: dict[str, Row]) -> TrialReading:
        errors = _count(done, _NEW_ORDER + _ERROR)
        new_order = done.get(_NEW_ORDER)
        if new_order is None or not new_order.count or not new_order.takes_s:
            raise ParseError(f"all {errors:,} new orders failed" if errors else "no new order was completed")
        return TrialReading(
            throughput_ops_s=new_order.count / new_order.takes_s,
            operations=new_order.count,
            errors=errors,
            duration_s=new_order.takes_s,
            printed_ops_s=new_order.tpm / 60,
            latency_kind=LatencyKind.SERVICE_TIME,
            # without a mean: new orders are less than half of what a thread does, so Little's law does not hold
            latency=replace(new_order.latency(), mean=None),
            by_operation=tuple(_operation(name, done) for name in _names(done)),
            intervals=tuple(self._intervals()),
        )

    def _truncated_trial(self) -> TrialReading:
        orders, seconds = sum(row.count for row in self.current), sum(row.takes_s for row in self.current)
        if not orders or not seconds:
            raise ParseError("the run was stopped before it had completed a new order")
        return TrialReading(
            throughput_ops_s=orders / seconds,
            operations=orders,
            duration_s=round(seconds, 1),
            latency_kind=LatencyKind.SERVICE_TIME,
            intervals=tuple(self._intervals()),
            truncated=True,
        )

    def _intervals(self) -> Iterable[Interval]:
        """A row's time counts from the first new order of its interval: their sum is the time since the start."""
        elapsed_s = 0.0
        for row in self.current:
            elapsed_s = round(elapsed_s + row.takes_s, 1)
            yield Interval("total", elapsed_s, row.count, None, row.tpm / 60, replace(row.latency(), mean=None))

    def _warehouses(self) -> int | None:
        """What the printed efficiency relates to."""
        if self.efficiency is None:
            return None
        return tpc_c.warehouses(number(self.efficiency["tpmc"]), number(self.efficiency["percent"]), printed_to=0.1)

    def _warnings(self, threads: int | None) -> Iterable[str]:
        shown = [*self.summary.values(), *self.since_start.values(), *self.current]
        tpm = (self.summary or self.since_start).get(_NEW_ORDER)
        if tpm:
            yield f"the rate is tpmC ({tpm.tpm:,.1f} new orders a minute) as new orders a second"
        if any(row.contradicts_itself for row in shown):
            yield "the percentiles are far below the mean that the sum gives, which cannot be: they are left out"
        elif any(row.has_buckets for row in shown):
            yield (
                "this release counts latencies in wide buckets: a percentile of 512 ms is one between 256 and 512 ms"
            )
        if threads is None:
            yield "the number of threads (-T) is not in the log: state it"
        if self.has_queries:
            yield "analytic queries ran at the same time (CH-benCHmark): only the new orders are read"


def _names(done: dict[str, Row]) -> list[str]:
    return sorted({name.removesuffix(_ERROR) for name in done})


def _operation(name: str, done: dict[str, Row]) -> OperationReading:
    row = done.get(name)
    return OperationReading(
        name=_slug(name),
        operations=row.count if row else 0,
        errors=_count(done, name + _ERROR),
        throughput_ops_s=row.tpm / 60 if row else None,
        **({"latency": row.latency()} if row else {}),
    )


def _count(done: dict[str, Row], name: str) -> int:
    return done[name].count if name in done else 0


def _slug(name: str) -> str:
    return name.lower().replace("_", "-")


def _options(command: str | None) -> dict[str, str]:
    """-T 32, -T32, --threads 32, --threads=32."""
    try:
        words = shlex.split(command or "")
    except ValueError:  # a quotation that does not end
        words = (command or "").split()
    options: dict[str, str] = {}
    for word, following in zip(words, [*words[1:], ""], strict=False):
        if word.startswith("--"):
            name, has_value, value = word[2:].partition("=")
            options[name] = value if has_value else following
        elif word.startswith("-") and word[1:2] in _SHORT_OPTIONS:
            options[_SHORT_OPTIONS[word[1]]] = word[2:].lstrip("=") or following
    return options


PARSER = GoTpc()
