"""redis-benchmark and valkey-benchmark, which print the same: text of all versions, -q and --csv."""

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Latency, LogReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.not_read import NotRead
from submissions.ingest.parsers.numbers import number, whole
from submissions.ingest.parsers.runs import RunReading, joined

_CSV_COLUMNS = ("test", "rps", *(f"{each}_latency_ms" for each in ("avg", "min", "p50", "p95", "p99", "max")))
_CSV_HEAD = '"test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms"'
_TITLE = re.compile(r"====== (?P<name>.{1,200}?) ====== *$")
# What a longer line that it was written over left behind follows.
_QUIET = re.compile(
    r"(?P<name>[^\r]{1,200}): (?P<rps>[\d.]{1,30}) requests per second"
    r"(?:, p50=(?P<p50>[\d.]{1,30}) msec)?(?: .{0,200})?"
)
_LOOKS_LIKE_RESULT = re.compile(r".{0,200}[\d.] requests per second|\s{1,10}\d{1,18} requests completed in ")
_FIELDS = {
    "requests": re.compile(r"\s{0,10}(\d{1,18}) requests completed in "),
    "seconds": re.compile(r"\s{0,10}\d{1,18} requests completed in ([\d.]{1,30}) seconds"),
    "clients": re.compile(r"\s{0,10}(\d{1,9}) parallel clients"),
    "bytes": re.compile(r"\s{0,10}(\d{1,9}) bytes payload"),
    "rps": re.compile(r"\s{0,10}(?:throughput summary: )?([\d.]{1,30}) requests per second"),
}
_SUMMARY = "throughput summary: "
_LATENCY_HEAD = re.compile(r"\s+avg\s+min\s+p50\s+p95\s+p99\s+max\s*$")
_KNOWN_TEST = re.compile(r"[A-Z][A-Z0-9_]{1,30}(?: \(.{1,60}\))?")
# Until 6.0 a row has two cells and no head; a head may also be lost.
_CSV_ROW = re.compile(r'"[A-Z][A-Z0-9_]{1,30}(?: \([^"]{1,60}\))?"(?:,"[\d.]{1,30}"|(?:,"[\d.]{1,30}"){7})\s*$')
_NOT_CONNECTED = (
    "Could not connect to Redis at ",
    "Could not connect to Valkey at ",
    "Could not connect to server at ",
)
_MAX_TESTS = 200
_PIPELINED = 1.2  # more requests under way than clients: they were sent in pipelines


class RedisBenchmark:
    """Each test of the file (SET, GET, LPUSH, ...) is a run of its own: another workload, another submission.

    A client waits for its answer, so its latency is service time; with -P it is that of a whole pipeline. Neither
    the pipeline nor the version is printed.
    """

    name = "redis-benchmark"
    label = "redis-benchmark or valkey-benchmark"
    databases: tuple[str, ...] = ("redis",)

    def matches(self, head: Sequence[str]) -> bool:
        if any(line.startswith(_CSV_HEAD) or _CSV_ROW.match(line) for line in head):
            return True
        if any(line.startswith(_NOT_CONNECTED) for line in head):
            return True
        has_title = any(_TITLE.match(_last_shown(line).lstrip()) for line in head)
        return (has_title and any(_FIELDS["seconds"].match(line) for line in head)) or any(map(_quiet, head))

    def is_certain(self, line: str) -> bool:
        """A command of one's own has any name, also one with a prefix in it."""
        shown = _last_shown(line)
        name = _TITLE.match(shown.lstrip()) or _quiet(line)
        is_known = name is not None and _KNOWN_TEST.fullmatch(name["name"].strip()) is not None
        return is_known or any(pattern.match(line) for pattern in (_CSV_ROW, _FIELDS["seconds"]))

    def parse(self, lines: Iterable[str]) -> LogReading:
        log = _Log()
        for line in lines:
            log.read(_last_shown(line))
        return _reading(log.tests(), log.not_read)


@dataclass
class _Test:
    name: str
    fields: dict[str, str] = field(default_factory=dict)
    latency: Latency = Latency()


