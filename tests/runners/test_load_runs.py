"""Runs with several loads on this machine: the real PostgreSQL and pgbench, a list of loads and a search."""

from tests.runners.test_local_run import confirmed, drive, runs_folder

__all__ = ["confirmed", "runs_folder"]

QUICK = {"percentile": "p50", "max_ms": 2.0}  # 200 operations are enough for a p50


def test_a_list_of_loads_is_measured_round_by_round_and_becomes_one_curve(confirmed):
    run = drive(confirmed(seconds=1, trials=2, load={"steps": [40, {"threads": 3}]}))

    assert (run.status, run.end_detail) == ("succeeded", "")
    steps = run.progress["load_steps"]
    assert [(step["offered_ops_s"], step["threads"]) for step in steps] == [(40, 2), (None, 3)] * 2
    assert [step["latency_kind"] for step in steps] == ["response_time", "service_time"] * 2
    assert all(20 < step["ops_s"] < 60 for step in steps[::2])  # a second of random arrivals
    assert all(step["latency_ms"]["p99"] > 0 for step in steps)
    points = run.submission.load_points.values_list("offered_ops_s", "threads", "trials_count", "is_peak")
    assert list(points) == [(40, 2, 2, False), (None, 3, 2, True)]
    assert run.submission.load_mode == "curve"


def test_a_search_stores_each_step_before_it_runs_and_ends_with_a_bracket_and_a_curve(confirmed):
    run = confirmed(seconds=1, trials=1, load={"slo": QUICK, "max_steps": 6})
    drive(run, until=lambda: len(run.progress.get("load_steps", [])) == 2)

    peak, first = run.progress["load_steps"]
    assert (peak["purpose"], peak["offered_ops_s"], first.get("ops_s")) == ("peak", None, None)
    drive(run)

    assert (run.status, run.end_detail) == ("succeeded", "")
    steps = run.progress["load_steps"]
    assert 2 <= len(steps) <= 6
    assert [step["trial"] for step in steps] == list(range(len(steps)))
    assert all(step["latency_ms"]["p50"] <= 2.0 for step in steps if step["keeps_limit"])
    assert all(step["latency_ms"]["p50"] > 2.0 for step in steps if step["why"] == "latency")
    assert run.progress["load_search"]["end"] in ("found", "never", "steps_ended")
    assert run.submission.document["slo"] == {**QUICK, "max_error_share": 0.001}
    offered = [trial.offered_ops_s for trial in run.submission.trials.order_by("index")]
    assert offered == [step["offered_ops_s"] for step in steps]
