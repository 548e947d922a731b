"""What OLTP-Bench, BenchBase and YugabyteDB's TPC-C print: the rate of requests, or new orders a minute."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Latency, LogReading, OperationReading, TrialReading
from submissions.ingest.parsers import tpc_c
from submissions.ingest.parsers.benchbase import database
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import number, whole
from submissions.ingest.parsers.runs import Run, RunReading, read_runs, reading_of

TPCC_TOOL = "yugabytedb-tpcc"

_RATE = re.compile(
    r"(?:Rate limited reqs/s|Throughput): Results\((?:state=(?P<state>\w{1,20}), )?"
    r"nanoSeconds=(?P<nanoseconds>\d{1,18}), measuredRequests=(?P<requests>\d{1,15})\)"
    r" = (?P<rate>[\d.E+-]{1,30}|NaN|Infinity) requests/sec"
    r"(?: \(throughput\), (?P<goodput>[\d.E+-]{1,30}) requests/sec \(goodput\))?"
)
_LOGGER = re.compile(  # a part of it may have been taken off
    r"\s{0,8}(?:[\d:]{2,8},\d{3} )?\(\w{1,40}\.java:\d{1,6}\) {1,3}[A-Z]{4,5} {1,3}- "
    r"|\s{0,8}(?:\[[A-Z]{4,5} ?\] {1,3})?(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} )?(?:\[[\w-]{1,40}\] {1,3})?"
    r"com\.oltpbenchmark\.\S{1,60} \w{1,60} - "
)
_NEW_ORDERS = re.compile(r"Num New Order transactions : (\d{1,15}), time seconds: (\d{1,9})\s*$")
_TPMC = re.compile(r"(?:^|\s)TPM-C(?:: |\s{1,20}\|\s{1,30})([\d.,]{1,30})\s*$")
_EFFICIENCY = re.compile(r"(?:^|\s)Efficiency(?: : |\s{1,20}\|\s{1,30})(\d{1,6}(?:\.\d{1,20})?)%?\s*$")
_WAREHOUSES = re.compile(r"(?:Num WH : |Configuration -> nodes: .{0,2000}, warehouses: )(\d{1,9})(?=\D|$)")
_LATENCY = re.compile(
    r"(?:^|\s)(?P<name>[A-Z][A-Za-z]{2,30}), Avg Latency: (?P<mean>[\d.,]{1,20}) msecs,"
    r" p99 Latency: (?P<p99>[\d.,]{1,20})"
)
_ROW = re.compile(
    r"\s*(?P<name>[A-Z][A-Za-z]{2,30}) \|\s{0,20}(?P<count>\d{1,15}) \|\s{0,20}(?P<mean>[\d.]{1,20}) \|\s{0,20}"
    r"(?P<p99>[\d.]{1,20}) \|\s{0,30}[\d.]{1,20}\s*$"
)
_TABLE = re.compile(r"={10,}([A-Z ()]{5,50})={10,}\s*$")
_LATENCIES = "LATENCIES (INCLUDE RETRY ATTEMPTS)"
_STARTED = re.compile(r"Creating (\d{1,9}) virtual terminals\.\.\.")
_CONFIGURATION = re.compile(r"Configuration -> nodes: .{0,2000}, terminals: (\d{1,9})")
_PHASE = re.compile(r"(?:\x1b\[\d{1,2}m)?PHASE START.{0,20} :: \[Workload=(\w{1,60})\](.{0,1000})")
_FIELD = re.compile(r"\[(\w{1,30})=([\w./]{1,30})\]")
_WORKLOAD = re.compile(
    r"Launching the (\w{1,60}) Benchmark with|^\s{0,8}Benchmark:\s{1,30}(\w{1,60}) \{com\.oltpbenchmark"
    r"|com\.oltpbenchmark\.benchmarks\.(\w{1,60})\.procedures\."
)
_TYPE = re.compile(r"\s{0,8}Type:\s{10,30}([A-Z]{3,30})\s*$")
_COMMAND = re.compile(
    r"(?:^|[\s$])((?:java \S.{0,300} )?\S{0,200}(?:benchbase\S{0,40}\.jar|oltpbenchmark|tpccbenchmark) +-.{1,2000})$"
)
_BENCH = re.compile(r"\s(?:-b|--bench)[\s=](\w{1,60})(?=\s|$)")
_STATED_WAREHOUSES = re.compile(r"\s--warehouses[\s=](\d{1,9})(?=\s|$)")
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")


class _Total(NamedTuple):
    """Of all requests."""

    rate: float | None
    goodput: float | None
    seconds: float
    requests: int
    state: str | None


class OltpBenchConsole:
    """A terminal waits for its answer: service time. New orders of YugabyteDB's TPC-C, else requests of any kind."""

    name = "oltpbench-console"
    label = "BenchBase console"
    databases: tuple[str, ...] = ()

    def matches(self, head: Sequence[str]) -> bool:
        return any(_is_own(line[:2000]) for line in head)

    def parse(self, lines: Iterable[str]) -> LogReading:
        runs = read_runs(lines, _Output)
        is_tpcc = all(run.is_tpcc for run in runs if run.is_measured)
        return reading_of(TPCC_TOOL if is_tpcc else "benchbase", runs)


