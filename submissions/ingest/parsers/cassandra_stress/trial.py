"""One run of the tool, from its rows and its summary to a trial."""

from dataclasses import dataclass, field

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Latency, OperationReading, TrialReading
from submissions.ingest.parsers.cassandra_stress.series import Series
from submissions.ingest.parsers.cassandra_stress.settings import Settings
from submissions.ingest.parsers.cassandra_stress.summary import Summary
from submissions.ingest.parsers.errors import ParseError

_COARSE_SECONDS = 1.0  # a `time` printed to 0.1 s below this is wrong by up to 5 % and more
_ROUNDING_SECONDS = 0.05
_SAME_RATE = 0.02
_OVERLOAD = 1.05  # Little's law, with the rounding of the printed figures


@dataclass(slots=True)
class RunBlock:
    """What was printed between a "Running ..." line and the next one."""

    threads: int | None = None
    names: tuple[str, ...] = ()
    series: Series = field(default_factory=Series)
    summary: Summary = field(default_factory=Summary)
    legacy: bool = False
    is_py_stress: bool = True  # until a row says otherwise
    ended: bool = False  # END was printed, or the tool went on to the next thread count
    failed: bool = False  # FAILURE was printed
    requested_operations: int | None = None
    requested_duration_s: float | None = None
    legacy_errors: int | None = None  # 0.6 to 2.0 report failed operations in lines of text only

    @property
    def is_empty(self) -> bool:
        return self.series.last is None and not self.summary.is_result

    @property
    def operation_names(self) -> tuple[str, ...]:
        return self.names or self.summary.names or self.series.names

    def operations_of(self, name: str) -> int | None:
        """Operations of one type, failed ones included."""
        in_rows = self.series.operations(name) if self._rows_reach_the_end() else None
        return in_rows if in_rows is not None else self.summary.operations_of(name)

    def trial(self, settings: Settings) -> TrialReading:
        """The trial. Raises ParseError when no operation succeeded, or no rate is stated."""
        total, errors, seconds = self._total(), self._errors(), self._seconds()
        if total is not None and total - (errors or 0) <= 0:
            raise ParseError(_no_success(total, errors))
        operations = None if total is None else total - (errors or 0)
        printed = self._printed(total, seconds)
        throughput = _throughput(operations, total, errors, seconds, printed)
        if not throughput:
            raise ParseError("the log prints neither a rate nor the operations and the time of one")
        latency = self.summary.latency if self.summary.is_result else self.series.latency()
        return TrialReading(
            throughput_ops_s=throughput,
            operations=operations,
            errors=errors,
            duration_s=seconds,
            printed_ops_s=printed,
            threads=self.threads,
            latency_kind=self._latency_kind(settings.rate_limit, printed or throughput, latency),
            latency=latency,
            by_operation=self._by_operation(),
            intervals=self.series.known_intervals(is_whole_output=settings.is_whole_output),
            truncated=self._is_truncated(),
            failed=self.failed,
        )

    def _is_truncated(self) -> bool:
        # Without Results END shows that the run was over; py_stress prints neither.
        has_end = self.summary.is_result or self.ended or (self.legacy and self.is_py_stress)
        return not self.failed and not has_end

    def _total(self) -> int | None:
        """Operations, failed ones included: `Total partitions` and the rows both count them."""
        if not self.summary.is_result:
            return self.series.operations()
        if self.summary.operations is not None:
            return self.summary.operations
        return self.series.operations() if self._rows_reach_the_end() else None

    def _errors(self) -> int | None:
        printed = self.summary.errors if self.summary.is_result else None
        if printed is not None:
            return printed
        return self.legacy_errors if self.legacy else self.series.errors()

    def _rows_reach_the_end(self) -> bool:
        """Whether the last row is the end of the run: some versions leave the last interval out."""
        last = self.series.last
        if last is None or not self.summary.is_result:
            return last is not None
        if self.summary.operations is not None:
            return last.total == self.summary.operations
        if last.time <= 0:
            return False
        measured = last.total / last.time
        printed = self.summary.rate(measured)
        tolerance = _SAME_RATE + _ROUNDING_SECONDS / last.time
        return printed is not None and abs(measured - printed) <= tolerance * printed

    def _seconds(self) -> float | None:
        """Measured seconds: `time` of the last row, which shows tenths, before the summary's.

        `Total operation time` has its fraction cut off. Without a last row, and where tenths are
        too coarse, operations / printed rate gives the fraction back, if it fits what is printed.
        """
        last = self.series.last
        if last is not None and self._rows_reach_the_end() and last.time > 0:
            if last.time > _COARSE_SECONDS or not self.summary.is_result:
                return last.time
            return self._seconds_within(last.time - _ROUNDING_SECONDS, last.time + _ROUNDING_SECONDS, last.time)
        whole = self.summary.seconds if self.summary.is_result else None
        if whole is None:
            return None
        return self._seconds_within(whole, whole + 1, float(whole) or None)

    def _seconds_within(self, low: float, high: float, otherwise: float | None) -> float | None:
        total = self._total()
        printed = self.summary.rate(total / high if total and high > 0 else None)
        exact = total / printed if total and printed else None
        return exact if exact is not None and low <= exact <= high else otherwise

    def _printed(self, total: int | None, seconds: float | None) -> float | None:
        if not self.summary.is_result:
            return None
        return self.summary.rate(total / seconds if total and seconds else None)

    def _latency_kind(self, rate_limit: float | None, throughput: float, latency: Latency) -> LatencyKind:
        """Which latency the figures are.

        Up to 2.2, and always without a rate, a thread takes the time from sending its request to
        its answer: service time. With `fixed=` the tool (3.10 and later) counts from when the
        request was due: response time; with `throttle=` it stays service time. The settings print
        both as `OpsPer Sec`. Little's law distinguishes them when the system cannot keep up: N
        threads cannot hold more than N service times at once.
        """
        if self.legacy or (self.summary.is_result and not self.summary.has_units):
            return LatencyKind.SERVICE_TIME
        if rate_limit == 0:
            return LatencyKind.SERVICE_TIME
        if latency.mean and self.threads:
            at_once = throughput * latency.mean / 1000
            if at_once > self.threads * _OVERLOAD:
                return LatencyKind.RESPONSE_TIME
        return LatencyKind.UNKNOWN

    def _by_operation(self) -> tuple[OperationReading, ...]:
        """The types of a mixed run; a run of one type has nothing to add to its total."""
        names = (self.summary.names if self.summary.is_result else ()) or self.series.names
        if len(names) < 2:
            return ()
        return tuple(self._operation(name) for name in names)

    def _operation(self, name: str) -> OperationReading:
        total, seconds = self.operations_of(name), self._seconds()
        expected = total / seconds if total and seconds else None
        if self.summary.is_result:
            errors, latency = self.summary.errors_of(name), self.summary.latency_of(name)
            rate = self.summary.rate_of(name, expected)
        else:
            errors, latency = self.series.errors(name), self.series.latency(name)
            rate = expected
        good = None if total is None else total - (errors or 0)
        if rate is not None and errors:
            # The printed rate counts failed operations too; a share of an unknown total is unknown.
            rate = rate * good / total if good is not None and total else None
        return OperationReading(name, good, errors, rate, latency)


def _throughput(
    operations: int | None,
    total: int | None,
    errors: int | None,
    seconds: float | None,
    printed: float | None,
) -> float | None:
    """Successful operations a second; from the printed rate where operations or time is unknown."""
    if operations is not None and seconds:
        return operations / seconds
    if printed is None:
        return None
    if not errors:
        return printed
    if total:
        return printed * (total - errors) / total
    return printed - errors / seconds if seconds and printed > errors / seconds else None


def _no_success(total: int, errors: int | None) -> str:
    if total == 0:
        return "no operation completed: no throughput to record"
    return f"all {errors:,} of {total:,} operations failed: no throughput to record"
