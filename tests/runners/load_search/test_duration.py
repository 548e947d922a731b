"""How long a step of a search lasts."""

import pytest

from runners.load_search.duration import step_seconds


@pytest.mark.parametrize(
    ("rate", "seconds"),
    [
        (None, 20),  # the peak: the rate is not known before
        (5_000.0, 20),  # 10,000 operations come in the plan's own duration
        (200.0, 53),  # 10,000 and a twentieth
        (1.0, 210),  # the share of the run for one of its steps
    ],
)
def test_a_step_lasts_until_enough_operations_within_its_share_of_the_run(rate, seconds):
    lasts = step_seconds(usual_seconds=20, rate_ops_s=rate, fewest_operations=10_000, deadline_seconds=3600, steps=12)

    assert lasts == seconds


def test_a_deadline_that_is_too_near_for_more_leaves_the_duration_of_the_plan():
    assert step_seconds(usual_seconds=20, rate_ops_s=1, fewest_operations=10_000, deadline_seconds=60, steps=12) == 20
