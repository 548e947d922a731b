"""Counts many rows of one table at a time, to the same sums as one by one: of days of rows only the sums are kept.

Only rows that nobody could read in two ways are counted here: ASCII digits with a decimal point, a value in each cell.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from submissions.ingest.parsers.cassandra_stress.series import Series, Sums
from submissions.ingest.parsers.cassandra_stress.table import TOTAL, Table

if TYPE_CHECKING:
    import pyarrow

_INTEGERS = ("total", "errors")
_DECIMALS = ("mean", "max", "time", "gc_count")
_DIGITS = b"0123456789. ,\n"
_EMPTY_CELLS = (b",,", b",\n", b".,", b".\n")  # without blanks: or a cell that does not end with a digit
_MOST_OPERATIONS = 2**40  # sums of a batch stay exact


def count(series: Series, table: Table, lines: Sequence[str]) -> bool:
    """Add the rows to the sums of a series; False, and nothing is added, where they must be read one by one."""
    rows = _read(table, lines)
    if rows is None:
        return False
    names, of_row = _operations(rows)
    of_names = [series.known_sums(name) for name in names]
    sums = [each for each in of_names if each is not None]
    if len(sums) < len(names) or len(set(names)) < len(names):
        return False
    for number, each in enumerate(sums):
        places = (of_row == number).nonzero()[0]
        _add(each, {name: values[places] for name, values in _numbers(rows).items()})
        last = table.row(lines[int(places[-1])])
        each.last = last or each.last
    gc_count = _numbers(rows).get("gc_count")
    series.has_gc = series.has_gc or (gc_count is not None and bool((gc_count >= 1).any()))
    series.dropped += len(lines)
    return True


def _read(table: Table, lines: Sequence[str]) -> "pyarrow.Table | None":
    import pyarrow
    from pyarrow import csv

    text = "\n".join(lines)
    if table.plain is None or not text.isascii():
        return None
    data = text.encode()
    compact = data.translate(None, b" ")
    if any(cell in compact for cell in _EMPTY_CELLS) or compact.endswith((b",", b".")):
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
            csv.ConvertOptions(
                column_types=types, include_columns=[name for name in types if name in table.columns], null_values=[]
            ),
        ).combine_chunks()
    except pyarrow.ArrowInvalid:
        return None
    is_whole = len(rows) == len(lines) and _has_only_numbers(rows, data)
    totals = rows["total"].to_numpy() if is_whole else None
    return rows if totals is not None and totals.min() >= 0 and totals.max() < _MOST_OPERATIONS else None


def _has_only_numbers(rows: "pyarrow.Table", data: bytes) -> bool:
    """Whether no cell but that of the operation has a letter."""
    letters = len(data.translate(None, _DIGITS))
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


def _add(sums: Sums, rows: dict[str, Any]) -> None:
    """As `Series.add` does for each row, in their order: adding floats in another one could change a digit."""
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
