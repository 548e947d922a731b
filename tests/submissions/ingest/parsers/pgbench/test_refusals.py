"""What pgbench printed and is not a result."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.pgbench.pgbench import PARSER
from tests.submissions.ingest.parsers.pgbench.test_pgbench import DATA, parse


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("pg18-00-init.log", "the output of pgbench -i, which fills the tables: no run in it"),
        (
            "pg18-08-all-aborted.log",
            "no transaction was processed; pgbench says:"
            ' "client 1 script 0 aborted in command 0 query 0: ERROR:  division by zero"',
        ),
        (
            "pg18-09-no-server.log",
            "no pgbench summary and no progress row: the run did not finish; pgbench says:"
            ' "connection to server on socket "/nonexistent/.s.PGSQL.6544" failed: No such file or directory"',
        ),
    ],
)
def test_what_is_no_result_is_refused_with_the_reason(file, reason):
    with pytest.raises(ParseError) as caught:
        parse(file)

    assert str(caught.value) == reason


def test_a_run_whose_transactions_all_failed_is_no_result():
    lines = (DATA / "pg18-06-failed.log").read_text().splitlines()
    lines = [line.replace("processed: 25471", "processed: 0") for line in lines]

    with pytest.raises(ParseError, match=r"^all 74,850 transactions failed"):
        PARSER.parse(lines)


def test_the_same_run_twice_counts_once():
    lines = (DATA / "pg15-01-tpcb.log").read_text().splitlines()

    assert PARSER.parse(lines + lines).trial_sets == PARSER.parse(lines).trial_sets


SOUP = st.lists(
    st.one_of(
        st.text(max_size=60),
        st.from_regex(r"progress: [0-9.]{1,14} s, [0-9.]{1,9} tps, lat (nan|[0-9.]{1,5}) ms .{0,40}"),
        st.from_regex(r"(tps = |duration: |number of clients: )[0-9.]{1,30}.{0,40}"),
        st.from_regex(r" - (weight: |latency average = )[0-9.]{1,30}.{0,20}"),
        st.sampled_from((DATA / "pg18-03-weights.log").read_text().splitlines()),
    ),
    max_size=30,
)


@settings(deadline=None)
@given(SOUP)
def test_a_soup_of_lines_is_read_or_refused(lines):
    try:
        result = PARSER.parse(lines)
    except ParseError:
        return
    assert all(trial.throughput_ops_s > 0 for trials in result.trial_sets for trial in trials)