def _is_own(line: str) -> bool:
    """With the tool's own time and class before it, or nothing."""
    table = _TABLE.match(line)
    text = line[own.end() :] if (own := _LOGGER.match(line)) else line
    is_phase = own is not None and _PHASE.match(text) is not None
    is_table = table is not None and table[1] == _LATENCIES
    return bool(_RATE.match(text) or _NEW_ORDERS.match(text)) or is_phase or is_table


class _Output(Run):
    """Of one start of the tool."""

    def __init__(self) -> None:
        super().__init__()
        self._command: str | None = None
        self._total: _Total | None = None
        self._orders: tuple[int, int] | None = None
        self._tpmc: float | None = None
        self._efficiency: str | None = None
        self._warehouses: int | None = None
        self._terminals: int | None = None
        self._workload: str | None = None
        self._dbms: str | None = None
        self._rates: list[str] = []
        self._seconds = 0
        self._by_operation: dict[str, OperationReading] = {}
        self._table: str | None = None

    @property
    def is_measured(self) -> bool:
        return self._total is not None or self.is_tpcc

    @property
    def is_tpcc(self) -> bool:
        return self._orders is not None or self._tpmc is not None

    def read(self, line: str) -> bool:
        line = line[:4000]
        if self._begins(line) and self.is_measured:
            return False
        if found := _RATE.search(line):
            return self._read_total(found)
        if found := _NEW_ORDERS.search(line):
            return self._read_orders(int(found[1]), int(found[2]))
        if found := _TPMC.search(line):
            return self._read_tpmc(number(found[1].replace(",", "")))
        self._read_configuration(line)
        self._read_latency(line)
        return True

    def _begins(self, line: str) -> bool:
        return bool(_STARTED.search(line) or _CONFIGURATION.search(line) or _COMMAND.search(line))

    def _read_total(self, found: re.Match[str]) -> bool:
        seconds = int(found["nanoseconds"]) / 1e9
        read = _Total(number(found["rate"]), number(found["goodput"]), seconds, int(found["requests"]), found["state"])
        self._total, before = self._total or read, self._total
        return before is None or before == read

    def _read_orders(self, orders: int, seconds: int) -> bool:
        self._orders, before = self._orders or (orders, seconds), self._orders
        return before is None or before == (orders, seconds)

    def _read_tpmc(self, tpmc: float | None) -> bool:
        self._tpmc, before = self._tpmc or tpmc, self._tpmc
        return before is None or before == tpmc

    def _read_configuration(self, line: str) -> None:
        if found := _COMMAND.search(line):
            self._read_command(found[1].strip())
        if found := _EFFICIENCY.search(line):
            self._efficiency = self._efficiency or found[1]
        if found := _WAREHOUSES.search(line):
            self._warehouses = int(found[1])
        if found := _STARTED.search(line) or _CONFIGURATION.search(line):
            self._terminals = int(found[1])
        if found := _TYPE.match(line):
            self._dbms = found[1]
        if found := _WORKLOAD.search(line):
            self._workload = self._workload or next(name for name in found.groups() if name).lower()
        if found := _PHASE.search(line):
            fields = dict(_FIELD.findall(found[2]))
            self._workload = found[1].lower()
            self._rates.append(fields.get("Rate", ""))
            self._seconds += whole(fields.get("Time")) or 0
            self._terminals = self._terminals or whole(fields.get("ActiveWorkers"))

    def _read_command(self, command: str) -> None:
        self._command = command
        if found := _BENCH.search(command):
            self._workload = found[1].lower()
        if found := _STATED_WAREHOUSES.search(command):
            self._warehouses = int(found[1])

    def _read_latency(self, line: str) -> None:
        if table := _TABLE.search(line):
            self._table = table[1]
        if found := _LATENCY.search(line):
            mean, p99 = (number(found[name].replace(",", "")) for name in ("mean", "p99"))
            self._add(found["name"], None, Latency(mean=mean, p99=p99))
        elif self._table == _LATENCIES and (found := _ROW.match(line)):
            latency = Latency(mean=number(found["mean"]), p99=number(found["p99"]))
            self._add(found["name"], int(found["count"]), latency)

    def _add(self, name: str, operations: int | None, latency: Latency) -> None:
        slug = _WORDS.sub("-", name).lower()
        if slug != "all" and len(self._by_operation) < 100 and operations != 0:
            self._by_operation.setdefault(slug, OperationReading(slug, operations, None, None, latency))

    def readings(self) -> Sequence[RunReading]:
        if self.is_tpcc:
            trial = self._tpcc_trial()
        elif self._total is not None:
            trial = self._trial(self._total)
        else:
            raise ParseError("no rate and no TPM-C: the run did not finish")
        return [RunReading(self._facts(), trial, tuple(self._warnings()))]

    def _facts(self) -> Facts:
        name = tpc_c.NEW_ORDER if self.is_tpcc else self._workload
        service, databases = database(self._dbms or "")
        rates = {number(rate) for rate in self._rates}
        warehouses = self._warehouses_of_efficiency() if self._warehouses is None else self._warehouses
        return Facts(
            service=service,
            databases=("yugabytedb",) if self.is_tpcc else databases,
            command=self._command,
            operations={name: 1.0} if name else None,
            threads=self._terminals,
            throttle_ops_s=None if self.is_tpcc or len(rates) != 1 else rates.pop(),
            requested_duration_s=self._seconds or (self._orders[1] if self._orders else None),
            settings={"warehouses": warehouses} if self.is_tpcc and warehouses else None,
        )

    def _warehouses_of_efficiency(self) -> int | None:
        decimals = len((self._efficiency or "").partition(".")[2])
        return tpc_c.warehouses(self._tpmc, number(self._efficiency), printed_to=10.0**-decimals)

    def _trial(self, total: _Total) -> TrialReading:
        has_goodput = total.goodput is not None and total.rate is not None and total.goodput <= total.rate
        rate = total.goodput if has_goodput else total.rate
        if not rate or rate <= 0 or total.requests == 0 or total.seconds <= 0:
            raise ParseError("no request was completed")
        return TrialReading(
            throughput_ops_s=rate,
            operations=round(rate * total.seconds),
            duration_s=total.seconds,
            printed_ops_s=total.rate,
            threads=self._terminals,
            latency_kind=LatencyKind.SERVICE_TIME,
            truncated=total.state not in (None, "EXIT", "DONE"),
        )

    def _tpcc_trial(self) -> TrialReading:
        order = self._by_operation.get(tpc_c.NEW_ORDER)
        done, seconds = self._new_orders(order)
        rate = done / seconds if done and seconds else (self._tpmc or 0) / 60
        if rate <= 0:
            raise ParseError("no new order was completed")
        return TrialReading(
            throughput_ops_s=rate,
            operations=done,
            duration_s=seconds,
            printed_ops_s=self._tpmc / 60 if self._tpmc else None,
            threads=self._terminals,
            latency_kind=LatencyKind.SERVICE_TIME,
            # without the mean: terminals also do the other types, and wait between them
            latency=Latency(p99=order.latency.p99) if order else Latency(),
            by_operation=tuple(self._by_operation.values()),
        )

    def _new_orders(self, order: OperationReading | None) -> tuple[int | None, float | None]:
        """How many, and the time: that of all requests, else the one that was asked for."""
        if self._orders:
            return self._orders[0], self._total.seconds if self._total else float(self._orders[1])
        done = order.operations if order else None
        return done, done / self._tpmc * 60 if done and self._tpmc else None

    def _warnings(self) -> Iterable[str]:
        if self.is_tpcc:
            yield "the rate is that of the new orders (TPM-C), as new orders a second"
        elif self._total:
            yield "the console of BenchBase has no latencies: upload the summary.json in its place"
            if self._total.goodput is None:
                yield "the log has no goodput: requests that did not commit are part of its rate"
            elif self._total.goodput > (self._total.rate or 0):
                yield "the goodput is above the throughput, which cannot be: the throughput is read"
        if self._terminals is None:
            yield "the number of terminals is not in the log: state it as threads"


PARSER = OltpBenchConsole()
