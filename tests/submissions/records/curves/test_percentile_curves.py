"""Percentile curves of submissions: histograms are added up, and a curve is of all trials or none."""

import pytest

from submissions.analysis.curves import histograms
from submissions.choices import LatencyKind
from submissions.ingest.parsers.hdr_log import PARSER
from submissions.records.curves.percentile_curves import (
    ScaleForm,
    curve_lines,
    curve_table,
    percentile_curves,
    total_curve,
    why_no_curve,
)
from tests.files import DATA

LOG = DATA / "cassandra-stress" / "cs50-07b.hdr"
TRIAL = [
    {"operation": one.operation, "kind": one.kind.value, "encoded": one.encoded}
    for one in PARSER.parse(LOG.read_text().splitlines()).histograms
]
SERVICE, RESPONSE = LatencyKind.SERVICE_TIME, LatencyKind.RESPONSE_TIME


def only(**wanted):
    return [one for one in TRIAL if all(one[name] == value for name, value in wanted.items())]


def test_each_kind_and_operation_has_a_curve_totals_first():
    found = percentile_curves([TRIAL])

    assert [(one.name, one.count) for one in found] == [
        ("all operations, service time", 30_000),
        ("all operations, response time", 30_000),
        ("read, service time", 15_308),
        ("write, service time", 14_692),
        ("read, response time", 15_308),
        ("write, response time", 14_692),
    ]
    # the Results of the log beside it: p99 2464.2, max 2573.2
    assert round(found[1].points[-1].latency_ms, 1) == 2573.2


def test_trials_are_added_up():
    found = percentile_curves([TRIAL, TRIAL, TRIAL])

    assert found[0].count == 90_000
    # three times the same values: the same percentiles
    latency = histograms.percentiles(histograms.merge(one["encoded"] for one in only(operation="total", kind=SERVICE)))
    assert [p.latency_ms for p in found[0].points if p.percentile == 100] == [latency.max]


def test_of_a_single_operation_the_total_is_the_whole():
    trial = [*only(operation="total", kind="service_time"), *only(operation="read", kind="service_time")]

    assert [one.name for one in percentile_curves([trial])] == ["all operations, service time"]


def test_what_a_trial_lacks_has_no_curve():
    without_response = only(kind="service_time")

    assert {one.kind for one in percentile_curves([TRIAL, without_response])} == {SERVICE}
    assert percentile_curves([TRIAL, []]) == ()
    assert percentile_curves([]) == ()
    assert total_curve([TRIAL, without_response], RESPONSE) is None
    assert total_curve([TRIAL, without_response], SERVICE).count == 60_000


def test_it_explains_why_there_is_no_curve():
    assert why_no_curve([[], []]) == "No histogram was submitted, so no latency curve can be drawn."
    assert (
        why_no_curve([TRIAL, [], []]) == "Only 1 of 3 trials has a histogram, so no curve of all trials can be drawn."
    )


def test_the_kinds_of_an_operation_share_a_colour():
    assert [(line.group, line.dash) for line in curve_lines(percentile_curves([TRIAL]))] == [
        (0, 0),
        (0, 1),
        (1, 0),
        (2, 0),
        (1, 1),
        (2, 1),
    ]


def test_the_table_has_every_point_and_goes_on_with_the_maximum():
    long, short = percentile_curves([TRIAL])[0], percentile_curves([TRIAL])[3]

    found = curve_table([("long", long.points), ("short", short.points)])

    assert found["names"] == ["long", "short"]
    assert [values[0] for _, values in found["rows"]] == [point.latency_ms for point in long.points]
    assert [values[1] for _, values in found["rows"]][-3:] == [short.points[-1].latency_ms] * 3
    assert found["rows"][0][0] == "0 %"
    assert found["rows"][-1][0] == "100 %"


@pytest.mark.parametrize(
    ("data", "is_log", "is_valid"),
    [
        ({}, False, True),
        ({"scale": "log"}, True, True),
        ({"scale": "linear"}, False, True),
        ({"scale": "x"}, False, False),
    ],
)
def test_the_scale_is_one_of_two(data, is_log, is_valid):
    form = ScaleForm(data)

    assert (form.is_log, form.is_valid()) == (is_log, is_valid)
