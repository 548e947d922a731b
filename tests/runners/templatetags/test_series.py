"""How pages print a series."""

from datetime import UTC, datetime, timedelta

from runners.series.verdicts import Measure, paired, unpaired
from runners.templatetags.series import cell_words, change_words, interval_words, status_words


def measures(*figures, offset=0):
    begin = datetime(2026, 11, 23, tzinfo=UTC) + timedelta(seconds=offset)
    return [Measure(place, begin + timedelta(minutes=place), figure) for place, figure in enumerate(figures)]


def test_a_change_and_its_interval_are_percent():
    judgement = paired(measures(100, 102, 99), measures(110, 112.5, 108.5, offset=9), 2)

    assert change_words(judgement) == "9.96 % faster"
    assert interval_words(judgement).startswith("+")
    assert "slower" in change_words(unpaired(measures(100), measures(90), [measures(100), measures(90)]))


def test_an_interval_that_says_little_is_in_times():
    judgement = paired(measures(100, 300, 90), measures(200, 150, 260, offset=9), 2)

    assert interval_words(judgement).endswith(" times")


def test_cells_are_named_by_their_facts_and_statuses_in_words():
    assert cell_words({"workload.threads": 8}) == "threads 8"
    assert (status_words("skipped"), status_words("stress_failed"), status_words("queued")) == (
        "skipped",
        "stress_failed",
        "queued",
    )
