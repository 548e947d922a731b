"""Reads many rows of one table at a time, to the same intervals and sums as one by one.

Only rows that nobody could read in two ways are read here: ASCII digits with a decimal point, a value in each cell.
"""

from collections.abc import Iterator
from itertools import repeat
from typing import TYPE_CHECKING, Any

from submissions.ingest.document.readings import Interval, Latency
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


def add(series: Series, table: Table, text: str, keep: int, most_characters: int) -> int:
    """Add the rows in `text` to a series, the first `keep` of them to its intervals, the others to its sums alone.

    How many they are; 0, and nothing is added, where they must be read one by one, as those of which one is longer
    than `most_characters`.
    """
    if table.plain is None or not text.isascii():
        return 0
    data = text.encode()
    ends = _ends(data)
    rows = _read(table, data, is_kept=keep > 0) if ends[0] <= most_characters >= _longest(ends) else None
    if rows is None or len(rows) != len(ends):
        return 0
    names, of_row = _operations(rows)
    of_names = [series.known_sums(name) for name in names]
    sums = [each for each in of_names if each is not None]
    if len(sums) < len(names) or len(set(names)) < len(names):
        return 0
    numbers = _numbers(rows)
    operations = numbers["total"].copy()
    for number, each in enumerate(sums):
        places = (of_row == number).nonzero()[0]
        operations[places] = _add(each, {name: values[places] for name, values in numbers.items()})
        end = int(ends[places[-1]])
        last = table.row(text[text.rfind("\n", 0, end) + 1 : end])
        each.last = last or each.last
    gc_count = numbers.get("gc_count")
    series.has_gc = series.has_gc or (gc_count is not None and bool((gc_count >= 1).any()))
    if keep > 0:
        named = [names[number] for number in of_row[:keep]]
        series.intervals += _intervals(named, {name: values[:keep] for name, values in numbers.items()}, operations)
    series.dropped += max(len(ends) - keep, 0)
    return len(ends)


def _ends(data: bytes) -> Any:
    """Where each line ends."""
    import numpy

    ends = (numpy.frombuffer(data, numpy.uint8) == _LINE_END).nonzero()[0]
    return numpy.append(ends, len(data))


def _longest(ends: Any) -> int:
    import numpy

    return int(numpy.diff(ends).max(initial=0)) - 1


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
            csv.ConvertOptions(column_types=types, include_columns=_columns(types, table, is_kept), null_values=[]),
        ).combine_chunks()
    except pyarrow.ArrowInvalid:
        return None
    totals = rows["total"].to_numpy() if len(rows) and _has_only_numbers(rows, compact) else None
    return rows if totals is not None and totals.min() >= 0 and totals.max() < _MOST_OPERATIONS else None


def _has_empty_cells(compact: bytes) -> bool:
    """Or numbers without digits before or after their decimal point."""
    import numpy

    commas = numpy.frombuffer(compact, numpy.uint8) == _COMMA
    return not len(commas) or bool(commas[-1]) or bool((commas[1:] & commas[:-1]).any())


def _columns(types: dict[str, Any], table: Table, is_kept: bool) -> list[str]:
    return [name for name in types if name in table.columns and (is_kept or name in _SUMMED)]


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
    import numpy

    if "type" not in rows.column_names:
        return [TOTAL], numpy.zeros(len(rows), dtype=int)
    column = rows["type"].combine_chunks()
    column = column.chunk(0) if hasattr(column, "chunk") else column
    return [name.strip().lower() for name in column.dictionary.to_pylist()], column.indices.to_numpy()


def _numbers(rows: "pyarrow.Table") -> dict[str, Any]:
    return {name: rows[name].to_numpy() for name in rows.column_names if name != "type"}


def _add(sums: Sums, rows: dict[str, Any]) -> Any:
    """As `Series.add` does for each row, in their order: adding floats in another one could change a digit.

    The operations of each row.
    """
    import numpy

    operations = numpy.diff(rows["total"], prepend=sums.last.total)
    busy = operations > 0
    if "errors" in rows:
        sums.errors = (sums.errors or 0) + int(rows["errors"].sum())
    sums.measured += int(busy.sum())
    if "mean" in rows:
        weighted = rows["mean"][busy] * operations[busy]
        sums.weighted_mean = float(numpy.add.accumulate(numpy.concatenate(([sums.weighted_mean], weighted)))[-1])
        sums.weight += int(operations[busy].sum())
    if "max" in rows and busy.any():
        sums.max = max(float(rows["max"][busy].max()), sums.max or 0.0)
    return operations
