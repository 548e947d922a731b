"""A viewer's window: what the address may say, and what the warm-up test answers."""

import pytest
from django.http import QueryDict

from submissions.analysis.curves.interval_curves import PrintedTrial, run_curves
from submissions.analysis.curves.steady_state import Row, intervals
from submissions.records.curves.interval_record import RecordedTrial
from submissions.records.curves.interval_window import Proposal, Window, WindowForm, warm_up_proposal, window_result


def form(query, ends=(27.3, 28.0)):
    return WindowForm(QueryDict(query), list(ends))


def errors(query, ends=(27.3, 28.0)):
    bad = form(query, ends)
    assert not bad.is_valid()
    assert bad.window is None
    return {name: list(said) for name, said in bad.errors.items()}


def rows(rates):
    return tuple(Row(n + 1.0, None, 0, rate, 3.0 + n % 4) for n, rate in enumerate(rates))


def series(rates):
    return intervals(rows(rates))


def proposal(*rates_of_trials):
    trials = [PrintedTrial(index, (rows(rates),)) for index, rates in enumerate(rates_of_trials)]
    return warm_up_proposal(run_curves(trials).warm_up)


WARM = [300.0] * 10 + [990.0, 1010.0] * 50


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("from=10&to=20.5", Window(10.0, 20.5)),
        ("from=10", Window(10.0, 28.0)),
        ("to=10", Window(0.0, 10.0)),
        ("from=&to=", None),
        ("s=4&scale=log", None),
        ("from=0&to=28", Window(0.0, 28.0)),
    ],
)
def test_the_address_sets_the_window(query, asked):
    assert form(query).window == asked


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("from=x", {"start": ["Enter a number such as 90 or 2.5, in seconds."]}),
        ("to=nan", {"end": ["Enter a number such as 90 or 2.5, in seconds."]}),
        ("to=inf", {"end": ["Enter a number such as 90 or 2.5, in seconds."]}),
        ("from=-1", {"start": ["Enter a number of at least 0."]}),
        ("from=20&to=10", {"start": ["20 s is not before 10 s."]}),
        ("from=10&to=10", {"start": ["10 s is not before 10 s."]}),
        ("from=28", {"start": ["28 s is outside the run: it ended after 28 s."]}),
        ("to=29", {"end": ["29 s is outside the run: it ended after 28 s."]}),
        ("to=0", {"end": ["The window is empty."]}),
    ],
)
def test_a_bad_window_is_named(query, said):
    assert errors(query) == said


def test_the_end_of_a_run_may_be_typed_rounded_up():
    assert form("to=28", ends=[27.4]).window == Window(0.0, 28.0)


def test_a_submission_without_intervals_has_no_window():
    assert errors("from=1", ends=()) == {"__all__": ["There is no interval series, and therefore no window."]}


def test_the_form_keeps_the_other_parameters_of_the_address():
    assert form("s=4&s=1&scale=log&from=3&other=x").other_parameters == [("s", "4"), ("s", "1"), ("scale", "log")]


def test_trials_are_averaged_and_their_p99s_are_not():
    runs = [
        RecordedTrial(0, (series([100.0] * 30),)),
        RecordedTrial(1, (series([120.0] * 30),)),
        RecordedTrial(2, (series([1.0] * 5),)),
    ]

    found = window_result(runs, 4, Window(10.0, 20.0))

    assert [trial.number for trial in found.trials] == [1, 2]  # the third had ended before
    assert (found.throughput.mean, found.throughput.n, found.trials_count) == (110.0, 2, 4)
    assert (found.operations, found.seconds, found.errors) == (2200.0, 20.0, 0)
    assert (found.p99_low_ms, found.p99_high_ms) == (3.0, 6.0)
    assert window_result(runs, 4, Window(40.0, 50.0)) is None


def test_the_end_of_the_warm_up_is_proposed_with_what_it_changes():
    found = proposal(WARM, [300.0] * 15 + [990.0, 1010.0] * 50)

    assert isinstance(found, Proposal)
    assert (found.end_s, found.series) == (15.0, 2)  # the mean of both is lower until then
    # without: 1,000 in both; with: (10 x 300 + 100,000) / 110 and (15 x 300 + 100,000) / 115
    assert found.change == pytest.approx(1000 / ((103_000 / 110 + 104_500 / 115) / 2) - 1, rel=1e-3)


def test_it_explains_why_nothing_is_proposed():
    short = [100.0] * 28
    falling = [1000.0 - n for n in range(100)]
    nearly = [999.0] * 5 + [1000.0] * 80

    assert proposal(short) == ("No warm-up detection: MSER-5 needs 50 intervals, and the shortest series has 28.")
    assert proposal(short, WARM) == proposal(short)
    assert proposal(falling) == "MSER-5 detects no steady state: the rate was still changing halfway through the run."
    assert proposal([100.0] * 80) == "MSER-5 detects no warm-up."
    assert proposal(nearly) == (
        "MSER-5 detects no relevant warm-up: without the first 5 s the rate changes by less than 1 %."
    )
