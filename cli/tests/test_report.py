"""What an upload prints: a table for a pipe and a terminal of 80 columns, with the reasons and addresses below it."""

import io
import sys

from benchsite_cli.logs.publishing import ALREADY_PUBLISHED, CHECKED, KNOWN, PUBLISHED, REFUSED, Outcome, Row
from benchsite_cli.logs.report import notes, print_outcome

LONG = "unknown format; supported formats are: " + ", ".join(f"format {number}" for number in range(99))
SITE = "https://bench.example.org"


def result(number, **fields):
    return {
        "id": number,
        "url": f"{SITE}/submissions/{number}/",
        "title": f"result {number}",
        "flags": [],
        "unranked_until": None,
        **fields,
    }


def printed(capsys, *rows, **more):
    print_outcome(Outcome(list(rows), **more))
    return capsys.readouterr().out


class Terminal(io.StringIO):
    def isatty(self):
        return True


ROWS = (
    Row("results/a.log", PUBLISHED, "cassandra-stress", (result(140, flags=["short"]),), (), 1067.6, 194.6),
    Row("results/picture.png", REFUSED, reasons=(LONG,)),
)


def test_in_a_pipe_no_row_is_padded_by_the_longest_reason(capsys):
    table, _, below = printed(capsys, *ROWS).partition("\n\n")

    assert table.splitlines() == [
        "File                 Format            ops/s  p99 ms  Result",
        "results/a.log        cassandra-stress  1,068     195  published #140",
        "results/picture.png                        —       —  refused",
    ]
    assert f"results/picture.png: {LONG}" in below.splitlines()


def test_on_a_terminal_of_80_columns_no_row_is_wider(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    deep = Row(
        f"{'folder/' * 20}a.log", PUBLISHED, "cassandra-stress", (result(1), result(2)), (), 1e6, 194.6, ("b.log",)
    )

    print_outcome(Outcome([*ROWS, deep]))

    table = terminal.getvalue().partition("\n\n")[0]
    assert max(map(len, table.splitlines())) <= 80
    assert "#140" in table


def test_each_result_has_its_address_its_rank_and_its_flags(capsys):
    waits = result(141, unranked_until="2999-12-05T10:00:00Z")
    known = Row("b.log", KNOWN, "pgbench", (waits,), (), 812.0, None)
    places = {"compare": f"{SITE}/compare/?s=140&s=141", "leaderboard": None, "mine": f"{SITE}/account/#own"}

    out = printed(capsys, ROWS[0], known, ranks={140: "rank 2-3 of 7 results"}, next=places)

    lines = out.splitlines()
    assert f"#140  {SITE}/submissions/140/" in lines
    assert "    rank 2-3 of 7 results; flags: short" in lines
    assert any("leaderboards on 2999-12-05, or earlier once reviewed" in line for line in lines)
    assert lines[-2:] == [f"Compare these: {SITE}/compare/?s=140&s=141", f"All of yours: {SITE}/account/#own"]


def test_a_log_of_another_result_says_how_to_publish_it_again(capsys):
    out = printed(capsys, Row("a.log", ALREADY_PUBLISHED, reasons=("a.log is already published as result #7",)))

    assert "a.log: a.log is already published as result #7" in out
    assert "--allow-duplicates" in out
    assert "1 file: 1 refused." in out


def test_a_missing_fact_names_three_results_and_not_all():
    missing = {"missing": {"facts": [{"fact": "price", "effect": "no value"}]}}
    stored = [Row(f"{n}.log", PUBLISHED, results=(result(n, **missing),)) for n in range(1, 9)]
    stored.append(Row("9.log", PUBLISHED, results=(result(9),)))
    checked = [Row("a.log", CHECKED, results=({"title": "a long title " * 9, **missing},)), Row("b.log", CHECKED)]

    assert notes(Outcome(stored)) == ["Missing price: no value (#1, #2, #3 and 5 more)"]
    assert notes(Outcome(checked)) == ["Missing price: no value (1 of 1 result)"]
