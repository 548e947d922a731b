"""The rows of `cockroach workload run`, whose columns are in the line above them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from submissions.ingest.document.readings import Latency
from submissions.ingest.parsers.numbers import go_seconds, number

TICK, TOTAL, RESULT, TPCC = "tick", "total", "result", "tpmC"
_HEAD = re.compile(r"\s*_{1,8}elapsed_[\w()/.]{20,300}\s*$")
_ROW = re.compile(
    r"\s*(?P<elapsed>\d[\d.hms]{0,20}s)\s+(?P<rest>[\d.][\d. %]{10,300}?)(?:\s+(?P<name>[A-Za-z]\w{0,60}))?\s*$"
)
# Of a row whose columns are not in the file.
_TICK_COLUMNS = ("errors", "ops/sec(inst)", "ops/sec(cum)", "p50(ms)", "p95(ms)", "p99(ms)", "pMax(ms)")
_TOTAL_COLUMNS = ("errors", "ops(total)", "ops/sec(cum)", "avg(ms)", "p50(ms)", "p95(ms)", "p99(ms)", "pMax(ms)")
_LATENCIES = {"mean": "avg(ms)", "p50": "p50(ms)", "p95": "p95(ms)", "p99": "p99(ms)", "max": "pMax(ms)"}


@dataclass(frozen=True, slots=True)
class Head:
    kind: str
    columns: tuple[str, ...]  # behind the elapsed time


@dataclass(frozen=True, slots=True)
class Row:
    kind: str
    name: str  # "" of all operations
    elapsed_s: float
    values: Mapping[str, float]

    def latency(self) -> Latency:
        return Latency(**{name: self.values[column] for name, column in _LATENCIES.items() if column in self.values})


def head(line: str) -> Head | None:
    if not _HEAD.match(line):
        return None
    names = [name for name in re.split(r"_{1,20}", line.strip()) if name]
    if names[-1] in (TOTAL, RESULT):
        return Head(names[-1], tuple(names[1:-1]))
    if TPCC in names:
        return Head(TPCC, tuple(names[1:]))
    return Head(TICK, tuple(names[1:]))


def row(line: str, above: Head | None) -> Row | None:
    match = _ROW.match(line[:400])
    elapsed_s = go_seconds(match["elapsed"]) if match else None
    if match is None or elapsed_s is None:
        return None
    values = [number(word.rstrip("%")) for word in match["rest"].split()]
    columns = _fitting(above, len(values), has_name=match["name"] is not None)
    if columns is None or None in values:
        return None
    named = {name: value for name, value in zip(columns.columns, values, strict=True) if value is not None}
    return Row(columns.kind, match["name"] or "", elapsed_s, named)


def _fitting(above: Head | None, count: int, *, has_name: bool) -> Head | None:
    known: Sequence[Head] = [above] if above else []
    for columns in (*known, Head(TICK, _TICK_COLUMNS), Head(TOTAL if has_name else RESULT, _TOTAL_COLUMNS)):
        if len(columns.columns) == count and (has_name or columns.kind != TICK):
            return columns
    return None
