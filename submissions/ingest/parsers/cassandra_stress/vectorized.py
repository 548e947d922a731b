"""Reads many rows of one table at a time, to the same intervals and sums as one by one.

Only rows that nobody could read in two ways are read here: ASCII digits with a decimal point, a value in each cell.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any

from submissions.ingest.document.readings import Interval, Latency
from submissions.ingest.parsers.cassandra_stress import fixed_width
from submissions.ingest.parsers.cassandra_stress.series import Series, Sums
from submissions.ingest.parsers.cassandra_stress.table import TOTAL, Table

if TYPE_CHECKING:
    import pyarrow

_INTEGERS = ("total", "errors")
_LATENCIES = ("mean", "p50", "p95", "p99", "p999", "max")
_DECIMALS = ("rate", *_LATENCIES, "time", "gc_count", "gc_ms")
_SUMMED = ("type", *_INTEGERS, "mean", "max", "time", "gc_count")  # what a row that is not kept must be read for
_DIGITS = b"0123456789,"
_ENDS = bytes.maketrans(b".\n", b",,")
_COMMA, _LINE_END = b",\n"
_MOST_OPERATIONS = 2**40  # sums of a batch stay exact


@dataclass(frozen=True, slots=True)
class _Batch:
    """The rows in some lines."""

    names: list[str]  # of the operations
    of_row: Any  # the number of the operation of each row; None where there is one alone
    numbers: dict[str, Any]  # by column
    ends: Any  # of the lines

    def __len__(self) -> int:
        return len(self.ends)

    def rows(self, number: int) -> Any:
        """Those of an operation, as an index."""
        return slice(None) if self.of_row is None else (self.of_row == number).nonzero()[0]

    def operations(self, count: int) -> list[str]:
        """Of the first rows."""
        if self.of_row is None:
            return self.names * count
        return [self.names[number] for number in self.of_row[:count]]


def add(series: Series, table: Table, text: str, keep: int, most_characters: int) -> int:
    """Add the rows in `text` to a series, the first `keep` of them to its intervals, the others to its sums alone.

    Each line has its end. How many they are; 0, and nothing is added, where they must be read one by one, as those of
    which one is longer than `most_characters`.
    """
    if table.plain is None or not text.isascii():
        return 0
    batch = _batch(table, text.encode(), most_characters, is_kept=keep > 0)
    if batch is None:
        return 0
    of_names = [series.known_sums(name) for name in batch.names]
    sums = [each for each in of_names if each is not None]
    if len(sums) < len(batch.names) or len(set(batch.names)) < len(batch.names):
        return 0
    operations = batch.numbers["total"].copy()
    for number, each in enumerate(sums):
        mine = batch.rows(number)
        operations[mine] = _operations_of(each, batch.numbers["total"][mine])
    if (operations < 0).any() or _has_repetitions(batch, operations, sums):
        return 0
    for number, each in enumerate(sums):
        mine = batch.rows(number)
        _add(each, {name: values[mine] for name, values in batch.numbers.items()}, operations[mine])
        end = int(batch.ends[mine][-1])
        last = table.row(text[text.rfind("\n", 0, end) + 1 : end])
        each.last = last or each.last
    gc_count = batch.numbers.get("gc_count")
    series.has_gc = series.has_gc or (gc_count is not None and bool((gc_count >= 1).any()))
    if keep > 0:
        kept = {name: values[:keep] for name, values in batch.numbers.items()}
        series.intervals += _intervals(batch.operations(min(keep, len(batch))), kept, operations)
    series.dropped += max(len(batch) - keep, 0)
    return len(batch)


def _batch(table: Table, data: bytes, most_characters: int, *, is_kept: bool) -> _Batch | None:
    """The numbers in the rows, of few operations; None where they must be read one by one."""
    batch = _even_batch(table, data, most_characters, is_kept) or _uneven_batch(table, data, most_characters, is_kept)
    totals = None if batch is None else batch.numbers["total"]
    return batch if totals is not None and totals.min() >= 0 and totals.max() < _MOST_OPERATIONS else None


def _even_batch(table: Table, data: bytes, most_characters: int, is_kept: bool) -> _Batch | None:
    import numpy

    width = data.find(b"\n") + 1
    rows = fixed_width.rows_of(data, table.columns) if width - 1 <= most_characters else None
    if rows is None:
        return None
    wanted = set(_columns(table, is_kept)) - ({"type"} if is_kept else {"type", "time"})  # all cells are numbers
    numbers = {name: rows.integers(name) if name in _INTEGERS else rows.decimals(name) for name in wanted}
    if any(values is None for values in numbers.values()):
        return None
    ends = numpy.arange(width - 1, len(data), width)
    return _Batch(rows.names or [TOTAL], rows.of_row, numbers, ends)


def _uneven_batch(table: Table, data: bytes, most_characters: int, is_kept: bool) -> _Batch | None:
    import numpy

    ends = (numpy.frombuffer(data, numpy.uint8) == _LINE_END).nonzero()[0]
    if numpy.diff(ends, prepend=-1).max(initial=0) - 1 > most_characters:
        return None
    rows = _read(table, data, is_kept=is_kept)
    if rows is None or len(rows) != len(ends):
        return None
    return _Batch(*_operations(rows), _numbers(rows), ends)


def _intervals(named: list[str], numbers: dict[str, Any], operations: Any) -> Iterator[Interval]:
    """As `Series.add` makes them; a column that the table does not have is None in all."""
    columns = {name: values.tolist() for name, values in numbers.items()}
    latencies = map(Latency, *(columns.get(name, repeat(None)) for name in _LATENCIES))
    counts = numbers["gc_count"].astype(int).tolist() if "gc_count" in numbers else repeat(None)
    of_errors, rates, gc_ms = (columns.get(name, repeat(None)) for name in ("errors", "rate", "gc_ms"))
    rows = zip(named, columns["time"], operations.tolist(), of_errors, rates, latencies, counts, gc_ms, strict=False)
    for name, time, count, errors, rate, latency, gc_count, gc_time in rows:
        shown = latency if count > 0 else Latency()
        yield Interval(name, time, count if count >= 0 else None, errors, rate, shown, gc_count, gc_time)


def _read(table: Table, data: bytes, *, is_kept: bool) -> "pyarrow.Table | None":
    import pyarrow
    from pyarrow import csv

    compact = data.translate(_ENDS, b" ")
    if _has_empty_cells(compact):
        return None
    types = {
        "type": pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
        **dict.fromkeys(_INTEGERS, pyarrow.int64()),
        **dict.fromkeys(_DECIMALS, pyarrow.float64()),
    }
    try:
        rows = csv.read_csv(
            pyarrow.BufferReader(data),
            csv.ReadOptions(column_names=table.columns, use_threads=False, block_size=len(data) + 1),
            csv.ParseOptions(quote_char=False),
            csv.ConvertOptions(column_types=types, include_columns=_columns(table, is_kept), null_values=[]),
        ).combine_chunks()
    except pyarrow.ArrowInvalid:
        return None
    return rows if len(rows) and _has_only_numbers(rows, compact) else None


def _has_empty_cells(compact: bytes) -> bool:
    """Or numbers without digits before or after their decimal point."""
    import numpy

    commas = numpy.frombuffer(compact, numpy.uint8) == _COMMA
    return bool((commas[1:] & commas[:-1]).any())


def _columns(table: Table, is_kept: bool) -> list[str]:
    names = ("type", *_INTEGERS, *_DECIMALS) if is_kept else _SUMMED
    return [name for name in names if name in table.columns]


def _has_only_numbers(rows: "pyarrow.Table", compact: bytes) -> bool:
    """Whether no cell but that of the operation has a letter."""
    letters = len(compact.translate(None, _DIGITS))
    if "type" not in rows.column_names:
        return letters == 0
    counts = rows["type"].value_counts().to_pylist()
    names = {each["values"].strip(): each["counts"] for each in counts}
    return (
        len(names) == len(counts)
        and all(map(str.isalpha, names))
        and letters == sum(len(name) * times for name, times in names.items())
    )


def _operations(rows: "pyarrow.Table") -> tuple[list[str], Any]:
    """The operations, and for each row the number of its own."""
    if "type" not in rows.column_names:
        return [TOTAL], None
    column = rows["type"].combine_chunks()
    column = column.chunk(0) if hasattr(column, "chunk") else column
    return [name.strip().lower() for name in column.dictionary.to_pylist()], column.indices.to_numpy()


def _numbers(rows: "pyarrow.Table") -> dict[str, Any]:
    return {name: rows[name].to_numpy() for name in rows.column_names if name != "type"}


def _operations_of(sums: Sums, totals: Any) -> Any:
    """Of each row; below zero where another run begins."""
    import numpy

    return numpy.diff(totals, prepend=sums.last.total)


def _has_repetitions(batch: _Batch, operations: Any, sums: list[Sums]) -> bool:
    """Whether a row may be printed again: it has no operations, and ends when the one before it does."""
    import numpy

    if operations.all():
        return False
    if "time" not in batch.numbers:
        return True
    times = batch.numbers["time"]
    return any(
        bool(((numpy.diff(times[rows], prepend=each.last.time) == 0) & (operations[rows] == 0)).any())
        for number, each in enumerate(sums)
        for rows in [batch.rows(number)]
    )


def _add(sums: Sums, rows: dict[str, Any], operations: Any) -> None:
    """As `Series.add` does for each row, in their order: adding floats in another one could change a digit."""
    import numpy

    is_busy = operations > 0
    busy: Any = slice(None) if is_busy.all() else is_busy
    if "errors" in rows:
        sums.errors = (sums.errors or 0) + int(rows["errors"].sum())
    sums.measured += int(is_busy.sum())
    if "mean" in rows:
        weighted = rows["mean"][busy] * operations[busy]
        sums.weighted_mean = float(numpy.add.accumulate(numpy.concatenate(([sums.weighted_mean], weighted)))[-1])
        sums.weight += int(operations[busy].sum())
    if "max" in rows and is_busy.any():
        sums.max = max(float(rows["max"][busy].max()), sums.max or 0.0)
