"""sysbench's database tests, 0.5 and 1.0: the summary, its histogram and the rows of --report-interval."""

import re
from collections.abc import Iterable, Sequence

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Histogram, Latency, LogReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import number, observed_shares, whole
from submissions.ingest.parsers.runs import Run, RunReading, is_length_of, read_runs, reading_of
from submissions.ingest.parsers.sysbench.rows import Buckets, Rows, is_bucket, is_row

_HEAD = re.compile(r"sysbench (?P<version>\d[\w.-]{0,40})[ :]")
_FIELDS = {
    "threads": re.compile(r"Number of threads: (\d{1,9})"),
    "rate": re.compile(r"Target transaction rate: (\d{1,12})/sec"),
    "read": re.compile(r"\s*read:\s+(\d{1,18})$"),
    "write": re.compile(r"\s*write:\s+(\d{1,18})$"),
    "other": re.compile(r"\s*other:\s+(\d{1,18})$"),
    "transactions": re.compile(r"\s*transactions:\s+(\d{1,18})\s+\("),
    "tps": re.compile(r"\s*transactions:\s+\d{1,18}\s+\(([\d.]{1,30}) per sec"),
    "errors": re.compile(r"\s*ignored errors:\s+(\d{1,18})\s+\("),
    "reconnects": re.compile(r"\s*reconnects:\s+(\d{1,18})\s+\("),
    "events": re.compile(r"\s*total number of events:\s+(\d{1,18})$"),
    "seconds": re.compile(r"\s*total time:\s+([\d.]{1,30})s"),
    "mean": re.compile(r"\s*avg:\s+([\d.]{1,30})(?:ms)?$"),
    "max": re.compile(r"\s*max:\s+([\d.]{1,30})(?:ms)?$"),
}
_PERCENTILE = re.compile(
    r"\s*(?:approx\.\s+)?(?P<level>\d{1,3}(?:\.\d{1,4})?)(?:st|nd|rd|th)? percentile:\s+(?P<ms>[\d.]{1,30})(?:ms)?$"
)
_OTHER_TEST = re.compile(r"(CPU speed|Mutex|Threads|File operations|Prime numbers limit|Total operations): ?")
_PERCENTILES = {50.0: "p50", 95.0: "p95", 99.0: "p99", 99.9: "p999"}
# By itself each shows the format, in a log without its head
_SUMMARY = ("SQL statistics:", "OLTP test statistics:")
_FIRST_OF_RUN = frozenset({"threads", "transactions", "seconds"})
_LOOKS_LIKE_RESULT = re.compile(
    r"\s+transactions: |\s+total time: |\s+.{0,20}\d percentile: |\[ {0,12}\d{1,12}(?:\.\d{1,6})?s ?\]"
)
_PREPARED = "Creating table 'sbtest"
# Of the command line, where a script shows it, or the one that sysbench chose.
_DRIVER = re.compile(r"(?:.{0,2000}--db-driver=|No DB drivers specified, using )(mysql|pgsql)\b")
_DRIVERS = {"mysql": ("mysql",), "pgsql": ("postgresql",)}


class Sysbench:
    """An operation is sysbench's transaction: one call of the script's event().

    With --rate the time in the queue is part of the latency (sb_timer.h adds it), without it is not.
    """

    name = "sysbench"
    label = "sysbench (database tests)"
    databases: tuple[str, ...] = ("mysql", "mariadb", "postgresql")

    def matches(self, head: Sequence[str]) -> bool:
        return any(
            _HEAD.match(line)
            or line.startswith(_SUMMARY)
            or _FIELDS["tps"].match(line)
            or is_row(line)
            or is_bucket(line)
            for line in head
        )

    def parse(self, lines: Iterable[str]) -> LogReading:
        return reading_of(self.name, read_runs(lines, _Run, may_repeat=is_bucket))


