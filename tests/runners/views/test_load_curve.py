"""The page of a run with several loads: its steps, what they have shown so far, and the chart."""

import json
from html import unescape

import pytest
from django.urls import reverse
from django.utils.html import strip_tags

from runners.choices import RunStatus
from runners.models import Run
from runners.views.load_curve import load_curve_of

pytestmark = pytest.mark.django_db

DECIDED = {"trial": 0, "purpose": "peak", "offered_ops_s": None, "threads": 8, "duration_seconds": 15}
PEAK = DECIDED | {
    "ops_s": 1700.0,
    "operations": 25_000,
    "errors": 0,
    "latency_ms": {"p99": 24.0},
    "latency_kind": "service_time",
    "client_cpu_percent": 40.0,
    "keeps_limit": False,
    "why": "latency",
}
FIRST = PEAK | {
    "trial": 1,
    "purpose": "bracket",
    "offered_ops_s": 1190.0,
    "ops_s": 1180.0,
    "operations": 9_000,
    "latency_ms": {"p99": 12.0},
    "keeps_limit": True,
    "why": "",
}
RUNNING = DECIDED | {"trial": 2, "purpose": "bracket", "offered_ops_s": 1420.0}
SEARCH = {"end": None, "low_ops_s": 1190.0, "high_ops_s": None, "low_trials": 1, "high_trials": 0}


@pytest.fixture
def searching(make_run):
    run = make_run(load={"slo": {"percentile": "p99", "max_ms": 20.0, "max_error_share": 0.001}})
    progress = {"load_steps": [PEAK, FIRST, RUNNING], "load_search": SEARCH}
    Run.objects.filter(pk=run.pk).update(progress=progress, status=RunStatus.STRESSING)
    run.refresh_from_db()
    return run


def test_the_page_shows_each_step_and_the_bracket_so_far(searching, client):
    page = client.get(reverse("runners:live", args=[searching.pk])).content.decode()
    words = " ".join(unescape(strip_tags(page)).split())

    assert "Highest rate so far: 1.19 k ops/s. No higher rate has broken the limit." in words
    assert "The limit is p99 ≤ 20 ms with at most 0.1 % errors: 1 trial at 1.19 k ops/s kept it." in words
    assert "1 trial has fewer than 10,000 operations" in words
    assert "1: the peak no throttle 8 15 1.7 k 24.0 0 40 not judged: unthrottled" in words
    assert "2: bracket 1.19 k 8 15 1.18 k 12.0 0 40 kept" in words
    assert "3: bracket 1.42 k 8 15" in words
    assert "running" in words


def test_the_chart_has_the_points_the_limit_and_the_bracket(searching):
    curve = load_curve_of(searching)
    figure = json.loads(json.dumps(curve.chart.figure))

    drawn = {trace["name"]: (list(trace["x"]), list(trace["y"])) for trace in figure["data"]}
    assert drawn["keeps the limit"] == ([1180.0], [12.0])
    assert drawn["not judged: unthrottled"] == ([1700.0], [24.0])
    assert drawn["limit"][1] == [20.0, 20.0]
    assert drawn["bracket"][0] == [1190.0, 1190.0]


@pytest.fixture
def noisy(make_run):
    """5 steps on a loaded machine: threads that wait kept the limit, and then 330, 165 and 82.5 ops/s broke it."""
    slo = {"percentile": "p99", "max_ms": 100.0, "max_error_share": 0.001}
    rates = [(388.0, None, 56.8), (325.0, 330.0, 900.0), (164.0, 165.0, 300.0), (82.0, 82.5, 120.0), (20.4, 20.6, 31.0)]
    steps = [
        PEAK
        | {
            "trial": trial,
            "ops_s": ops_s,
            "offered_ops_s": offered,
            "latency_ms": {"p99": p99},
            "keeps_limit": p99 < 100,
        }
        | {"purpose": "bracket" if offered else "peak", "latency_kind": "response_time" if offered else "service_time"}
        | {"why": "" if p99 < 100 else "latency"}
        for trial, (ops_s, offered, p99) in enumerate(rates)
    ]
    bracket = {"low_ops_s": 20.6, "high_ops_s": 82.5, "low_trials": 1, "high_trials": 1}
    run = make_run(load={"slo": slo, "max_steps": 5}, trials=1)
    progress = {"load_steps": steps, "load_search": {"end": "steps_ended", **bracket}}
    Run.objects.filter(pk=run.pk).update(progress=progress, status=RunStatus.COLLECTING)
    run.refresh_from_db()
    return run


def test_the_page_of_a_search_says_its_answer_and_never_contradicts_it(noisy, client):
    page = client.get(reverse("runners:live", args=[noisy.pk])).content.decode()
    words = " ".join(unescape(strip_tags(page)).split())

    assert "Highest rate at p99 ≤ 100 ms, ops/s 20.6 measured 20.4, 1 trial p99 at that rate, ms 31.0" in words
    assert (
        "Highest rate found: 20.6 ops/s. 82.5 ops/s was too much. Between 20.6 and 82.5 ops/s nothing is known."
        in words
    )
    assert "Stopped after 5 steps." in words
    assert (
        "Already 82.5 ops/s broke the limit, 21.3 % of the 388 ops/s without a throttle: the machine is too noisy"
        in words
    )
    assert "1: the peak no throttle 8 15 388 56.8 0 40 not judged: unthrottled" in words
    assert words.split().count("kept") == 2  # the evidence, and the one step that did


def test_the_chart_says_which_latencies_are_service_times(noisy):
    figure = json.loads(json.dumps(load_curve_of(noisy).chart.figure))

    assert {trace["name"]: list(trace["x"]) for trace in figure["data"] if trace["mode"] == "markers"} == {
        "keeps the limit (response time)": [20.4],
        "breaks the limit (response time)": [325.0, 164.0, 82.0],
        "not judged: unthrottled (service time)": [388.0],
    }


def test_the_api_has_the_steps(searching, client):
    body = client.get(f"/api/v1/runs/{searching.pk}/").json()

    assert [step["offered_ops_s"] for step in body["progress"]["load_steps"]] == [None, 1190.0, 1420.0]
    assert body["progress"]["load_search"] == SEARCH


def test_a_run_with_one_load_has_no_such_part(make_run):
    assert load_curve_of(make_run()) is None
