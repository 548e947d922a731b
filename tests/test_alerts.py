"""The alert rules and the dashboard of deploy/: well-formed, and about metrics that /metrics really has."""

import json
import re
import shutil
import subprocess
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path

import pytest
import yaml
from django.db import connections
from django.db.backends.base.base import NO_DB_ALIAS
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from benchsite.ops import counts
from benchsite.ops.metrics import registry
from runners.models import Sweep
from submissions.models import PriceLoad
from tests.factories import PriceFactory

ROOT = Path(__file__).parents[1]
RULES_FILE = ROOT / "deploy" / "prometheus" / "alerts.yml"
RULES = [rule for group in yaml.safe_load(RULES_FILE.read_text())["groups"] for rule in group["rules"]]
DASHBOARD = json.loads((ROOT / "deploy" / "grafana" / "benchsite.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
OF_PROMETHEUS = {"up": {"job", "instance"}, "ALERTS": {"alertname", "alertstate", "severity"}}
SUFFIXES = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum")}
OPERATORS = {"and", "or", "unless", "bool", "offset", "by", "without", "on", "ignoring", "group_left", "group_right"}
NEEDS_PROMTOOL = pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
NAME = r"(?<![\w.$])[a-zA-Z_:][\w:]*"


def metrics_of(expression):
    """The metrics that PromQL reads: no functions, operators, labels, ranges or strings."""
    text = re.sub(r'"(\\.|[^"\\])*"', "", expression)
    text = re.sub(r"\{[^}]*\}|\[[^\]]*\]", " ", text)
    text = re.sub(r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)", " ", text)
    return set(re.findall(rf"{NAME}\b(?!\s*\()", text)) - OPERATORS


def labels_of(expression):
    """(metric, label) of each matcher; of an aggregation all metrics of the expression."""
    text = re.sub(r'"(\\.|[^"\\])*"', '""', expression)
    found = {
        (metric, label)
        for metric, matchers in re.findall(rf"({NAME})\{{([^}}]*)\}}", text)
        for label in re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", matchers)
    }
    kept = re.findall(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)", text)
    names = {label.strip() for labels in kept for label in labels.split(",") if label.strip()}
    return found | {(metric, label) for label in names for metric in metrics_of(expression)}


@pytest.fixture
def answered(client, redis_client, monkeypatch):
    """Metric -> its labels, of a real answer, with a sweep, prices, a request and a task, and a replica at its end."""
    now = datetime.now(UTC)
    Sweep.objects.create(account="aws", at=now, found=0)
    PriceFactory(provider="aws")
    PriceLoad.objects.create(source="aws", attempted_at=now, succeeded_at=now)
    client.get("/moderation/")
    counts.count("task", "tests.task", "success", 0.1)
    counts.send()
    monkeypatch.setitem(connections.databases, "replica1", dict(connections["default"].settings_dict))
    connections["replica1"].alias = NO_DB_ALIAS  # tests may use no other database than the first
    text = generate_latest(registry()).decode()
    connections["replica1"].close()
    del connections["replica1"]
    found = {}
    for family in text_string_to_metric_families(text):
        for name in [f"{family.name}{suffix}" for suffix in SUFFIXES.get(family.type, ("",))]:
            found[name] = {label for sample in family.samples if sample.name == name for label in sample.labels}
    return found | OF_PROMETHEUS


def test_names_and_labels_are_read_out_of_promql():
    expression = (
        'topk(3, sum by (name) (rate(a_total{x="b{c}", y=~"d"}[5m] offset 1h))) / on (z) e:f > 2 * 1e3 and absent(g)'
    )

    assert metrics_of(expression) == {"a_total", "e:f", "g"}
    assert {("a_total", "x"), ("a_total", "y"), ("a_total", "name"), ("e:f", "z")} <= labels_of(expression)
    assert ("a_total", "c") not in labels_of(expression)


@pytest.mark.django_db
def test_every_metric_and_label_of_rules_and_dashboard_is_in_an_answer_of_metrics(answered):
    expressions = [rule["expr"] for rule in RULES]
    expressions += [target["expr"] for panel in PANELS for target in panel["targets"]]
    expressions += [each["expr"] for each in DASHBOARD["annotations"]["list"]]

    assert {name for expression in expressions for name in metrics_of(expression)} - set(answered) == set()
    for expression in expressions:
        for metric, label in labels_of(expression):
            assert label in answered[metric] or metric == "up", (metric, label)
    shown = [(rule["expr"], text) for rule in RULES for text in rule["annotations"].values()]
    shown += [(target["expr"], target["legendFormat"]) for panel in PANELS for target in panel["targets"]]
    for expression, text in shown:
        labels = set().union(*(answered[metric] for metric in metrics_of(expression)))
        assert set(re.findall(r"\{\{\s*\$labels\.(\w+)|\{\{(\w+)\}\}", text)) <= {
            pair for label in labels for pair in ((label, ""), ("", label))
        }, text


@pytest.mark.django_db
def test_a_section_whose_figures_cannot_be_read_is_a_one(monkeypatch, redis_client):
    from benchsite.ops import figures

    def broken():
        raise ZeroDivisionError

    monkeypatch.setitem(figures.SOURCES, "Results", broken)

    text = generate_latest(registry()).decode()

    assert 'benchsite_figures_unknown{section="Results"} 1.0' in text
    assert 'benchsite_figures_unknown{section="Runs"} 0.0' in text


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_a_rule_says_how_long_how_urgent_what_and_what_to_do(rule):
    assert set(rule) == {"alert", "expr", "for", "labels", "annotations"}
    assert re.fullmatch(r"Benchsite[A-Z]\w+", rule["alert"])
    assert re.fullmatch(r"\d+[smhd]", rule["for"])
    assert rule["labels"] in ({"severity": "page"}, {"severity": "ticket"})
    assert set(rule["annotations"]) == {"summary", "description", "runbook_url"}
    file, _, anchor = rule["annotations"]["runbook_url"].partition("#")
    headings = re.findall(r"^#+ (.+)$", (ROOT / file).read_text(), re.MULTILINE)
    assert anchor in {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_each_alert_has_a_name_of_its_own_and_a_line_in_the_docs():
    names = [rule["alert"] for rule in RULES]
    page = (ROOT / "docs" / "operations.md").read_text()

    assert len(names) == len(set(names)) > 20
    assert re.findall(r"`(Benchsite\w+)`", page) == names


@NEEDS_PROMTOOL
@pytest.mark.parametrize("words", [("check", "rules", "alerts.yml"), ("test", "rules", "alerts_test.yml")])
def test_promtool_takes_the_rules_and_their_own_tests_pass(words):
    done = subprocess.run(["promtool", *words], cwd=RULES_FILE.parent, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


def test_grafana_finds_all_that_it_demands_of_a_dashboard():
    """The classic model: kinds/dashboard/dashboard_kind.cue of Grafana, and what its importer asks for."""
    assert DASHBOARD["id"] is None  # else an import would replace another one
    assert 8 <= len(DASHBOARD["uid"]) <= 40
    assert DASHBOARD["schemaVersion"] >= 36
    assert DASHBOARD["title"]
    assert DASHBOARD["time"] == {"from": "now-6h", "to": "now"}
    [variable] = DASHBOARD["templating"]["list"]
    assert (variable["type"], variable["name"], variable["query"]) == ("datasource", "datasource", "prometheus")
    for each in DASHBOARD["annotations"]["list"]:
        assert each["name"]
        assert each["iconColor"]
        assert each["datasource"]["uid"] == "${datasource}"


def test_every_panel_has_a_title_a_unit_and_queries_of_the_chosen_source():
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids))
    for panel in PANELS:
        assert panel["type"] in ("stat", "timeseries")
        assert panel["title"]
        assert panel["description"]
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        assert panel["fieldConfig"]["defaults"]["unit"]
        assert panel["options"]
        references = [target["refId"] for target in panel["targets"]]
        assert references
        assert len(references) == len(set(references))
        assert all(target["datasource"] == panel["datasource"] for target in panel["targets"])


def test_no_panel_covers_another_or_leaves_the_grid():
    places = [panel["gridPos"] for panel in DASHBOARD["panels"]]

    for place in places:
        assert set(place) == {"x", "y", "w", "h"}
        assert place["x"] >= 0 < place["w"]
        assert place["x"] + place["w"] <= 24
        assert place["y"] >= 0 < place["h"]
    for one, other in combinations(places, 2):
        is_beside = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
        is_below = one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
        assert is_beside or is_below, (one, other)
