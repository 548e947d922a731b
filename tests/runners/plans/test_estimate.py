"""How long a run is expected to take."""

import pytest

from runners.load_tools import for_plan
from runners.load_tools.pgbench.pgbench import PGBENCH_PRESET
from runners.plan_schema.run_plan import RunPlan
from runners.plans.estimate import expected_seconds, usual_trials


def plan(**changes):
    workload = {**PGBENCH_PRESET["workload"], "duration_seconds": 5}
    return RunPlan.model_validate({**PGBENCH_PRESET, "workload": workload, **changes})


@pytest.mark.parametrize(
    ("load", "trials", "steps"),
    [
        ({"slo": {"max_ms": 100}, "max_steps": 5}, 1, 5),  # a search of few steps makes them all
        ({"slo": {"max_ms": 100}}, 1, 8),
        ({"slo": {"max_ms": 100}}, 3, 10),  # of at most twelve
        ({"steps": [100, 200]}, 3, 6),
        (None, 3, 3),
    ],
)
def test_a_search_is_expected_to_make_its_usual_steps_each_as_long_as_the_plan_asks_for(load, trials, steps):
    made = plan(load=load, trials=trials)
    workload = for_plan(made)

    assert usual_trials(made) == steps
    one_more = expected_seconds(made, workload, steps + 1) - expected_seconds(made, workload, steps)
    assert 5 <= one_more - made.workload.pause_seconds <= 15
