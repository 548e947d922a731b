"""The interval rows of every era: the header line says which columns follow."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Any

from submissions.ingest.document.readings import Latency
from submissions.ingest.parsers.cassandra_stress import figures

TOTAL = "total"
_MS_PER_SECOND = 1000.0
_MS_DECIMALS = 12  # of seconds turned into ms: hides what the multiplication adds
_PYTHON_DIGITS = 12  # of a float in Python 2, where Java writes up to 17
_LATENCIES = ("mean", "p50", "p95", "p99", "p999", "max")

# Column titles since 2.1.0 (first shown lower-case, without `type`), also printed by cql-stress.
_TITLES = {
    "type": "type",
    "id": "id",
    "total ops": "total",
    "ops": "total",
    "op/s": "rate",
    "mean": "mean",
    "med": "p50",
    ".95": "p95",
    ".99": "p99",
    ".999": "p999",
    "max": "max",
    "time": "time",
    "stderr": "stderr",
    "errors": "errors",
    "gc: #": "gc_count",
    "sum ms": "gc_ms",
}
# 0.6 to 2.0. `latency` is the median of the last minutes, not a mean; 2.0.0 and 1.2.8 print the
# 99.9th percentile under the title `99th` (StressAction: snapshot.get999thPercentile()).
_LEGACY_TITLES = {
    "total": ("total",),
    "interval_op_rate": ("rate",),
    "interval:op_rate": ("rate",),
    "interval_key_rate": ("keys",),
    "key_rate": ("keys",),
    "avg_latency": ("mean",),
    "latency": ("p50",),
    "latency/95th/99th": ("p50", "p95", "p999"),
    "latency/95th/99.9th": ("p50", "p95", "p999"),
    "mean": ("mean",),
    "median": ("p50",),
    "95th": ("p95",),
    "99th": ("p99",),
    "99.9th": ("p999",),
    "max": ("max",),
    "elapsed_time": ("time",),
}
_FIRST_COLUMNS = frozenset({"type", "id", "total"})
_HEADER_OF_2_2 = (
    "type,total ops,op/s,pk/s,row/s,mean,med,.95,.99,.999,max,time,stderr,errors,gc: #,max ms,sum ms,sdv ms,mb"
)
_STARTS_ROW = re.compile(r"\s{0,20}(?!id\b)[A-Za-z_]\w{0,100},\s{0,20}\d{1,18},")
_PLAIN_COLUMNS = ("type", "total", "rate", *_LATENCIES, "time", "errors", "gc_count", "gc_ms")
_PLAIN_DECIMAL = r"[0-9]{1,20}(?:\.[0-9]{1,19})?"
_PLAIN_CELLS = {"type": "[^,]*", "total": "[0-9]{1,18}", "errors": "[0-9]{1,18}"}
_MODERN_DECIMALS = frozenset((*_LATENCIES, "time", "stderr"))


@dataclass(slots=True)
class Row:
    """One printed interval; `total` is cumulative, everything else is of the interval."""

    operation: str
    total: int
    rate: float | None
    latency: Latency
    time: float  # seconds since the start
    errors: int | None
    gc_count: int | None
    gc_ms: float | None
    is_python: bool = False  # written by py_stress (0.6, 0.7), which prints no END


@dataclass(frozen=True, slots=True)
class Plain:
    """Reads the rows whose cells are nothing but digits and a decimal point, which are nearly all, by one pattern."""

    pattern: re.Pattern[str]
    pick: Callable[[tuple[str | None, ...]], tuple[Any, ...]]  # _PLAIN_COLUMNS out of the groups and None

    def row(self, groups: tuple[str, ...]) -> Row:
        operation, total, rate, mean, p50, p95, p99, p999, highest, time, errors, gc_count, gc_ms = self.pick(
            (*groups, None)
        )
        return Row(
            TOTAL if operation is None else operation.strip().lower(),
            int(total),
            _float(rate),
            Latency(_float(mean), _float(p50), _float(p95), _float(p99), _float(p999), _float(highest)),
            float(time),
            None if errors is None else int(errors),
            None if gc_count is None else int(float(gc_count)),
            _float(gc_ms),
        )


def _float(cell: str | None) -> float | None:
    return None if cell is None else float(cell)


def _plain(columns: tuple[str, ...]) -> Plain | None:
    """None for tables whose operation is not in the first column."""
    if "type" in columns[1:]:
        return None
    cells = [_PLAIN_CELLS.get(column, _PLAIN_DECIMAL) for column in columns]
    names = [column for column in columns if column in _PLAIN_COLUMNS]
    pattern = ",".join(
        f"({cell})" if column == "type" else rf"\s*({cell})\s*" if column in names else rf"\s*{cell}\s*"
        for column, cell in zip(columns, cells, strict=True)
    )
    places = [names.index(column) if column in names else len(names) for column in _PLAIN_COLUMNS]
    return Plain(re.compile(pattern), itemgetter(*places))


@dataclass(frozen=True, slots=True)
class Table:
    """The columns that a header line announced."""

    columns: tuple[str, ...]
    decimals: frozenset[str]  # columns printed with a decimal mark, which may be a comma
    legacy: bool  # 0.6 to 2.0
    in_seconds: bool  # avg_latency of 0.6 to 1.1
    plain: Plain | None

    @property
    def is_closing(self) -> bool:
        """The table after `-rate auto`, which repeats every trial's last row under its thread count."""
        return self.columns[0] == "id"

    def row(self, line: str) -> Row | None:
        """The row in `line`, or None for anything else that was printed between rows."""
        if self.plain is not None and (match := self.plain.pattern.fullmatch(line)) is not None:
            return self.plain.row(match.groups())
        cells = self._cells(line)
        if cells is None:
            return None
        values = dict(zip(self.columns, cells, strict=True))
        total, time = figures.integer(values["total"]), figures.decimal(values["time"])
        if total is None or time is None or total < 0 or time < 0:
            return None
        gc_count = figures.decimal(values.get("gc_count", ""))
        return Row(
            operation=values.get("type", TOTAL).lower(),
            total=total,
            rate=figures.decimal(values.get("rate", "")),
            latency=self._latency(values),
            time=time,
            errors=figures.integer(values.get("errors", "")),
            gc_count=None if gc_count is None else int(gc_count),
            gc_ms=figures.decimal(values.get("gc_ms", "")),
            is_python=self.in_seconds and _is_python(values["mean"]),
        )

    def _latency(self, values: dict[str, str]) -> Latency:
        read = {name: figures.decimal(values.get(name, "")) for name in _LATENCIES}
        if self.in_seconds and read["mean"] is not None:
            read["mean"] = round(read["mean"] * _MS_PER_SECOND, _MS_DECIMALS)
        return Latency(**read)

    def _cells(self, line: str) -> list[str] | None:
        if line.count(",") < len(self.columns) - 1:
            return None
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) > len(self.columns):
            return _join_decimal_commas(cells, self)
        return cells if _is_row(cells, self) else None


