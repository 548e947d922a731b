"""Results as rows of a table: one line each, what all share in the head."""

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from types import SimpleNamespace

import pytest
from django.template.loader import render_to_string

from submissions.templatetags.badges import flag_count, trust_dot
from submissions.templatetags.results import cells_of, share_class, shared_by, shared_by_rows
from tests.factories import SubmissionFactory, WorkloadFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def two():
    workload = WorkloadFactory()
    day = date(2015, 9, 1)
    facts = {
        "workload": workload,
        "latency_kind": "service_time",
        "latency_p99_ms": 3.0,
        "price_date": day,
        "price_last_seen": day,
        "measured_at": datetime(2015, 9, 1, tzinfo=UTC),
    }
    slow = SubmissionFactory(ops_per_usd=Decimal(100_000_000), **facts)
    fast = SubmissionFactory(ops_per_usd=Decimal(400_000_000), title="<b>fast</b>", **facts)
    for row in (slow, fast):
        row.refresh_from_db()
    return [slow, fast]


def cells(rows):
    return cells_of(rows, shared_by_rows(rows))


def table(rows):
    return render_to_string("submissions/records/_table.html", {"rows": rows})


def test_what_all_rows_share_is_said_by_the_head_and_by_no_row(two):
    head, body = table(two).split("<tbody>")

    assert "ms, service time" in head
    assert "service" not in body
    assert "2015-09-01" not in re.sub(r"<time.*?</time>", "", body)


def test_what_rows_differ_in_is_said_by_each(two):
    two[0].latency_kind, two[0].price_last_seen = "response_time", date(2016, 1, 1)

    assert shared_by_rows(two).latency_kind == ""
    assert ["response</span>" in cell["p99"] for cell in cells(two)] == [True, False]
    assert ["service</span>" in cell["p99"] for cell in cells(two)] == [False, True]
    assert shared_by_rows(two).prices == ""  # the sentence below the chart has them, and the page of each result
    assert shared_by_rows(two[:1]).prices == "AWS list price, unchanged since 2015-09-01, seen 2016-01-01"


def test_groups_share_what_their_best_results_share(two):
    groups = [SimpleNamespace(best=row) for row in two]

    assert (shared_by(groups).latency_kind, shared_by(groups).prices) == (
        "service time",
        "AWS list price of 2015-09-01",
    )
    two[0].latency_kind = "unknown"
    two[0].price_last_seen = date(2016, 1, 1)
    assert (shared_by(groups).latency_kind, shared_by(groups).prices) == ("", "")


def test_an_old_price_is_dated_by_each_group(two):
    for row in two:
        row.measured_at = datetime(2018, 9, 1, tzinfo=UTC)

    assert shared_by_rows(two).prices == "AWS list price of 2015-09-01"
    assert shared_by([SimpleNamespace(best=row) for row in two]).prices == ""


def test_a_bar_is_the_share_of_the_best_of_one_workload(two):
    assert [cell["bar"] for cell in cells(two)] == [" bar share-25", " bar share-100"]

    two[1].workload_id = two[0].workload_id + 1
    assert [cell["bar"] for cell in cells(two)] == ["", ""]  # values of two workloads are not comparable
    assert share_class(0.001, 100.0) == " bar share-5"
    assert share_class(1.0, None) == ""


def test_the_figures_of_a_card_have_their_units(two):
    shown = table(two)

    assert (
        '<td class="num key bar share-100" data-unit=" M&nbsp;ops/$"><span title="400,000,000">400</span></td>' in shown
    )
    assert 'data-label="p99"><span data-unit=" ms">' in shown
    assert '<span data-unit=" ops/s">' in shown
    assert 'data-unit="/h"><span title=' in shown


def test_texts_of_others_are_escaped(two):
    two[0].instance_type, two[0].region, two[0].service_version = "<i>", "<u>", "<s>"
    two[0].throughput_ops_s, two[0].relative_throughput, two[0].relative_base = None, 2.0, "<em>"
    two[1].hourly_usd, two[1].price_missing, two[1].disk_kind = None, "<q>", "<p>"

    shown = table(two)

    assert [tag for tag in ("<b>", "<i>", "<u>", "<s>", "<em>", "<q>", "<p>") if tag in shown] == []
    assert shown.count("&lt;b&gt;fast") == 2


def test_a_dot_and_a_number_stand_for_trust_and_flags():
    assert 'class="dot trust-run_by_us" title="run by us: ' in trust_dot("run_by_us")
    assert ">run by us:</span>" in trust_dot("run_by_us")
    assert ">2 flags</span>" in flag_count(["short", "errors"])
    assert "under 60 s" in flag_count(["short"])
    assert flag_count([]) == ""


def test_a_mean_is_no_p99(two):
    two[0].latency_p99_at_most_ms = None
    two[0].latency_mean_ms = 0.95

    first, second = cells(two)

    assert (first["p99_label"], second["p99_label"]) == ("latency", "p99")
    assert '<span data-unit=" ms"><span class="muted">mean</span> ' in first["p99"]
    assert "0.95</span>" in first["p99"]
