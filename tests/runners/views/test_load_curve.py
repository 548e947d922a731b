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

    assert "So far, 1.19 k ops/s kept p99 ≤ 20 ms with at most 0.1 % errors in 1 trial." in words
    assert "1 trial has fewer than 10,000 operations" in words
    assert "1: the peak, without a throttle no throttle 8 15 1.7 k 24.0 0 40 broken: latency above the limit" in words
    assert "2: bracket 1.19 k 8 15 1.18 k 12.0 0 40 kept" in words
    assert "3: bracket 1.42 k 8 15" in words
    assert "running" in words


def test_the_chart_has_the_points_the_limit_and_the_bracket(searching):
    curve = load_curve_of(searching)
    figure = json.loads(json.dumps(curve.chart.figure))

    drawn = {trace["name"]: (list(trace["x"]), list(trace["y"])) for trace in figure["data"]}
    assert drawn["keeps the limit"] == ([1180.0], [12.0])
    assert drawn["breaks the limit"] == ([1700.0], [24.0])
    assert drawn["limit"][1] == [20.0, 20.0]
    assert drawn["bracket"][0] == [1190.0, 1190.0]


def test_the_api_has_the_steps(searching, client):
    body = client.get(f"/api/v1/runs/{searching.pk}/").json()

    assert [step["offered_ops_s"] for step in body["progress"]["load_steps"]] == [None, 1190.0, 1420.0]
    assert body["progress"]["load_search"] == SEARCH


def test_a_run_with_one_load_has_no_such_part(make_run):
    assert load_curve_of(make_run()) is None
