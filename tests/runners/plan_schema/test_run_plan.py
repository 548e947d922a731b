"""What a plan may say, without a cloud: its own rules, and what follows from it."""

import pytest
from pydantic import ValidationError

from runners.plan_schema.run_plan import RunPlan, as_json

PLAN = {
    "provider": "aws",
    "zones": ["eu-west-1a", "eu-west-1b"],
    "service": {"name": "cassandra", "version": "5.0.9"},
    "database": {"instance_type": "i4i.xlarge", "count": 3},
    "client": {"instance_type": "c7i.xlarge", "count": 1},
    "workload": {"tool": "cassandra-stress", "operation": "write", "threads": 50, "duration_seconds": 600},
    "max_duration_minutes": 60,
    "max_usd": "10",
}


def test_database_nodes_alternate_between_the_zones():
    plan = RunPlan.model_validate(PLAN)

    assert plan.node_names() == [
        ("db-0", "database", 0),
        ("db-1", "database", 1),
        ("db-2", "database", 2),
        ("client-0", "client", 0),
    ]
    assert [plan.zone_of(index) for index in range(3)] == ["eu-west-1a", "eu-west-1b", "eu-west-1a"]
    assert plan.node_count == 4


def test_a_plan_with_one_load_is_stored_without_a_list_of_loads():
    assert "load" not in as_json(RunPlan.model_validate(PLAN))


def test_the_heaviest_load_has_the_most_threads():
    plan = RunPlan.model_validate({**PLAN, "load": {"steps": [{"threads": 10}, {"threads": 200}]}})

    assert plan.heaviest.workload.threads == 200
    assert plan.most_trials == 6


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"workload": {**PLAN["workload"], "operations": 10}}, "either operations or duration_seconds"),
        ({"workload": {**PLAN["workload"], "operation": "mixed"}}, "needs read_share"),
        ({"workload": {**PLAN["workload"], "replication_factor": 4}}, "needs as many database nodes"),
        ({"zones": ["a", "a"]}, "zones must not repeat"),
        ({"zones": ["a", "b", "c", "d"]}, "more zones than database nodes"),
        ({"pricing_model": "reserved_1y"}, "on-demand or spot"),
        ({"unknown": 1}, "Extra inputs"),
    ],
)
def test_a_plan_that_no_cloud_could_run_is_refused(changes, reason):
    with pytest.raises(ValidationError, match=reason):
        RunPlan.model_validate({**PLAN, **changes})
