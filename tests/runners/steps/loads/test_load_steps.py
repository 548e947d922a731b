"""The steps of a search on the fake cloud, with a real log of cassandra-stress at each of them."""

from copy import deepcopy

import pytest

from runners import driver
from runners.choices import OutputKind
from runners.load_tools.base import OutputFile
from runners.models import Run
from runners.providers import fake
from runners.steps import collect
from tests.files import stress_log
from tests.runners.fake_runs import PLAN, ReplayedStress

pytestmark = pytest.mark.django_db

LOG = stress_log("cs40a2-03-netns").read_bytes()
WORKLOAD = {**{name: value for name, value in PLAN["workload"].items() if name != "operations"}, "duration_seconds": 30}


def search(max_ms, **changes):
    return {"workload": WORKLOAD, "load": {"slo": {"percentile": "p99", "max_ms": max_ms}}, **changes}


@pytest.fixture
def any_step(cloud):
    """Every trial prints the same: 1,000 op/s or so, with a p99 of over 100 ms."""
    for trial in range(12):
        cloud.plan[f"trial-{trial}"] = fake.FakeJob(LOG)


def until_collecting(run, once=driver.drive_once):
    for _ in range(100):
        run.refresh_from_db()
        if run.is_final or run.status == "collecting":
            return run
        once(run)
    raise AssertionError(run.status)


def loads(run):
    return [step["offered_ops_s"] for step in run.progress["load_steps"]]


def test_a_limit_that_the_peak_keeps_is_confirmed_at_an_offered_rate_below_one_that_is_not_reached(make_run, any_step):
    run = until_collecting(make_run(**search(10_000.0)))

    peak = run.progress["load_steps"][0]["ops_s"]
    below, beyond = pytest.approx(0.85 * peak, rel=0.01), pytest.approx(1.0625 * peak, rel=0.01)
    assert loads(run)[:3] == [None, below, beyond]
    assert loads(run).count(below) == 3  # its own step, and the two trials of the plan
    assert run.progress["load_search"]["end"] == "found"
    assert (run.progress["load_search"]["low_ops_s"], run.progress["load_search"]["high_ops_s"]) == (below, beyond)


def test_lower_and_lower_rates_are_tried_until_one_keeps_the_limit(make_run, any_step):
    run = until_collecting(make_run(**search(0.1)))

    peak = run.progress["load_steps"][0]["ops_s"]
    assert loads(run)[1:4] == [pytest.approx(share * peak, rel=0.01) for share in (0.7, 0.35, 0.175)]
    assert [step["why"] for step in run.progress["load_steps"][2:]] == ["latency"] * (len(loads(run)) - 2)
    search_of_run = run.progress["load_search"]
    assert (search_of_run["end"], search_of_run["low_ops_s"]) == ("never", None)
    assert search_of_run["high_ops_s"] == loads(run)[-1] == pytest.approx(0.0027 * peak, rel=0.03)


def test_a_worker_that_dies_after_any_step_changes_no_decision(make_run, any_step):
    """Every call of the driver is made twice, the second time as if the first had stored nothing of the run itself."""
    undisturbed = until_collecting(make_run(**search(0.1)))

    def twice(run):
        before = {"state": deepcopy(run.state), "progress": deepcopy(run.progress), "status": run.status}
        driver.drive_once(run)
        run.refresh_from_db()
        if run.status == before["status"] == "stressing":
            Run.objects.filter(pk=run.pk).update(**before)
            run.refresh_from_db()
            driver.drive_once(run)

    disturbed = until_collecting(make_run(**search(0.1)), once=twice)

    assert disturbed.progress["load_steps"] == undisturbed.progress["load_steps"]
    assert disturbed.progress["load_search"] == undisturbed.progress["load_search"]


def test_every_step_lasts_what_the_plan_asks_for_however_slow_its_rate_is(make_run, any_step):
    run = until_collecting(make_run(**search(0.1)))

    assert min(rate for rate in loads(run) if rate) < 10  # of 10,000 operations, which a p99 wants, there are few
    assert {step["duration_seconds"] for step in run.progress["load_steps"]} == {30}


def test_a_step_that_would_end_after_the_deadline_is_not_begun(make_run, any_step, later):
    from datetime import timedelta

    run = make_run(**search(0.1))
    while len(run.progress.get("load_steps", [])) < 2:
        driver.drive_once(run)
        run.refresh_from_db()
    later(run, run.deadline_at - run.launched_at - timedelta(seconds=60))
    until_collecting(run)

    assert run.progress["load_search"]["end"] == "time_ended"
    assert len(run.progress["load_steps"]) == 2


class WithSchedule(ReplayedStress):
    """Like YCSB: at a fixed rate it has a file more."""

    def outputs(self, plan, cluster, trial):
        files = list(super().outputs(plan, cluster, trial))
        if plan.workload.fixed_rate_ops_s:
            files.append(OutputFile("client-0", f"/run/{trial}/intended.hdr", OutputKind.HDR, trial, "intended.hdr"))
        return files


def test_the_files_that_are_copied_are_those_of_the_load_of_each_step(make_run, any_step, monkeypatch):
    monkeypatch.setattr(collect, "for_plan", lambda plan: WithSchedule())
    run = until_collecting(make_run(**search(10.0)))

    steps = run.progress["load_steps"]
    at_rate = [step["trial"] for step in steps[:-1] if step["offered_ops_s"]]
    assert steps[0]["offered_ops_s"] is None
    assert at_rate
    copied = run.outputs.filter(kind=OutputKind.HDR).values_list("trial", flat=True)
    assert set(at_rate) <= set(copied)
    assert 0 not in copied
