"""Bars of a comparison: one panel a metric, only what can be compared shares a panel."""

import json
from decimal import Decimal

import pytest

from submissions.choices import LatencyKind
from submissions.questions.compare.chart import ResultBar, bars_of, compare_bars
from submissions.questions.compare.query import compare_submissions
from tests.factories import SubmissionFactory


def test_a_comparison_has_a_panel_for_each_known_metric_only():
    bars = [
        ResultBar("4", "aws", 90748.0, 204e6, None),
        ResultBar("1", "gce", 111394.0, None, None),
    ]

    figure = compare_bars(bars)

    assert [trace["x"] for trace in figure["data"]] == [[90748.0, 111394.0], [204.0, None]]
    assert figure["layout"]["xaxis2"]["title"]["text"] == "Value (M ops/$)"
    assert "xaxis3" not in figure["layout"]


def test_a_figure_is_plain_json_without_a_theme():
    figure = compare_bars([ResultBar("4", "aws", 1.0, 1.0, 1.0)])

    assert "template" not in figure["layout"]
    json.dumps(figure, allow_nan=False)


@pytest.mark.django_db
def test_p99s_of_different_kinds_share_no_panel():
    service = SubmissionFactory(hourly_usd=Decimal(1))
    response = SubmissionFactory(hourly_usd=Decimal(1), latency_kind=LatencyKind.RESPONSE_TIME)

    mixed = bars_of(compare_submissions([service, response]).sides)
    alike = bars_of(compare_submissions([service, SubmissionFactory()]).sides)

    assert [bar.latency_p99_ms for bar in mixed] == [None, None]
    assert [bar.latency_p99_ms for bar in alike] == [4.0, 4.0]
