"""Rows that are read many at a time give the same reading, to the last digit, as rows one by one."""

import itertools
import tracemalloc
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.ingest.files.member import Lines
from submissions.ingest.parsers.cassandra_stress import PARSERS, vectorized
from submissions.ingest.parsers.cassandra_stress import log as stress_log
from submissions.ingest.parsers.errors import ParseError

HEADER = "type,   total ops,   op/s,   mean,   med,   .95,   .99,  .999,   max,  time,  stderr, errors,  gc: #,  sum ms"
TRACE = ["\tat java.lang.Thread.run(Thread.java:1)", "com.example.TimeoutException: too late", ""]


@pytest.fixture(autouse=True)
def few_rows_are_kept(monkeypatch):
    monkeypatch.setattr(stress_log, "MAX_INTERVALS", 4)
    monkeypatch.setattr(stress_log, "ONE_BY_ONE", 4)
    monkeypatch.setattr(stress_log, "ROWS_AT_ONCE", 5)
    monkeypatch.setattr(stress_log, "FEWEST_AT_ONCE", 1)


def reading_of(lines):
    """The reading, or why there is none: the same whether lines come one by one or can be taken as blocks."""
    outcome = parsed(iter(lines))
    text = "\n".join(lines)
    for size in (700, 5_000):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert parsed(Lines(lambda pieces=pieces: iter(pieces), 20_000)) == outcome
    return outcome


def parsed(lines):
    try:
        return PARSERS[1].parse(lines)
    except ParseError as error:
        return str(error)


def one_by_one(lines, monkeypatch):
    with monkeypatch.context() as slow:
        slow.setattr(vectorized, "add", lambda *_: 0)
        return reading_of(lines)


def row(name, total, time, mean="1.1", highest="9.7", errors="0", gc="0"):
    cells = [total, "100", mean, "0.6", "2.2", "3.1", "4.5", highest, time, "0.01", errors, gc, "2"]
    return f"{name}, " + ", ".join(f"{cell:>8}" for cell in cells)


def rows_of(count, width=0):
    """Three rows a second, with figures whose sum depends on the order of adding; of one width as the tool's own."""
    totals = accumulate((7 * second) % 13 for second in range(count))
    for second, total in enumerate(totals):
        for name in ("READ", "WRITE", "total"):
            mean = f"{0.1 * (second % 7) + len(name) / 3:.3f}"
            rest = row("", str(total), f"{second + 1}.0", mean=mean, errors=str(second % 2), gc=str(second // 30))
            yield f"{name + ',':<{width}}{rest[1:]}"


@pytest.mark.parametrize("width", [0, 8])
def test_days_of_rows_have_the_same_sums(width, monkeypatch):
    lines = [HEADER, *rows_of(100, width)]
    counted = []
    add = vectorized.add
    monkeypatch.setattr(vectorized, "add", lambda *args: counted.append(add(*args)) or counted[-1])

    assert reading_of(lines) == one_by_one(lines, monkeypatch)
    assert len([rows for rows in counted if rows]) > 20


@pytest.mark.parametrize("width", [0, 8])
@pytest.mark.parametrize("header", [HEADER, HEADER.replace("errors,  gc: #,  sum ms", "other,  some,  more")])
def test_rows_that_are_stored_are_the_same_values_of_the_same_types(header, width, monkeypatch):
    monkeypatch.setattr(stress_log, "MAX_INTERVALS", 151)  # reached within a batch
    lines = [header, *rows_of(100, width)]
    together = reading_of(lines)

    assert repr(together) == repr(one_by_one(lines, monkeypatch))
    assert len(together.trial_sets[0][0].intervals) == 151


def test_blocks_of_rows_are_taken_whole(monkeypatch):
    monkeypatch.setattr(stress_log, "ROWS_AT_ONCE", 10_000)
    text = "\n".join([HEADER, *rows_of(200)])
    pieces = [text[at : at + 9_000] for at in range(0, len(text), 9_000)]
    lines = Lines(lambda: iter(pieces), 20_000)
    given_out = []

    class Counted:
        offer_blocks = lines.offer_blocks

        def __iter__(self):
            for line in lines:
                given_out.append(line)
                yield line

    parsed(Counted())
    # those of the first piece, which show what the rows are, and the last one, which has no end
    assert len(given_out) == pieces[0].count("\n") + 1


@pytest.mark.parametrize(
    "odd",
    [
        row("READ", "5000", "50.0", mean="NaN"),
        row("READ", "5,000", "50.0"),
        row("READ", "5000", "50,0"),
        row("READ", "5000", ""),
        row("READ", "-1", "50.0"),
        row("READ", "1.5.5", "50.0"),
        row("READ", "9" * 17, "50.0"),
        row("READ", "٥٠٠", "50.0"),
        row("READ", "5000", "50.0").removesuffix("2"),
        row("READ", "5000", "50.0") + ", 3",
        row("NEW", "5000", "50.0"),
        row("READ", "5000", " " * 480 + "50.0"),  # longer than what is read together
        row("READ", "5000", " " * 20_000 + "50.0"),  # cut
        "READ, and words",
        HEADER,
        "END",
        *TRACE,
    ],
)
def test_what_is_odd_between_rows_changes_nothing(odd, monkeypatch):
    rows = list(rows_of(30))
    lines = [HEADER, *rows[:40], odd[:20_000], *rows[40:], odd[:20_000]]

    for most in (4, 1_000):
        monkeypatch.setattr(stress_log, "MAX_INTERVALS", most)
        assert reading_of(lines) == one_by_one(lines, monkeypatch)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["READ", "WRITE", "read", "total", "R2"]),
            st.integers(0, 2**41),
            st.sampled_from(["0.0", "1", "0.1", "3.333", "NaN", "12345.678901234567"]),
        ),
        max_size=40,
    )
)
def test_any_rows_have_the_same_sums(made):
    lines = [HEADER, *rows_of(3), *(row(name, str(total), "9.0", mean=mean) for name, total, mean in made)]
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(stress_log, "MAX_INTERVALS", 20)
        assert reading_of(lines) == one_by_one(lines, monkeypatch)


def test_rows_that_are_not_stored_take_no_memory(monkeypatch):
    monkeypatch.setattr(stress_log, "ROWS_AT_ONCE", 200)
    reading_of([HEADER, *rows_of(200)])  # loads what it needs

    def most_memory(seconds):
        tracemalloc.start()
        try:
            PARSERS[1].parse(itertools.chain([HEADER], rows_of(seconds)))
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert most_memory(2_000) < most_memory(500) * 1.5
