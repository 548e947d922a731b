"""The summary of YCSB: `[READ], 95thPercentileLatency(us), 3091` and its like."""

import re
from collections.abc import Iterator

from submissions.ingest.document.readings import Latency, OperationReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import number
from submissions.ingest.parsers.ycsb.names import OPERATIONS, operation_of, strip_intended
from submissions.ingest.parsers.ycsb.properties import READ_MODIFY_WRITE

# A text that was copied may have lost its first character.
_METRIC = re.compile(r"(?:\[|^)([^\][]{1,100})\], ?([^,]{1,100}), ?(\S{1,50})\s*$")
_START = re.compile(rf"\s*\[?(?:OVERALL|CLEANUP|{'|'.join(OPERATIONS)})\], ?\S")
_BUCKET = re.compile(r">?\d+$")  # of a printed histogram or time series
_UNITS_PER_MS = {"us": 1000, "ms": 1}
# The measurement type `raw` has its own names; its unit is the microsecond.
_RAW_NAMES = {"Average": "mean", "Max": "max", "p50": "p50", "p95": "p95", "p99": "p99"} | {"p99.9": "p999"}
_FIELDS = {
    "AverageLatency": "mean",
    "MaxLatency": "max",
    "50thPercentileLatency": "p50",
    "95thPercentileLatency": "p95",
    "99thPercentileLatency": "p99",
    "99.9PercentileLatency": "p999",
    "99.9thPercentileLatency": "p999",
}
_WITH_UNIT = re.compile(r"(\S{1,60})\((us|ms)\)$")
_COUNTS = ("Operations", "Total Operations")
_OK_RETURNS = frozenset({"Return=OK", "Return=BATCHED_OK", "Return=0"})
_NOT_FOUND = "Return=NOT_FOUND"
_OVERALL = "OVERALL"
_MAX_NAMES = 1000
_WRAP = 2**32  # YCSB computes its rate from a count of 32 bits, which begins anew below zero
_SAME_COUNT = 0.01


def is_metric(line: str) -> bool:
    """Whether it begins like a line of the summary."""
    return _START.match(line) is not None


