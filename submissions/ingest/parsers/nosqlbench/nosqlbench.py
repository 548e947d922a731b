"""NoSQLBench, 3 and 4: the metrics that it writes at the end, in its log or in its summary file."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Latency, LogReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import number
from submissions.ingest.parsers.runs import Run, RunReading, read_runs, reading_of

_METRIC = r"(?P<name>[^\s,=()]{1,200}?)[._](?P<kind>result-success|result_success|result|cycles[._]servicetime)"
# The log: type=TIMER, name=cql-keyvalue.result, count=100000, min=..., duration_unit=microseconds
_LOG_ROW = re.compile(
    r"(?:.{0,100}(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d))?.{0,300}?type=TIMER, name="
    + _METRIC
    + r", (?P<rest>count=.{1,1000})"
)
_PAIR = re.compile(r"(?P<key>[\w]{1,20})=(?P<value>[\w./+-]{1,60})")
_GAUGE = re.compile(
    r".{0,400}?name=(?P<name>[^\s,=]{1,200}?)\.cycles\.config\.cyclerate, value=(?P<rate>[\d.E+]{1,30})"
)
# The summary: the metric's name in a line, then "             count = 15000"
_TITLE = re.compile(_METRIC + r"$")
_RATE_TITLE = re.compile(r"(?P<name>[^\s,=]{1,200}?)[._]cycles[._]config[._]cyclerate$")
_VALUE = re.compile(r" {0,20}value = (?P<rate>[\d.E+]{1,30})")
_MEASURE = re.compile(
    r" {0,20}(?P<key>count|mean rate|min|max|mean|stddev|median|[\d.]{2,6}% <)(?: =|=) (?P<value>[\d.E+-]{1,30})"
    r" ?(?P<unit>[a-z/]{0,30})"
)
_KEYS = {
    "count": "count",
    "mean_rate": "rate", "mean rate": "rate",
    "mean": "mean", "max": "max",
    "median": "p50", "p95": "p95", "95% <": "p95", "p99": "p99", "99% <": "p99", "p999": "p999", "99.9% <": "p999",
}  # fmt: skip
_LATENCIES = ("mean", "p50", "p95", "p99", "p999", "max")
_MS = {"nanoseconds": 1e-6, "microseconds": 1e-3, "milliseconds": 1.0, "seconds": 1e3}
_LABELLED = re.compile(r'\{(?:\w{1,60}="[^"]{0,200}",?){1,20}\}$')  # of NoSQLBench 5
_BEGIN = "-- BEGIN METRICS DETAIL --"
_MAX_METRICS = 1_000


class NoSqlBench:
    """An operation is a cycle whose result was a success, and its latency the time until then: service time.

    A cycle rate (`cyclerate=`) holds back the cycles: it is a throttle.
    """

    name = "nosqlbench"
    label = "NoSQLBench metrics (log or summary)"
    databases: tuple[str, ...] = ()

    def matches(self, head: Sequence[str]) -> bool:
        return any(
            _BEGIN in line or _LOG_ROW.match(line) or _TITLE.match(line) or _LABELLED.match(line) for line in head
        )

    def is_certain(self, line: str) -> bool:
        """A name may have a prefix in it, a measure has none before it."""
        return self.matches([line]) or _MEASURE.match(line) is not None

    def parse(self, lines: Iterable[str]) -> LogReading:
        return reading_of(self.name, read_runs(map(str.rstrip, lines), _Run))


@dataclass
class _Timer:
    values: dict[str, float] = field(default_factory=dict)
    unit: str = ""

    def latency(self) -> Latency:
        factor = _MS.get(self.unit)
        if factor is None:
            return Latency()
        return Latency(**{name: self.values[name] * factor for name in _LATENCIES if name in self.values})


class _Run(Run):
    """The metrics of one scenario as far as they were read, by activity and kind."""

    def __init__(self) -> None:
        super().__init__()
        self._is_labelled = False
        self._summarized: set[tuple[str, str]] = set()  # timers whose block of the summary was read
        self._timers: dict[tuple[str, str], _Timer] = {}
        self._rates: dict[str, float] = {}
        self._current: _Timer | None = None
        self._rated: str | None = None  # the activity whose rate comes in the next line
        self._measured_at: datetime | None = None

    def read(self, line: str) -> bool:
        if self._begins_another(line):
            return False
        self._read(line)
        return True

    def _begins_another(self, line: str) -> bool:
        """A block of the summary that was there, or a row of the log that counts less than before."""
        if title := _TITLE.match(line):
            return _key(title) in self._summarized
        if rated := _RATE_TITLE.match(line):
            return bool(self._summarized) and rated["name"] in self._rates
        row = _LOG_ROW.match(line) if "type=TIMER" in line else None
        if row is None or _key(row) not in self._timers:
            return False
        count = _PAIR.match(row["rest"])
        return count is not None and (number(count["value"]) or 0) < self._timers[_key(row)].values.get("count", 0)

    def _read(self, line: str) -> None:
        if row := _LOG_ROW.match(line):
            self._measured_at = self._measured_at or _time(row["time"])
            pairs = {each["key"]: each["value"] for each in _PAIR.finditer(row["rest"])}
            timer = self._timer(row)
            timer.unit = pairs.get("duration_unit", "")
            timer.values = {
                _KEYS[key]: value for key, text in pairs.items() if key in _KEYS and (value := number(text)) is not None
            }
        elif gauge := _GAUGE.match(line):
            self._set_rate(gauge["name"], gauge["rate"])
        elif rated := _RATE_TITLE.match(line):
            self._rated = rated["name"]
        elif self._rated:
            if shown := _VALUE.match(line):
                self._set_rate(self._rated, shown["rate"])
            self._rated = None
        elif title := _TITLE.match(line):
            self._current = self._timer(title)
            self._summarized.add(_key(title))
        elif self._current and (measure := _MEASURE.match(line)):
            self._read_measure(self._current, measure)
        elif not line or not line.startswith(" "):
            self._current = None
            self._is_labelled |= _LABELLED.match(line) is not None

    def _set_rate(self, activity: str, text: str) -> None:
        rate = number(text)
        if rate and len(self._rates) < _MAX_METRICS:
            self._rates[activity] = rate

    def _timer(self, name: re.Match[str]) -> _Timer:
        if len(self._timers) >= _MAX_METRICS:
            raise ParseError(f"more than {_MAX_METRICS:,} metrics")
        return self._timers.setdefault(_key(name), _Timer())

    @staticmethod
    def _read_measure(timer: _Timer, measure: re.Match[str]) -> None:
        value = number(measure["value"])
        if measure["key"] in _KEYS and value is not None:
            timer.values[_KEYS[measure["key"]]] = value
        if measure["unit"] in _MS:
            timer.unit = measure["unit"]

    def readings(self) -> Sequence[RunReading]:
        activity = self._activity()
        success = self._timers[activity, "result-success"]
        operations, rate = round(success.values.get("count", 0)), success.values.get("rate")
        if not operations:
            raise ParseError(f"no cycle of {activity} was a success: there is no result to record")
        if not rate:
            raise ParseError(
                f'{operations:,} cycles of {activity} were a success, but their rate is missing: the line "mean rate ="'
                " (in a log mean_rate=) of its metric result-success"
            )
        every = self._timers.get((activity, "result"))
        errors = round(every.values["count"]) - operations if every and "count" in every.values else None
        latency = success.latency()
        trial = TrialReading(
            throughput_ops_s=rate,
            operations=operations,
            errors=max(0, errors) if errors is not None else None,
            duration_s=round(operations / rate, 6),
            printed_ops_s=rate,
            latency_kind=LatencyKind.SERVICE_TIME if latency != Latency() else LatencyKind.UNKNOWN,
            latency=latency,
        )
        facts = Facts(throttle_ops_s=self._rates.get(activity), measured_at=self._measured_at)
        return [RunReading(facts, trial, tuple(self._warnings(activity)))]

    def _activity(self) -> str:
        """The one that measured: schema and rampup come before it."""
        names = [
            name
            for (name, kind), timer in self._timers.items()
            if kind == "result-success" and timer.values.get("count")
        ]
        if not names and self._is_labelled:
            raise ParseError(
                "output of NoSQLBench 5, whose metrics have labels ({activity=...}): it has no time of the run, and its"
                " rate is printed as 0.00. The metrics of 3 and 4 are read; send the figures of 5 as numbers"
            )
        if not names:
            raise ParseError(
                "no metric result-success with a count: the run did not finish, or its metrics were not written"
            )
        main = [name for name in names if re.search(r"(?:^|[._-])main(?:$|[._-])", name)]
        if len(names) > 1 and len(main) != 1:
            raise ParseError(
                f"several activities ({', '.join(sorted(names))[:300]}), and not one of them is called main"
            )
        return main[0] if main else names[0]

    def _warnings(self, activity: str) -> Iterable[str]:
        others = sorted({name for name, _ in self._timers if name != activity})
        if others:
            yield f"read is the activity {activity}; not {', '.join(others)[:300]}"
        yield "threads and operations are not among the metrics: state them"
        if self._measured_at:
            yield "the log's times have no time zone: they are read as UTC"


def _key(name: re.Match[str]) -> tuple[str, str]:
    return name["name"], name["kind"].replace("_", "-")


def _time(text: str | None) -> datetime | None:
    try:
        return datetime.strptime(text or "", "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        return None


PARSER = NoSqlBench()
