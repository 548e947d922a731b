"""`cockroach workload run`: kv, ycsb, tpcc and the others, their rows, totals and result."""

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Interval, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers import tpc_c
from submissions.ingest.parsers.cockroach.rows import RESULT, TICK, TPCC, Head, Row, head, row
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import go_seconds, number, observed_shares, whole
from submissions.ingest.parsers.runs import Run, RunReading, read_runs, reading_of

_COMMAND = re.compile(r"(?:^|[\s/$])((?:cockroach )?workload\S{0,20} run (?P<workload>[a-z]\w{0,30})\b.{0,4000})$")
_STARTED = "creating load generator..."
_ERROR = re.compile(r"Error: (.{1,300})")
_NEW_ORDER = "newOrder"
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MAX_ROWS = 1_000_000


class CockroachWorkload:
    """An operation is a request or a transaction; of TPC-C a new order, as in its result (tpmC).

    Each worker waits for its answer, and the clock starts after the wait for `--max-rate`: service time.
    """

    name = "cockroach-workload"
    label = "CockroachDB workload"
    databases: tuple[str, ...] = ("cockroachdb",)

    def matches(self, head_lines: Sequence[str]) -> bool:
        return any(head(line) or (_is_long(line) and row(line, None)) for line in head_lines)

    def parse(self, lines: Iterable[str]) -> LogReading:
        return reading_of(self.name, read_runs(lines, _Output))


def _is_long(line: str) -> bool:
    """Whether a row has its place: they are wider than any that is written by hand."""
    return len(line) > 70 and line.rstrip()[-1:].isalpha()