class Summary:
    """The metrics read so far."""

    def __init__(self) -> None:
        self.run_s: float | None = None
        self.printed_ops_s: float | None = None
        self.has_intended = False
        self._metrics: dict[str, dict[str, float]] = {}
        self._intended: dict[str, dict[str, float]] = {}
        self._has_buckets = False

    def add(self, line: str) -> bool:
        """Read a line; False when it is no metric."""
        metric = _METRIC.search(line)
        if not metric:
            return False
        name, measurement, value = metric[1], metric[2], number(metric[3])
        if _BUCKET.match(measurement):
            self._has_buckets = True
        elif name == _OVERALL:
            self._add_overall(measurement, value)
        elif value is not None:
            self._add(name, measurement, value)
        return True

    def __bool__(self) -> bool:
        return bool(self.run_s is not None or self.printed_ops_s is not None or self._metrics)

    def is_of_another_run(self, line: str) -> bool:
        """Whether it has another value for what is known."""
        metric = _METRIC.search(line) if self else None
        if metric is None or _BUCKET.match(metric[2]):
            return False
        value = number(metric[3])
        if metric[1] == _OVERALL:
            before = {"RunTime(ms)": self.run_s and self.run_s * 1000, "Throughput(ops/sec)": self.printed_ops_s}
            return before.get(metric[2], value) not in (None, value)
        name, is_intended = strip_intended(metric[1])
        of_name = (self._intended if is_intended else self._metrics).get(name, {})
        return of_name.get(metric[2], value) != value

    def complete(self) -> None:
        """The time, where the line with it is lost, by the printed rate: that of all operations."""
        if self.run_s is None and self.printed_ops_s and (attempts := self.operations() + self.errors()):
            self.run_s = round(attempts / self.printed_ops_s, 3)

    def missing(self) -> str:
        """What a summary needs and does not have."""
        has_operations = any(name in block for block in self._metrics.values() for name in _COUNTS)
        names = [] if self.run_s is not None else ["[OVERALL], RunTime(ms)"]
        return " and ".join(names if has_operations else [*names, "Operations of any type"])

    def _add_overall(self, measurement: str, value: float | None) -> None:
        if measurement == "RunTime(ms)" and value is not None:
            self.run_s = value / 1000
        elif measurement == "Throughput(ops/sec)":
            self.printed_ops_s = value

    def _add(self, name: str, measurement: str, value: float) -> None:
        name, is_intended = strip_intended(name)
        if operation_of(name) is None:
            return  # CLEANUP, garbage collection
        self.has_intended |= is_intended
        metrics = (self._intended if is_intended else self._metrics).setdefault(name, {})
        if len(self._metrics) + len(self._intended) > _MAX_NAMES or len(metrics) > _MAX_NAMES:
            raise ParseError(f"more than {_MAX_NAMES} metrics in the summary")
        metrics[measurement] = value

    def attempts(self) -> dict[str, int]:
        return {reading.name: (reading.operations or 0) + (reading.errors or 0) for reading in self.by_operation()}

    def operations(self) -> int:
        """Successful transactions.

        A read-modify-write is measured as such and again as the read and the update in it.
        """
        counts = {reading.name: reading.operations or 0 for reading in self.by_operation()}
        return max(0, sum(counts.values()) - 2 * counts.get(READ_MODIFY_WRITE, 0))

    def errors(self) -> int:
        return sum(reading.errors or 0 for reading in self.by_operation())

    def not_found(self) -> int:
        """Failures that are right answers: the workload deletes records, and asks for them again."""
        if not self.attempts().get("delete"):
            return 0
        missed = [each.get(_NOT_FOUND, 0) for name, each in self._metrics.items() if operation_of(name) == name]
        return min(int(sum(missed)), self.errors())

    def has_overflow(self) -> bool:
        """Whether the printed rate is that of as many operations less 2^32, or a multiple of it."""
        if self.printed_ops_s is None or not self.run_s:
            return False
        attempts = self.operations() + self.errors()
        missing = attempts - self.printed_ops_s * self.run_s
        wraps = round(missing / _WRAP)
        return wraps > 0 and abs(missing - wraps * _WRAP) <= _SAME_COUNT * attempts

    def by_operation(self) -> tuple[OperationReading, ...]:
        names = {operation_of(name) or "" for name in self._metrics}
        return tuple(self._operation(name) for name in sorted(names))

    def _operation(self, name: str) -> OperationReading:
        metrics = self._metrics.get(name, {})
        count = next((metrics[key] for key in _COUNTS if key in metrics), 0.0)
        failed_blocks = [
            next((block[key] for key in _COUNTS if key in block), 0.0)
            for other, block in self._metrics.items()
            if other != name and operation_of(other) == name
        ]
        # Versions without blocks of failures count the failed operations with the others.
        failed_returns = sum(
            value for key, value in metrics.items() if key.startswith("Return=") and key not in _OK_RETURNS
        )
        errors = sum(failed_blocks) if failed_blocks else failed_returns
        operations = count if failed_blocks else max(0.0, count - errors)
        has_run = bool(self.run_s and operations)
        return OperationReading(
            name=name.lower(),
            operations=int(operations),
            errors=int(errors),
            throughput_ops_s=operations / self.run_s if has_run and self.run_s else None,
            latency=self._latency(name) if operations else Latency(),
        )

    def _latency(self, name: str) -> Latency:
        source = self._intended if self.has_intended else self._metrics
        values: dict[str, float] = {}
        for measurement, value in source.get(name, {}).items():
            if measurement in _RAW_NAMES:
                values[_RAW_NAMES[measurement]] = value / 1000
            elif (unit := _WITH_UNIT.match(measurement)) and unit[1] in _FIELDS:
                values[_FIELDS[unit[1]]] = value / _UNITS_PER_MS[unit[2]]
        if self._p95_is_p90(name):
            values.pop("p95", None)
        return Latency(**values)

    def _p95_is_p90(self, name: str) -> bool:
        """Early releases with HdrHistogram print percentiles in whole ms and the 90th as the 95th.

        The older plain histogram prints whole ms too, but its buckets with them.
        """
        is_in_ms = "95thPercentileLatency(ms)" in self._metrics.get(name, {})
        return is_in_ms and not self._has_buckets

    def latency(self) -> Latency:
        """Over all types: of one type its own; of several only what can be joined exactly."""
        readings = [
            reading for reading in self.by_operation() if reading.operations and reading.name != READ_MODIFY_WRITE
        ]
        if len(readings) == 1:
            return readings[0].latency
        means = [(reading.latency.mean, reading.operations or 0) for reading in readings]
        maxima = [reading.latency.max for reading in readings if reading.latency.max is not None]
        return Latency(
            mean=_joined_mean(means),
            max=max(maxima) if maxima and len(maxima) == len(readings) else None,
        )

    def warnings(self) -> Iterator[str]:
        if self.has_overflow():
            yield (
                f"YCSB printed {self.printed_ops_s:,.0f} ops/s, because its count of operations exceeded 32 bits: "
                "the throughput here is operations by measured time"
            )
        if any(self._p95_is_p90(name) for name in self._metrics):
            yield "the 95th percentile was omitted: this release of YCSB prints the 90th in its place"


def _joined_mean(means: list[tuple[float | None, int]]) -> float | None:
    """The mean over all operations, to the nanosecond; None when one type has none."""
    known = [(mean, count) for mean, count in means if mean is not None]
    if not known or len(known) < len(means):
        return None
    return round(sum(mean * count for mean, count in known) / sum(n for _, n in known), 6)