class _Run(Run):
    """One run, as far as it was read."""

    def __init__(self) -> None:
        super().__init__()
        self._version: str | None = None
        self._fields: dict[str, str] = {}
        self._levels: dict[str, float | None] = {}
        self._rows = Rows()
        self._buckets = Buckets()
        self._fatal: str | None = None
        self._driver: str | None = None
        self._has_other_test = self._was_prepared = self._has_head = False

    def read(self, line: str) -> bool:
        if self._begins_another(line):
            return False
        if self._rows.add(line) or self._buckets.add(line):
            return True
        if head := _HEAD.match(line):
            self._has_head = True
            self._version = self._version or head["version"]
        if self._fatal is None and line.startswith("FATAL: "):
            self._fatal = line.strip()[:300]
        self._has_other_test |= _OTHER_TEST.match(line) is not None
        if self._driver is None and (driver := _DRIVER.match(line)):
            self._driver = driver[1]
        self._was_prepared |= line.startswith(_PREPARED)
        self._read_fields(line)
        return True

    def _begins_another(self, line: str) -> bool:
        """A head, a row or a summary after this run's own."""
        has_summary = "transactions" in self._fields or "seconds" in self._fields
        if _HEAD.match(line):
            return bool(has_summary or self._rows or "threads" in self._fields)
        if not has_summary and not self._rows:
            return False
        if line.startswith("["):
            return is_row(line) and (has_summary or self._rows.falls_at(line))
        if line.startswith(_SUMMARY):
            return has_summary
        return any(name in self._fields and _FIELDS[name].match(line) for name in _FIRST_OF_RUN)

    def _read_fields(self, line: str) -> None:
        is_field = False
        for name, pattern in _FIELDS.items():
            if match := pattern.match(line):
                self._fields.setdefault(name, match[1])
                is_field = True
        if percentile := _PERCENTILE.match(line):
            name = _PERCENTILES.get(float(percentile["level"]), "")
            self._levels.setdefault(name, number(percentile["ms"]))
        elif not is_field and _LOOKS_LIKE_RESULT.match(line):
            self.not_read.add(line)

    @property
    def _is_from_start(self) -> bool:
        return self._has_head or "threads" in self._fields

    def takes(self, following: "_Run") -> bool:
        if self._rows or following._fields or following._has_head or not (self._fields and following._rows):
            return False
        rows_s, run_s = following._rows.seconds(is_from_start=True), number(self._fields.get("seconds"))
        if not rows_s or not run_s or not is_length_of(rows_s, run_s):
            return False
        self._rows = following._rows
        return True

    def readings(self) -> Sequence[RunReading]:
        trial = self._trial() if "tps" in self._fields else self._truncated_trial()
        return [RunReading(self._facts(), trial, tuple(self._warnings()))]

    def _trial(self) -> TrialReading:
        operations, errors = self._whole("transactions") or 0, self._whole("errors")
        if not operations:
            raise ParseError(f"no transaction was completed ({errors or 0:,} errors): there is no result to record")
        tps, seconds = number(self._fields["tps"]), number(self._fields.get("seconds"))
        recorded = self._buckets.latency() if self._is_whole_histogram() else Latency()
        levels = {name: self._levels.get(name) or getattr(recorded, name) for name in _PERCENTILES.values()}
        return TrialReading(
            throughput_ops_s=operations / seconds if seconds else tps,
            operations=operations,
            errors=errors,
            duration_s=seconds or None,
            printed_ops_s=tps,
            threads=self._threads(),
            latency_kind=self._latency_kind(),
            latency=Latency(
                mean=number(self._fields.get("mean")),
                max=number(self._fields.get("max")),
                **levels,
            ),
            intervals=self._rows.intervals(is_from_start=self._is_from_start),
            histograms=self._histograms(),
        )

    def _truncated_trial(self) -> TrialReading:
        """Of a killed run: what its rows say."""
        is_from_start = self._is_from_start
        throughput = self._rows.throughput_ops_s(is_from_start=is_from_start)
        if throughput is None:
            raise ParseError(self._why_no_result())
        return TrialReading(
            throughput_ops_s=throughput,
            errors=self._rows.errors(is_from_start=is_from_start),
            duration_s=self._rows.seconds(is_from_start=is_from_start),
            threads=self._threads(),
            latency_kind=self._latency_kind(),
            latency=self._rows.latency(),
            intervals=self._rows.intervals(is_from_start=is_from_start),
            truncated=True,
        )

    def _why_no_result(self) -> str:
        if self._has_other_test:
            return "a test of sysbench that uses no database (cpu, memory, fileio, threads, mutex)"
        if self._was_prepared:
            return "the output of sysbench prepare, which fills the tables: no run in it"
        if self._fatal:
            return f"the run failed: {self._fatal}"
        return "no sysbench summary and no row of --report-interval: the run did not finish"

    def _threads(self) -> int | None:
        return self._whole("threads") or self._rows.threads

    def _latency_kind(self) -> LatencyKind:
        """The rate is in the head alone."""
        if not self._is_from_start:
            return LatencyKind.UNKNOWN
        return LatencyKind.RESPONSE_TIME if "rate" in self._fields else LatencyKind.SERVICE_TIME

    def _is_whole_histogram(self) -> bool:
        """Whether no bucket is lost with the head of the log."""
        return self._has_head or self._buckets.count == (self._whole("events") or self._whole("transactions"))

    def _histograms(self) -> tuple[Histogram, ...]:
        encoded = self._buckets.encoded() if self._is_whole_histogram() else None
        return (Histogram("total", self._latency_kind(), encoded),) if encoded else ()

    def _facts(self) -> Facts:
        rate = self._whole("rate")
        return Facts(
            databases=_DRIVERS.get(self._driver or ""),
            tool_version=self._version,
            operations=self._shares(),
            threads=self._threads(),
            fixed_rate_ops_s=float(rate) if rate else None,
        )

    def _shares(self) -> dict[str, float] | None:
        """Of the queries in the transactions. The log does not name its script: only writes could be any of four."""
        counts = {name: self._whole(name) or 0 for name in ("read", "write", "other")}
        return observed_shares(counts) if counts["read"] or counts["other"] else None

    def _whole(self, name: str) -> int | None:
        return whole(self._fields.get(name))

    def _warnings(self) -> Iterable[str]:
        if "tps" in self._fields and not self._shares():
            yield (
                "the log does not name the test and all its queries are writes: state the command or the operations"
                " (oltp_insert, oltp_delete, oltp_update_index, ...)"
            )
        if errors := self._whole("errors"):
            yield f"{errors:,} transactions were rolled back after an error that sysbench ignores, and not counted"
        if reconnects := self._whole("reconnects"):
            yield f"{reconnects:,} connections were lost and opened again"


PARSER = Sysbench()
