"""Rows out of a long file of intervals: the same as reading all of it, without holding it."""

import gzip
import io
import json
import tracemalloc

import pytest
from pydantic_core import to_json

from submissions.ingest.curves import intervals
from submissions.ingest.curves.interval_rows import read_rows

ROW = ["total", 1.5, 10, 0, 6.5, None, 1e-7, 2, 3, 4, 5, None, None]


def content(*trials):
    return {
        "columns": list(intervals.COLUMNS),
        "trials": [{"index": index, "clients": clients} for index, clients in enumerate(trials)],
    }


def read(whole, piece_bytes):
    data = to_json(whole)
    columns, rows = read_rows(data[at : at + piece_bytes] for at in range(0, len(data), piece_bytes))
    return columns, list(rows)


@pytest.mark.parametrize("piece_bytes", [1, 7, 64 * 1024])
@pytest.mark.parametrize(
    "whole",
    [
        content(),
        content([]),
        content([[]], [[], [ROW]]),
        content([[ROW, ROW], [ROW]], [[ROW]]),
        content([[['na"me]},[é😀\\', *ROW[1:]], ROW]]),
        content([[ROW, ["a],[b", *ROW[1:]], ROW], [["]]", *ROW[1:]], ["]],[[", *ROW[1:]]]], [[], [ROW]]),
    ],
)
def test_rows_come_in_order_wherever_the_pieces_end(whole, piece_bytes):
    columns, rows = read(whole, piece_bytes)

    assert columns == whole["columns"]
    assert [tuple(row) for row in rows] == [
        (trial["index"], client, values)
        for trial in whole["trials"]
        for client, series in enumerate(trial["clients"])
        for values in series
    ]


@pytest.mark.parametrize("damage", [b"", b"{}", b'{"columns":["a"],"trials":[{"index":0,"clients":[[[1'])
def test_a_damaged_file_is_an_error_and_not_an_endless_loop(damage):
    with pytest.raises(ValueError, match=r"intervals|Expecting|delimiter"):
        list(read_rows(iter([damage]))[1])


def test_a_hundred_thousand_rows_are_never_held_at_once():
    rows = b",".join([to_json(ROW)] * 100_000)
    data = b'{"columns":["operation"],"trials":[{"index":0,"clients":[[' + rows + b"]]}]}"
    stored = gzip.compress(data, compresslevel=1)
    del rows, data

    tracemalloc.start()
    count = sum(1 for _ in read_rows(intervals.json_pieces(io.BytesIO(stored)))[1])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert count == 100_000
    assert peak < 3_000_000


def test_a_page_does_not_open_what_is_too_long(monkeypatch):
    stored = gzip.compress(json.dumps(content([[ROW]])).encode())
    assert intervals.unpacked(io.BytesIO(stored)) == content([[ROW]])

    monkeypatch.setattr(intervals, "MOST_BYTES", 100)

    assert intervals.unpacked(io.BytesIO(stored)) is None
