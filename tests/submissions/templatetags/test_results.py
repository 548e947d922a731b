"""Results as rows of a table: one line each, what all share in the head."""

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from types import SimpleNamespace

import pytest

from submissions.templatetags.badges import flag_count, trust_dot
from submissions.templatetags.results import result_table, share_class, shared_by, system_table
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


def test_what_all_rows_share_is_said_by_the_head_and_by_no_row(two):
    table = result_table(two)

    assert table.latency_kind == "service time"
    assert "service" not in table.rows
    assert "2015-09-01" not in re.sub(r"<time.*?</time>", "", table.rows)


def test_what_rows_differ_in_is_said_by_each(two):
    two[0].latency_kind, two[0].price_last_seen = "response_time", date(2016, 1, 1)

    table = result_table(two)

    assert table.latency_kind == ""
    assert ">response</span>" in table.rows
    assert ">service</span>" in table.rows
    assert system_table(two).prices == ""  # the sentence below the chart has them, and the page of each result
    assert system_table(two[:1]).prices == "AWS list price, unchanged since 2015-09-01, seen 2016-01-01"


def test_groups_share_what_their_best_results_share(two):
    groups = [SimpleNamespace(best=row) for row in two]

    assert (shared_by(groups).latency_kind, shared_by(groups).prices) == (
        "service time",
        "AWS list price of 2015-09-01",
    )
    two[0].latency_kind = "unknown"
    two[0].price_last_seen = date(2016, 1, 1)
    assert (shared_by(groups).latency_kind, shared_by(groups).prices) == ("", "")


def test_a_bar_is_the_share_of_the_best_of_one_workload(two):
    assert re.findall(r"share-\d+", result_table(two).rows) == ["share-25", "share-100"]

    two[1].workload_id = two[0].workload_id + 1
    assert "share-" not in result_table(two).rows  # values of two workloads are not comparable
    assert share_class(0.001, 100.0) == " bar share-5"
    assert share_class(1.0, None) == ""


def test_the_figures_of_a_card_have_their_units(two):
    rows = result_table(two).rows

    assert (
        '<td class="num key bar share-100" data-unit=" M&nbsp;ops/$"><span title="400,000,000">400</span></td>' in rows
    )
    assert 'data-label="p99"><span data-unit=" ms">' in rows
    assert '<span data-unit=" ops/s">' in rows
    assert 'data-unit="/h"><span title=' in rows
    assert "<b>fast" not in rows


def test_a_dot_and_a_number_stand_for_trust_and_flags():
    assert 'class="dot trust-run_by_us" title="run by us: ' in trust_dot("run_by_us")
    assert ">run by us:</span>" in trust_dot("run_by_us")
    assert ">2 flags</span>" in flag_count(["short", "errors"])
    assert "under 60 s" in flag_count(["short"])
    assert flag_count([]) == ""


def test_a_mean_is_no_p99(two):
    two[0].latency_p99_at_most_ms = None
    two[0].latency_mean_ms = 0.95

    first, second = str(result_table(two).rows).splitlines()

    assert 'data-label="latency"><span data-unit=" ms"><span class="muted">mean</span> ' in first
    assert "0.95</span>" in first
    assert 'data-label="p99"' not in first
    assert 'data-label="p99"' in second
