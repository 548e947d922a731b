"""The exit code of a comparison, by the verdict of the site."""

import pytest

from benchsite_cli.commands.compare import Metric, exit_code, plain, share
from benchsite_cli.errors import Failure


def comparison(verdict, ratio, over_runs=None):
    return {"throughput": {"verdict": verdict, "ratio": ratio, "ratio_over_runs": over_runs}, "latency_p99": None}


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (comparison("better", 1.2), 0),
        (comparison("within_noise", 0.9), 0),
        (comparison("worse", 0.96), 0),  # surely worse, by less than the limit
        (comparison("worse", 0.90), 1),
        (comparison("worse", 0.99, over_runs=0.90), 1),
        (comparison("inconclusive", 0.5), 3),
        (comparison(None, 0.5), 3),
    ],
)
def test_only_what_is_surely_worse_fails(answer, code):
    assert exit_code(answer, share("5%"), Metric.THROUGHPUT, is_inconclusive_ok=False) == code


def test_of_a_latency_more_is_worse():
    answer = {"latency_p99": {"verdict": "worse", "ratio": 1.06, "ratio_over_runs": None}}

    assert exit_code(answer, share("5%"), Metric.P99, is_inconclusive_ok=False) == 1
    assert exit_code(answer, share("7"), Metric.P99, is_inconclusive_ok=False) == 0


def test_inconclusive_may_pass_but_not_what_cannot_be_compared():
    codes = [
        exit_code(comparison(verdict, 0.5), 0.05, Metric.THROUGHPUT, is_inconclusive_ok=True)
        for verdict in ("inconclusive", None)
    ]

    assert codes == [0, 3]
    assert exit_code(comparison(None, 1.0), 0.05, Metric.P99, is_inconclusive_ok=True) == 3


@pytest.mark.parametrize("text", ["", "much", "-5%", "5%%"])
def test_a_limit_that_is_no_percentage_is_refused(text):
    with pytest.raises(Failure, match="percentage"):
        share(text)


def test_words_of_others_mention_nobody_and_break_no_table():
    assert plain("a|b `c` <d> @octo #1") == "a\\|b \\`c\\` \\<d\\> @\u200bocto #\u200b1"