class _Output(Run):
    """Of one start of the tool."""

    def __init__(self) -> None:
        super().__init__()
        self._command: str | None = None
        self._workload: str | None = None
        self._head: Head | None = None
        self._ticks: list[Row] = []
        self._totals: dict[str, Row] = {}
        self._result: Row | None = None
        self._tpcc: Row | None = None
        self._has_ramp = False
        self._error: str | None = None

    def read(self, line: str) -> bool:
        if command := _COMMAND.search(line[:5000]):
            if self._is_measured:
                return False
            self._command, self._workload = command[1].strip(), command["workload"]
        elif _STARTED in line[:300]:
            return not self._is_measured
        elif found := head(line):
            self._head = found
        elif read := row(line, self._head):
            return self._read_row(read)
        elif error := _ERROR.match(line):
            self._error = error[1]
        return True

    @property
    def _is_measured(self) -> bool:
        return bool(self._ticks or self._totals or self._result or self._tpcc)

    @property
    def _is_over(self) -> bool:
        return bool(self._totals or self._result or self._tpcc)

    def _read_row(self, read: Row) -> bool:
        if read.kind == TICK:
            return self._read_tick(read)
        if read.kind == TPCC:
            self._tpcc, before = self._tpcc or read, self._tpcc
        elif read.kind == RESULT:
            self._result, before = self._result or read, self._result
        else:
            before = self._totals.setdefault(read.name, read)
        return before is None or before == read

    def _read_tick(self, read: Row) -> bool:
        if self._is_over:
            return False
        if self._ticks and read.elapsed_s < self._ticks[-1].elapsed_s:  # --ramp ends: the clock begins anew
            self._ticks.clear()
            self._has_ramp = True
        if len(self._ticks) >= _MAX_ROWS:
            raise ParseError(f"more than {_MAX_ROWS:,} rows")
        self._ticks.append(read)
        return True

    def readings(self) -> Sequence[RunReading]:
        is_tpcc = _NEW_ORDER in self._totals or self._tpcc is not None or self._workload == "tpcc"
        trial = self._tpcc_trial() if is_tpcc else self._trial()
        options = _options(self._command)
        threads = whole(options.get("concurrency"))
        facts = Facts(
            command=self._command,
            operations={tpc_c.NEW_ORDER: 1.0} if is_tpcc else self._shares(),
            threads=threads,
            throttle_ops_s=number(options.get("max-rate")) or None,
            requested_operations=whole(options.get("max-ops")) or None,
            requested_duration_s=go_seconds(options.get("duration", "")) or None,
            settings={"warehouses": warehouses} if (warehouses := self._warehouses(options)) else None,
        )
        return [RunReading(facts, replace(trial, threads=threads), tuple(self._warnings(is_tpcc, threads)))]

    def _trial(self) -> TrialReading:
        totals = [each for each in self._totals.values() if each.values.get("ops(total)")]
        whole_run = self._result or (totals[0] if len(totals) == 1 else None)
        ends = totals or ([whole_run] if whole_run else [])
        if not ends:
            return self._truncated(self._ticks)
        done = sum(int(each.values["ops(total)"]) for each in ends)
        elapsed_s = (whole_run or ends[0]).elapsed_s
        return self._finished(done, elapsed_s, whole_run.latency() if whole_run else Latency(), totals)

    def _tpcc_trial(self) -> TrialReading:
        totals = list(self._totals.values())
        orders = self._totals.get(_NEW_ORDER)
        if orders is not None:
            # without a mean: new orders are less than half of what a worker does, so Little's law does not hold
            latency = replace(orders.latency(), mean=None)
            return self._finished(int(orders.values["ops(total)"]), orders.elapsed_s, latency, totals)
        if self._tpcc is None:
            return self._truncated([each for each in self._ticks if each.name == _NEW_ORDER])
        done = round(self._tpcc.values[TPCC] / 60 * self._tpcc.elapsed_s)
        return self._finished(done, self._tpcc.elapsed_s, replace(self._tpcc.latency(), mean=None), ())

    def _finished(self, done: int, elapsed_s: float, latency: Latency, totals: Sequence[Row]) -> TrialReading:
        if done <= 0 or elapsed_s <= 0:
            raise ParseError(self._refusal("no operation was completed"))
        end = self._result or self._totals.get(_NEW_ORDER) or next(iter(self._totals.values()), None)
        return TrialReading(
            throughput_ops_s=done / elapsed_s,
            operations=done,
            errors=int(end.values.get("errors", 0)) if end else None,
            duration_s=elapsed_s,
            printed_ops_s=self._printed(done, elapsed_s),
            latency_kind=LatencyKind.SERVICE_TIME,
            latency=latency,
            by_operation=tuple(self._by_operation(totals)),
            intervals=tuple(self._intervals()),
            failed=self._error is not None,
        )

    def _printed(self, done: int, elapsed_s: float) -> float | None:
        if self._tpcc is not None:
            return self._tpcc.values[TPCC] / 60
        return self._result.values.get("ops/sec(cum)") if self._result else None

    def _truncated(self, ticks: Sequence[Row]) -> TrialReading:
        if not ticks:
            raise ParseError(self._refusal("no row and no total: the run did not finish"))
        last = {each.name: each for each in ticks}
        end_s = ticks[-1].elapsed_s
        rate = sum(each.values.get("ops/sec(cum)", 0.0) for each in last.values() if each.elapsed_s == end_s)
        if not rate:
            raise ParseError(self._refusal("the run was stopped before it had completed an operation"))
        return TrialReading(
            throughput_ops_s=rate,
            errors=int(ticks[-1].values.get("errors", 0)),
            duration_s=end_s,
            latency_kind=LatencyKind.SERVICE_TIME,
            intervals=tuple(self._intervals()),
            truncated=True,
        )

    def _refusal(self, reason: str) -> str:
        return f'{reason}; the tool says: "{self._error}"' if self._error else reason

    def _by_operation(self, totals: Sequence[Row]) -> Iterable[OperationReading]:
        for each in totals:
            yield OperationReading(
                name=self._operation(each.name),
                operations=int(each.values["ops(total)"]),
                throughput_ops_s=each.values.get("ops/sec(cum)"),
                latency=each.latency(),
            )

    def _intervals(self) -> Iterable[Interval]:
        """A row for each type in a second; the total is their sum, of TPC-C the new orders."""
        is_tpcc = any(each.name == _NEW_ORDER for each in self._ticks)
        rates: dict[float, float] = {}
        for each in self._ticks:
            rate = each.values.get("ops/sec(inst)", 0.0)
            if not is_tpcc or each.name == _NEW_ORDER:
                rates[each.elapsed_s] = rates.get(each.elapsed_s, 0.0) + rate
            latency = each.latency() if rate else Latency()
            yield Interval(self._operation(each.name), each.elapsed_s, None, None, rate, latency)
        for elapsed_s, rate in rates.items():
            yield Interval("total", elapsed_s, None, None, rate)

    def _operation(self, name: str) -> str:
        """newOrder is new-order; read of kv and read of ycsb are two workloads."""
        slug = _WORDS.sub("-", name).lower()
        is_shared = self._workload in (None, "tpcc") or name == ""
        return slug if is_shared else f"{self._workload}-{slug}"

    def _shares(self) -> dict[str, float] | None:
        counts = {self._operation(each.name): int(each.values.get("ops(total)", 0)) for each in self._totals.values()}
        return observed_shares(counts)

    def _warehouses(self, options: dict[str, str]) -> int | None:
        given = whole(options.get("active-warehouses")) or whole(options.get("warehouses"))
        if given or self._tpcc is None:
            return given
        return tpc_c.warehouses(self._tpcc.values[TPCC], self._tpcc.values.get("efc"), printed_to=0.1)

    def _warnings(self, is_tpcc: bool, threads: int | None) -> Iterable[str]:
        if is_tpcc:
            yield "the rate is that of the new orders (tpmC), as new orders a second"
        if self._has_ramp:
            yield "the rows before the clock begins anew are of the ramp-up (--ramp): they are left out"
        if not is_tpcc and self._command is None:
            yield "the command line is not in the log: state it, with the workload and --concurrency"
        elif threads is None and not is_tpcc:
            yield "the number of workers (--concurrency) is not in the log: state it as threads"


def _options(command: str | None) -> dict[str, str]:
    try:
        words = shlex.split(command or "")
    except ValueError:  # a quotation that does not end
        words = (command or "").split()
    options: dict[str, str] = {}
    for word, following in zip(words, [*words[1:], ""], strict=False):
        if word.startswith("--"):
            name, has_value, value = word[2:].partition("=")
            options[name] = value if has_value else following
    return options


PARSER = CockroachWorkload()