def _join_decimal_commas(cells: list[str], table: Table) -> list[str] | None:
    """Put "2", "6" together again: a locale with a decimal comma writes 2,6 between the commas."""
    joined: list[str] = []
    rest = iter(cells)
    for column in table.columns:
        cell = next(rest, None)
        if cell is None:
            return None
        if column in table.decimals and not _is_nan(cell):
            fraction = next(rest, None)
            if fraction is None or not fraction.isdigit():
                return None
            cell = f"{cell}.{fraction}"
        joined.append(cell)
    return joined if next(rest, None) is None and _is_row(joined, table) else None


def _is_row(cells: list[str], table: Table) -> bool:
    numeric = cells[1:] if table.columns[0] in ("type", "id") else cells
    return all(cell[-1:].isdigit() or _is_nan(cell) for cell in numeric)


def _is_python(latency: str) -> bool:
    digits = latency.lower().partition("e")[0].replace(".", "").lstrip("0")
    return len(digits) <= _PYTHON_DIGITS


def _is_nan(cell: str) -> bool:
    return cell.lower() == "nan"  # py_stress 0.6 writes NAN


def header(line: str) -> Table | None:
    """The table that `line` announces, or None when it is no header row."""
    lowered = line.strip().lower()
    if lowered.startswith("total,"):
        return _legacy(lowered.split(","))
    if "ops" not in lowered or "op/s" not in lowered:
        return None
    # Some versions print no comma between the first two titles: "type       total ops,    op/s".
    titles = [title.strip() for title in lowered.replace(" total ops", ",total ops", 1).split(",")]
    titles = [title for title in titles if title]
    columns = tuple(_TITLES.get(title, title) for title in titles)
    if columns[0] not in _FIRST_COLUMNS:
        return None
    return _table(columns, legacy=False, in_seconds=False)


def of_headless_row(line: str) -> Table | None:
    """The table of a row whose header is lost: since 2.2 all have the same columns."""
    if not _STARTS_ROW.match(line) or line.count(",") < _HEADER_OF_2_2.count(","):
        return None
    table = _of_2_2()
    return table if table is not None and table.row(line) is not None else None


@cache
def _of_2_2() -> Table | None:
    return header(_HEADER_OF_2_2)


def _legacy(titles: list[str]) -> Table | None:
    groups = [_LEGACY_TITLES.get(title.strip()) for title in titles]
    if any(group is None for group in groups):
        return None
    columns = tuple(column for group in groups if group for column in group)
    if "p50" in columns and "p99" in columns and "p999" not in columns:
        columns = tuple("p999" if column == "p99" else column for column in columns)
    return _table(columns, legacy=True, in_seconds="avg_latency" in titles)


def _table(columns: tuple[str, ...], *, legacy: bool, in_seconds: bool) -> Table | None:
    usable = "time" in columns or columns[0] == "id"
    if "total" not in columns or not usable or len(set(columns)) != len(columns):
        return None
    decimals = frozenset(_LATENCIES) if legacy else _MODERN_DECIMALS
    if legacy and "max" in columns:
        decimals |= {"time"}  # the development versions before 2.1.0
    plain = None if legacy or columns[0] == "id" else _plain(columns)
    return Table(columns, decimals & set(columns), legacy, in_seconds, plain)