class _Log:
    """The tests read so far."""

    def __init__(self) -> None:
        self.not_read = NotRead()
        self._tests: list[_Test] = []
        self._columns: list[str] | None = None  # of --csv
        self._has_latency_head = False
        self._failure: str | None = None

    def read(self, line: str) -> None:
        if line.startswith(_NOT_CONNECTED):
            self._failure = line.strip()[:200]
        elif line.startswith(_CSV_HEAD):
            self._columns = _cells(line)
        elif _CSV_ROW.match(line) or (self._columns and line.startswith('"')):
            self._read_cells(dict(zip(self._columns or _CSV_COLUMNS, _cells(line), strict=False)))
        elif title := _TITLE.match(line.lstrip()):
            self._add(_Test(title["name"]))
        elif quiet := _quiet(line):
            self._add(_Test(quiet["name"].strip(), {"rps": quiet["rps"]}, Latency(p50=number(quiet["p50"]))))
        elif self._tests:
            self._read_test(line, self._tests[-1])
        elif _LOOKS_LIKE_RESULT.match(line):
            self.not_read.add(line)

    def _read_test(self, line: str, test: _Test) -> None:
        if self._has_latency_head:
            self._has_latency_head = False
            values = [number(word) for word in line.split()]
            if len(values) == 6:
                mean, _, p50, p95, p99, highest = values
                test.latency = Latency(mean=mean, p50=p50, p95=p95, p99=p99, max=highest)
        elif _LATENCY_HEAD.match(line):
            self._has_latency_head = True
        else:
            for name, pattern in _FIELDS.items():
                if name not in test.fields and (match := pattern.match(line)):
                    test.fields[name] = match[1]

    def _read_cells(self, row: dict[str, str]) -> None:
        latency = {name: number(row.get(f"{name}_latency_ms")) for name in ("p50", "p95", "p99", "max")}
        self._add(
            _Test(
                row.get("test", ""),
                {"rps": row.get("rps", "")},
                Latency(mean=number(row.get("avg_latency_ms")), **latency),
            )
        )

    def _add(self, test: _Test) -> None:
        if len(self._tests) >= _MAX_TESTS:
            raise ParseError(f"more than {_MAX_TESTS} tests in the file")
        self._tests.append(test)

    def tests(self) -> list[_Test]:
        """Those with a result. Raises ParseError when there is none."""
        finished = [test for test in self._tests if _rate(test)]
        if finished:
            return finished
        if self._failure:
            raise ParseError(f"the run failed: {self._failure}")
        names = ", ".join(test.name for test in self._tests)[:200]
        raise ParseError(f"no throughput of any test{f' ({names})' if names else ''}: the run did not finish")


def _reading(tests: list[_Test], not_read: NotRead) -> LogReading:
    """A result for each test; the same test again is another trial of it, or another point of its curve."""
    warnings = []
    if any("requests" not in test.fields for test in tests):
        warnings.append(
            "this output has no number of requests and no duration: send the full text (without -q or --csv)"
        )
    if any(_is_pipelined(test) for test in tests):
        warnings.append(
            "requests were sent in pipelines (-P), which are not printed: state clients as threads, and the pipeline"
        )
    readings = [RunReading(_facts(test), _trial(test), start=start) for start, test in enumerate(tests)]
    return joined(RedisBenchmark.name, readings, warnings=warnings, not_read=not_read)


def _rate(test: _Test) -> float | None:
    """As printed, in a text that is cut behind its percentiles by the time that they took."""
    requests, seconds = whole(test.fields.get("requests")), number(test.fields.get("seconds"))
    return number(test.fields.get("rps")) or (requests / seconds if requests and seconds else None)


def _trial(test: _Test) -> TrialReading:
    requests, printed = whole(test.fields.get("requests")), _rate(test)
    # seconds have two decimals: the printed rate is of unrounded ones
    return TrialReading(
        throughput_ops_s=printed,
        operations=requests,
        duration_s=round(requests / printed, 6) if requests and printed else None,
        printed_ops_s=printed,
        threads=_threads(test),
        latency_kind=LatencyKind.SERVICE_TIME if test.latency != Latency() else LatencyKind.UNKNOWN,
        latency=test.latency,
    )


def _facts(test: _Test) -> Facts:
    is_known = _KNOWN_TEST.fullmatch(test.name) is not None
    size = whole(test.fields.get("bytes"))
    return Facts(
        operations={test.name.lower()[:100]: 1.0},
        threads=_threads(test),
        columns=1 if is_known and size is not None else None,
        value_bytes=size if is_known else None,  # of a command of one's own it is the length of the command
        requested_operations=whole(test.fields.get("requests")),
    )


def _threads(test: _Test) -> int | None:
    return None if _is_pipelined(test) else whole(test.fields.get("clients"))


def _is_pipelined(test: _Test) -> bool:
    clients, rate, mean_ms = whole(test.fields.get("clients")), _rate(test), test.latency.mean
    return bool(clients and rate and mean_ms and rate * mean_ms / 1000 > _PIPELINED * clients)


def _quiet(line: str) -> re.Match[str] | None:
    last = _last_shown(line).rstrip()
    return None if last.startswith(" ") or _SUMMARY in last else _QUIET.fullmatch(last)


def _last_shown(line: str) -> str:
    """What a terminal shows of a line that was written over: its progress is before the last carriage return."""
    if "\r" not in line:
        return line
    return line.rstrip("\r\n").rsplit("\r", 1)[-1].lstrip()


def _cells(line: str) -> list[str]:
    return next(csv.reader([line]), [])


PARSER = RedisBenchmark()
