"""What YCSB printed and is not a result."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.ycsb.ycsb import PARSER
from tests.submissions.ingest.parsers.ycsb.test_ycsb import DATA, parse


def test_a_run_whose_operations_all_failed_is_no_result():
    with pytest.raises(ParseError, match=r"^all 100 operations failed: there is no result to record$"):
        parse("ycsb17-07-all-failed.log")


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["YCSB Client 0.17.0", "Loading workload..."], "no [OVERALL] block and no status line"),
        (["[OVERALL], RunTime(ms), 5"], "lacks Operations of any type"),
        (["[OVERALL], RunTime(ms), 5", "[READ], Operations, 0"], "no operation in the YCSB summary"),
        ([" 0 sec: 50 operations; "], "stopped before it had measured a second"),
    ],
)
def test_what_is_no_result_is_refused_with_the_reason(lines, reason):
    with pytest.raises(ParseError) as caught:
        PARSER.parse(lines)

    assert reason in str(caught.value)


SOUP = st.lists(
    st.one_of(
        st.text(max_size=60),
        st.from_regex(r"\[(READ|UPDATE-FAILED|OVERALL)\], [A-Za-z0-9=()]{1,12}, .{1,12}"),
        st.from_regex(r" ?[0-9]{1,12} sec: [0-9]{1,9} operations; .{0,40}"),
        st.from_regex(r"Command line: (-p [a-z.]{1,9}=[^\n]{0,9} ?){0,4}(-threads|-target)?"),
        st.sampled_from((DATA / "ycsb17-06-failed.log").read_text().splitlines()),
    ),
    max_size=30,
)


@settings(deadline=None)
@given(SOUP)
def test_a_soup_of_lines_is_read_or_refused(lines):
    try:
        reading = PARSER.parse(lines)
    except ParseError:
        return
    assert all(trial.operations > 0 for trials in reading.trial_sets for trial in trials)
