"""BenchBase (and OLTP-Bench before it): the file `<benchmark>_<time>.summary.json`."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from submissions.choices import LatencyKind
from submissions.ingest.document.readings import Facts, Latency, LogReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.json_document import MAX_CHARACTERS, at, read_object, starts_json
from submissions.ingest.parsers.numbers import count, finite, ms_of_us, whole

_DISTRIBUTION = "Latency Distribution"
_LATENCIES = {
    "mean": "Average Latency (microseconds)",
    "p50": "Median Latency (microseconds)",
    "p95": "95th Percentile Latency (microseconds)",
    "p99": "99th Percentile Latency (microseconds)",
    "max": "Maximum Latency (microseconds)",
}
# Types that are one product. POSTGRES and MYSQL are only the protocol: Aurora or YugabyteDB has them too.
_SERVICES = {
    "COCKROACHDB": "cockroachdb",
    "MARIADB": "mariadb",
    "ORACLE": "oracle",
    "SPANNER": "spanner",
    "SQLITE": "sqlite",
    "SQLSERVER": "sql-server",
}
_PROTOCOLS = {"POSTGRES": ("postgresql",), "MYSQL": ("mysql",)}
_VERSION = re.compile(r"(?:^|[ v])(\d{1,4}(?:\.\d{1,6}){1,3})")


class BenchBase:
    """The rate is the goodput: requests that committed. A worker waits for its answer: service time."""

    name = "benchbase"
    label = "BenchBase summary.json"
    databases: tuple[str, ...] = ()
    line_characters = MAX_CHARACTERS

    def matches(self, head: Sequence[str]) -> bool:
        has = {key for key in ('"DBMS Type"', '"Benchmark Type"') if any(key in line for line in head)}
        return starts_json(head) and len(has) == 2

    def parse(self, lines: Iterable[str]) -> LogReading:
        summary = read_object(lines, "BenchBase")
        trial = _trial(summary)
        return LogReading(
            tool=self.name,
            facts=_facts(summary, trial),
            trial_sets=((trial,),),
            warnings=tuple(_warnings(summary, trial)),
        )


def _trial(summary: dict[str, Any]) -> TrialReading:
    requests, nanoseconds = count(summary.get("Measured Requests")), finite(summary.get("Elapsed Time (nanoseconds)"))
    throughput = finite(summary.get("Throughput (requests/second)"))
    goodput = finite(summary.get("Goodput (requests/second)"))
    if throughput is None:
        raise ParseError("no Throughput (requests/second) in the summary of BenchBase")
    rate = throughput if goodput is None or goodput > throughput else goodput
    if not rate or rate <= 0 or requests == 0:
        raise ParseError(f"none of {requests or 0:,} requests committed: there is no result to record")
    seconds = nanoseconds / 1e9 if nanoseconds and nanoseconds > 0 else None
    return TrialReading(
        throughput_ops_s=rate,
        operations=round(rate * seconds) if seconds else None,
        duration_s=seconds,
        printed_ops_s=throughput,
        threads=_number(summary.get("terminals")),
        started_at=_started_at(summary),
        latency_kind=LatencyKind.SERVICE_TIME,
        latency=Latency(
            **{name: ms_of_us(finite(at(summary, _DISTRIBUTION, key))) for name, key in _LATENCIES.items()}
        ),
        truncated=summary.get("Final State") not in (None, "EXIT", "DONE"),
    )


def database(dbms: str) -> tuple[str | None, tuple[str, ...] | None]:
    """The product of a type of BenchBase, or those whose protocol it is."""
    return _SERVICES.get(dbms), _PROTOCOLS.get(dbms)


def _facts(summary: dict[str, Any], trial: TrialReading) -> Facts:
    benchmark, dbms = summary.get("Benchmark Type"), str(summary.get("DBMS Type") or "").upper()
    version = _VERSION.search(str(summary.get("DBMS Version") or "")[:300])
    name = benchmark.strip().lower()[:100] if isinstance(benchmark, str) else ""
    service, databases = database(dbms)
    return Facts(
        service=service,
        databases=databases,
        service_version=version[1] if version else None,
        operations={name: 1.0} if name else None,
        threads=trial.threads,
        measured_at=trial.started_at,
    )


def _warnings(summary: dict[str, Any], trial: TrialReading) -> Iterable[str]:
    requests = count(summary.get("Measured Requests"))
    if summary.get("Goodput (requests/second)") is None:
        yield "the summary has no goodput: requests that did not commit are part of its throughput"
    elif (finite(summary.get("Goodput (requests/second)")) or 0) > (trial.printed_ops_s or 0):
        yield "the goodput of the summary is above its throughput, which cannot be: the throughput is read"
    elif requests and trial.operations is not None and (rest := requests - trial.operations) > 0:
        yield (
            f"{rest:,} of {requests:,} requests did not commit and are not counted; the summary does not tell errors"
            " from those that the benchmark itself takes back (one new order in a hundred of TPC-C)"
        )
    if scale := _number(summary.get("scalefactor")):
        isolation = str(summary.get("isolation") or "not stated")[:60]
        yield f"scale factor {scale:,}, isolation {isolation}: not part of what is compared"


def _started_at(summary: dict[str, Any]) -> datetime | None:
    """Older summaries have only the time at which they were written."""
    for key in ("Start timestamp (milliseconds)", "Current Timestamp (milliseconds)"):
        milliseconds = finite(summary.get(key))
        if milliseconds and milliseconds > 0:
            try:
                return datetime.fromtimestamp(milliseconds / 1000, UTC)
            except (ValueError, OverflowError, OSError):
                return None
    return None


def _number(value: object) -> int | None:
    return whole(value) if isinstance(value, str) else count(value)


PARSER = BenchBase()
