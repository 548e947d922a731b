from datetime import date

import pytest

from submissions.formatting.text import HAS, IS, WAS, counted_sentence, day_range, join_and, plural, share_of, unbroken


def test_a_count_takes_its_noun_along():
    assert plural(1, "result") == "1 result"
    assert plural(0, "result") == "0 results"
    assert plural(1024, "result") == "1,024 results"
    assert plural(2, "query", "queries") == "2 queries"


def test_a_list_ends_with_and():
    assert join_and([]) == ""
    assert join_and(["a"]) == "a"
    assert join_and(["a", "b"]) == "a and b"
    assert join_and(["a", "b", "c"]) == "a, b and c"


def test_a_share_agrees_with_its_verb():
    assert share_of(2, 5, "result", WAS) == "2 of 5 results were"
    assert share_of(1, 5, "result", HAS) == "1 of 5 results has"
    assert share_of(5, 5, "result", IS) == "All 5 results are"
    assert share_of(2, 2, "result", IS) == "Both results are"
    assert share_of(1, 1, "result", IS) == "The result is"


@pytest.mark.parametrize(
    ("plain", "kept"),
    [
        ("18.5 % slower", "18.5~% slower"),
        ("a p99 of 3 ms.", "a p99 of 3~ms."),
        ("440 M ops/$, 2.15× AWS", "440~M~ops/$, 2.15× AWS"),
        ("111,000 ops/s per node", "111,000~ops/s per node"),
        ("10 x 10 B, 3 systems, 2 hours", "10 x 10~B, 3 systems, 2 hours"),
    ],
)
def test_a_number_stays_on_the_line_of_its_unit(plain, kept):
    assert unbroken(plain) == kept.replace("~", "\u00a0")


def test_days_are_one_day_or_a_range():
    first, last = date(2015, 9, 1), date(2020, 8, 30)

    assert day_range([]) == ""
    assert day_range({first}) == "2015-09-01"
    assert day_range([last, first, last]) == "2015-09-01 to 2020-08-30"


def test_the_age_of_figures_is_in_seconds_and_then_in_minutes():
    assert counted_sentence(12.4) == "Counted 12 s ago. Changes since then are being counted."
    assert counted_sentence(725) == "Counted 12 min ago. Changes since then are being counted."
