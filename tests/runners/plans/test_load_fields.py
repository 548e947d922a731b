"""The form's fields for several loads, and the plan that they make."""

import pytest

from runners.plan_schema.run_plan import RunPlan, as_json
from runners.plans.faults import faults_of
from runners.plans.form import PlanForm
from tests.runners.fake_runs import PLAN
from tests.runners.views.test_pages import form_data

SLO = {"load_kind": "slo", "slo_percentile": "p99", "slo_max_ms": "20", "duration_seconds": "30"}


@pytest.fixture(autouse=True)
def site(settings):
    settings.RUN_PROVIDERS = ["fake"]


def content_of(**typed):
    form = PlanForm(form_data(**typed))
    assert form.is_valid(), form.errors
    return form.content()


def plan(load=None, **changes):
    workload = {name: value for name, value in PLAN["workload"].items() if name != "operations"}
    workload |= {"duration_seconds": 30, **changes.pop("workload", {})}
    return RunPlan.model_validate({**PLAN, "workload": workload, "load": load, **changes})


def test_one_load_leaves_the_plan_as_it_always_was():
    content = content_of()

    assert "load" not in content
    assert "load" not in as_json(RunPlan.model_validate(content))


def test_a_limit_becomes_a_search():
    content = content_of(**SLO, slo_max_error_share="0.01", start_ops_s="500", max_steps="15")

    assert content["load"] == {
        "slo": {"percentile": "p99", "max_ms": 20, "max_error_share": 0.01},
        "start_ops_s": 500,
        "max_steps": 15,
    }
    assert "operations" not in content["workload"]  # the form of a search has no such field
    assert PlanForm.initial_of(content)["load_kind"] == "slo"


def test_a_list_of_rates_and_threads_can_be_typed_and_is_shown_again():
    content = content_of(load_kind="steps", load_steps="500, 1000.5; 16 threads", duration_seconds="30")

    assert content["load"] == {"steps": [500, 1000.5, {"threads": 16}]}
    shown = PlanForm(initial=PlanForm.initial_of(content))
    assert 'value="500, 1000.5, 16 threads"' in str(shown["load_steps"])


@pytest.mark.parametrize("typed", ["fast", "500, -3", "1.5 threads"])
def test_what_is_no_load_is_refused_at_its_field(typed):
    form = PlanForm(form_data(load_kind="steps", load_steps=typed, duration_seconds="30"))

    assert not form.is_valid()
    assert list(form.errors) == ["load_steps"]


def test_a_kind_without_its_values_is_not_taken_for_one_load():
    assert content_of(load_kind="slo")["load"] == {"slo": {}}
    assert content_of(load_kind="steps")["load"] == {"steps": []}


def test_another_kind_of_load_shows_its_fields_with_what_is_usual():
    typed = {"tool": "pgbench", "provider": "local", "was_tool": "pgbench", "was_provider": "local", "threads": "4"}
    initial = PlanForm.initial_of_choice({**typed, "load_kind": "slo"})
    form = PlanForm(initial=initial)

    assert {"slo_percentile", "slo_max_ms", "max_steps", "duration_seconds"} <= set(form.fields)
    assert not {"load_steps", "operations", "fixed_rate_ops_s"} & set(form.fields)
    assert (initial["slo_percentile"], initial["max_steps"], initial["threads"]) == ("p99", 12, "4")


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"workload": {"fixed_rate_ops_s": 100}}, "#/workload/fixed_rate_ops_s"),
        ({"workload": {"operations": 1000, "duration_seconds": None}}, "#/workload/operations"),
        ({"cpu_profile": True}, "#/cpu_profile"),
        ({"trials": 9}, "#/load/max_steps"),
    ],
)
def test_what_contradicts_a_search_is_refused_by_its_name(changes, place):
    assert place in [fault.pointer for fault in faults_of(plan({"slo": {"max_ms": 10}}, **changes))]


def test_a_search_needs_a_place_in_the_plan_for_its_trials():
    assert faults_of(plan({"slo": {"max_ms": 10}})) == []
    assert plan({"slo": {"max_ms": 10}}).most_trials == 12
    assert plan({"steps": [100, 200, {"threads": 4}]}, trials=2).most_trials == 6


def test_the_database_is_prepared_for_the_most_threads_of_a_list():
    assert plan({"steps": [100, {"threads": 300}]}).heaviest.workload.threads == 300
    assert plan({"steps": [100, {"threads": 4}]}).heaviest.workload.threads == 16


@pytest.mark.parametrize("load", [{}, {"steps": [100], "slo": {"max_ms": 10}}, {"steps": [100], "start_ops_s": 5}])
def test_a_load_is_either_a_list_or_a_search(load):
    with pytest.raises(ValueError, match="steps"):
        plan(load)
