"""Rows of one width give the same numbers together as one by one, or are left to be read one by one."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.ingest.parsers.cassandra_stress import fixed_width, table

DATA = Path(__file__).resolve().parents[4] / "data" / "cassandra-stress"
HEADER = "type,   total ops,   op/s,   mean,   med,   .95,   .99,  .999,   max,  time,  stderr, errors,  gc: #,  sum ms"
TABLE = table.header(HEADER)
DECIMALS = ("mean", "max", "time", "gc_count")


def row(name, total, mean="1.1", highest="9.7", errors="0", gc="0"):
    cells = [total, "100", mean, "0.6", "2.2", "3.1", "4.5", highest, "7.0", "0.01893", errors, gc, "2"]
    return f"{name + ',':<10}" + ",".join(f"{cell:>16}" for cell in cells) + "\n"


def together(text, columns=TABLE.columns):
    """What is read of each row; None where the rows are left alone."""
    rows = fixed_width.rows_of(text.encode(), columns)
    if rows is None:
        return None
    numbers = [rows.integers("total"), rows.integers("errors"), *(rows.decimals(name) for name in DECIMALS)]
    if any(values is None for values in numbers):
        return None
    of_row = [0] * len(rows) if rows.of_row is None else rows.of_row
    names = [(rows.names or [table.TOTAL])[number] for number in of_row]
    return list(zip(names, *(values.tolist() for values in numbers), strict=True))


def one_by_one(text, read=TABLE):
    rows = [read.row(line) for line in text.splitlines()]
    return [
        (each.operation, each.total, each.errors, each.latency.mean, each.latency.max, each.time, float(each.gc_count))
        for each in rows
    ]


def decimal_texts(places):
    return st.decimals(0, 99_999_999, places=places).map(str)


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(0, 6), st.integers(0, 2))
def test_numbers_of_any_length_are_those_of_python(data, of_mean, of_highest):
    made = data.draw(
        st.lists(
            st.tuples(
                st.sampled_from(["READ", "WRITE", "total"]),
                st.integers(0, 2**39).map(str),
                decimal_texts(of_mean),
                decimal_texts(of_highest),
                st.integers(0, 99_999).map(str),
                st.integers(0, 12).map(str),
            ),
            min_size=1,
            max_size=30,
        )
    )
    text = "".join(row(*each) for each in made)

    assert together(text) == one_by_one(text)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["READ", "total"]), st.integers(0, 10**9)), min_size=1, max_size=4),
    st.lists(st.tuples(st.integers(0, 10**6), st.sampled_from(" 07.,-eN\n\t\0")), max_size=3),
)
def test_a_row_with_anything_odd_is_never_misread(made, changes):
    text = "".join(row(name, str(total)) for name, total in made)
    for place, character in changes:
        at = place % len(text)
        text = text[:at] + character + text[at + 1 :]

    read = together(text)

    assert read is None or read == one_by_one(text)


@pytest.mark.parametrize(
    "odd",
    [
        row("total", "1 5"),
        row("total", "-15"),
        row("total", "1.5"),
        row("total", "15 "),
        row("total", ""),
        row("total", "15", mean=".5"),
        row("total", "15", mean="5."),
        row("total", "15", mean="NaN"),
        row("total", "15", mean="11"),  # the others have a point there
        row("total", "15", mean="1,1"),
        row("a b", "15"),
        row("R2", "15"),
        "\n" * len(row("total", "15")),
    ],
)
def test_rows_of_which_one_is_odd_are_left_alone(odd):
    text = "".join(row("total", str(number)) for number in range(95, 105))

    assert together(text) is not None
    assert together(text + odd) is None
    assert together(odd + text) is None


@pytest.mark.parametrize("character", " 07,.\t\0")
def test_rows_of_which_one_has_lost_its_end_are_left_alone(character):
    rows = [row("total", str(number)) for number in range(95, 105)]
    rows[4] = rows[4].replace("\n", character)

    assert together("".join(rows)) is None


def test_a_table_without_operations_is_read():
    columns, lines = TABLE.columns[1:], [row("", str(number)).partition(",")[2] for number in range(8, 12)]

    assert together("".join(lines), columns) == [("total", number, 0, 1.1, 9.7, 7.0, 0.0) for number in range(8, 12)]
    assert together("".join(row("total", str(number)) for number in range(8, 12)), columns) is None


def test_real_rows_are_read_as_one_by_one():
    read = 0
    for path in sorted(DATA.glob("cs50-*.log")):
        lines = path.read_text(errors="replace").splitlines(keepends=True)
        headers = (each for line in lines if (each := table.header(line)) is not None and not each.is_closing)
        header = next(headers, TABLE)
        rows = [line for line in lines if line.startswith(("READ,", "WRITE,", "total,")) and "NaN" not in line]
        numbers = together("".join(rows), header.columns)
        assert numbers is None or numbers == one_by_one("".join(rows), header)
        read += numbers is not None
    assert read >= 3
