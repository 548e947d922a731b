"""The CSV of the task redis: a row for each number of threads and each pipeline."""

import csv
from collections.abc import Iterable, Sequence

from submissions.choices import ClientPlacement, LatencyKind
from submissions.ingest.document.readings import Facts, Latency, LogReading, TrialReading
from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.memtier import memtier
from submissions.ingest.parsers.numbers import number, whole

_HEAD = '"operation","threads","pipeline",'
_COLUMNS = ("operation", "threads", "pipeline", "rps", "latency")
_MAX_ROWS = 200

# What the task runs: a redis-server for each vCPU of the machine, and beside each a
# `memtier_benchmark --ratio=1:0 --test-time=10 --threads=T --pipeline=P`, whose defaults are:
_CONNECTIONS = 50  # of each thread
_VALUE_BYTES = 32
_SECONDS = 10.0
_FACTS = Facts(
    databases=("redis",),
    columns=1,
    value_bytes=_VALUE_BYTES,
    requested_duration_s=_SECONDS,
    client_placement=ClientPlacement.ON_DATABASE,
)


class InspectorRedis:
    """Each row is a result of its own: another pipeline is another workload, and so are more threads a server.

    `rps` is the sum over all servers, `latency` the mean in ms over the servers of their mean latencies: no
    percentile follows from it.
    """

    name = "sparecores-redis"
    label = "Spare Cores inspector: redis"
    databases: tuple[str, ...] = ("redis",)

    def matches(self, head: Sequence[str]) -> bool:
        return next((line for line in head if line.strip()), "").startswith(_HEAD)

    def parse(self, lines: Iterable[str]) -> LogReading:
        rows = list(_rows(lines))
        if not rows:
            raise ParseError("no row below the heads of the columns: the run did not finish")
        keys = [(row["operation"], row["threads"], row["pipeline"]) for row in rows]
        if len(set(keys)) < len(keys):
            raise ParseError("more than one run in the file: upload one file per run")
        return LogReading(
            tool=memtier.TOOL,
            facts=_FACTS,
            trial_sets=tuple((_trial(row),) for row in rows),
            set_facts=tuple(_facts(row) for row in rows),
        )


def _rows(lines: Iterable[str]) -> Iterable[dict[str, str]]:
    columns: list[str] = []
    for count, cells in enumerate(_cells(lines)):
        if not columns:
            columns = cells
            if missing := [name for name in _COLUMNS if name not in columns]:
                raise ParseError(f"the file has no column {', '.join(missing)}")
            continue
        if count > _MAX_ROWS:
            raise ParseError(f"more than {_MAX_ROWS} rows in the file")
        if len(cells) != len(columns):
            raise ParseError(f"row {count} has {len(cells)} of {len(columns)} columns: the file is cut short")
        yield dict(zip(columns, cells, strict=True))


def _cells(lines: Iterable[str]) -> Iterable[list[str]]:
    try:
        for cells in csv.reader(line for line in lines if line.strip()):
            yield [cell.strip() for cell in cells]
    except csv.Error as error:
        raise ParseError(f"the CSV is damaged: {error}") from error


def _trial(row: dict[str, str]) -> TrialReading:
    rate, mean_ms = number(row["rps"]), number(row["latency"])
    if rate is None or mean_ms is None or rate < 0 or mean_ms < 0:
        raise ParseError(f"{_name(row)} has no number as rps or latency: {row['rps'][:30]!r}, {row['latency'][:30]!r}")
    if rate == 0:
        raise ParseError(f"{_name(row)} has no completed request: there is no result to record")
    return TrialReading(
        throughput_ops_s=rate,
        duration_s=_SECONDS,
        printed_ops_s=rate,
        latency_kind=LatencyKind.SERVICE_TIME,
        latency=Latency(mean=mean_ms),
    )


def _facts(row: dict[str, str]) -> Facts:
    threads, pipeline = whole(row["threads"]), whole(row["pipeline"])
    if not threads or not pipeline or not row["operation"]:
        raise ParseError(f"{_name(row)} has no operation, threads or pipeline")
    return Facts(
        operations={row["operation"].lower()[:100]: 1.0},
        threads_per_vcpu=_CONNECTIONS * threads,
        pipeline=pipeline,
    )


def _name(row: dict[str, str]) -> str:
    """ "the row SET, threads 1, pipeline 16"."""
    return f"the row {row['operation'][:30]}, threads {row['threads'][:10]}, pipeline {row['pipeline'][:10]}"


PARSER = InspectorRedis()
