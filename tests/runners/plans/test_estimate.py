"""How long a run is expected to take, and what goes from zone to zone."""

from decimal import Decimal

import pytest

from runners.load_tools import for_plan, workload_of
from runners.load_tools.pgbench.pgbench import PGBENCH_PRESET
from runners.plan_schema.run_plan import RunPlan
from runners.plans.estimate import expected_seconds, traffic_of, usual_trials
from tests.runners.fake_runs import PLAN


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


def traffic(operations, *, zones, provider="aws", tool="cassandra-stress", **workload):
    usual = {"tool": tool, "operation": "write", "operations": 1, "columns": 1, "value_bytes": 1000}
    made = RunPlan.model_validate(
        {
            **PLAN,
            "provider": provider,
            "zones": [f"zone-{index}" for index in range(zones)],
            "workload": {**usual, **workload},
        }
    )
    return traffic_of(made, workload_of(tool), operations)


A_MONTH = 100_000 * 2_628_000


@pytest.mark.parametrize(("zones", "factor", "gigabytes"), [(3, 3, 525_600), (2, 2, 262_800), (1, 3, 0), (0, 3, 0)])
def test_the_traffic_of_a_run_is_that_of_a_month(zones, factor, gigabytes):
    assert traffic(A_MONTH, zones=zones, replication_factor=factor) == gigabytes


@pytest.mark.parametrize(
    ("workload", "megabytes"),
    [
        ({"operation": "write"}, 2000),  # a million rows of 1,000 bytes, three copies, two thirds of them elsewhere
        ({"operation": "write", "prefill": 500_000}, 3000),
        ({"operation": "read", "consistency_level": "QUORUM"}, 0),  # Cassandra compares digests
        ({"operation": "mixed", "read_share": 0.75}, 500),
        ({"operation": "counter_write"}, 2000),
        ({"operation": "write", "columns": None, "value_bytes": None}, 340),  # cassandra-stress: 5 columns of 34 bytes
        ({"tool": "ycsb", "operation": "workloadb", "columns": None, "value_bytes": None}, 100),  # 10 of 100 bytes
        ({"tool": "ycsb", "operation": "workloadf"}, 1000),  # half of its operations read only
    ],
)
def test_only_what_is_written_goes_to_other_zones(workload, megabytes):
    found = traffic(1_000_000, zones=3, replication_factor=3, **workload)

    assert found * 1000 == pytest.approx(Decimal(megabytes), rel=Decimal("1e-9"))
