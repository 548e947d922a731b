"""Percentile curves, intervals and a viewer's window, on the page of a submission and overlaid."""

import gzip
import json

import pytest

from submissions.choices import ArtifactKind
from submissions.ingest.curves.intervals import COLUMNS
from submissions.models import Submission
from tests.factories import ArtifactFactory, SubmissionFactory, WorkloadFactory
from tests.pages import faults, links, text
from tests.submissions.records.curves.test_percentile_curves import TRIAL

pytestmark = pytest.mark.django_db


def row(second, rate, p99=4.0, **others):
    values = {"operation": "total", "elapsed_seconds": float(second), "operations": rate, "throughput_ops_s": rate}
    values |= {"p99_ms": p99, "errors": 0, "gc_count": 0, "gc_ms": 0.0, **others}
    return [values.get(column) for column in COLUMNS]


def add_intervals(submission, *trials, columns=COLUMNS):
    content = {"columns": columns, "trials": [{"index": n, "clients": [rows]} for n, rows in enumerate(trials)]}
    data = gzip.compress(json.dumps(content).encode())
    ArtifactFactory(submission=submission, content=data, kind=ArtifactKind.INTERVALS, name="intervals.json.gz")


WARM = [row(s, 300 if s <= 10 else 1000, 9.0 if s <= 10 else 2.0 + s % 3) for s in range(1, 111)]


def measured(trials=1, **given):
    submission = SubmissionFactory(trials_count=trials, throughput_ops_s=936.0, **given)
    add_intervals(submission, *[WARM] * trials)
    return submission


def with_histograms(**given):
    return SubmissionFactory(trials__histograms=TRIAL, **given)


def page(client, submission, **query):
    return client.get(submission.get_absolute_url(), query)


def compared(client, *submissions, **query):
    return client.get("/compare/", {"s": [one.pk for one in submissions], **query})


def test_a_submission_with_histograms_has_its_curves_and_their_points(client):
    response = page(client, with_histograms())

    assert [trace["name"] for trace in response.context["charts"][0].figure["data"]][:2] == [
        "all operations, service time",
        "all operations, response time",
    ]
    assert "Points of the curves" in text(response)
    # the maximum of the log's response time
    assert response.context["percentile_table"]["rows"][-1][1][1] == pytest.approx(2573.2, abs=0.05)
    assert faults(response) == []


def test_summaries_alone_have_no_curve_and_the_page_explains_it(client):
    response = page(client, SubmissionFactory())

    assert response.context["charts"] == []
    assert "No histogram was submitted, so no latency curve can be drawn." in text(response)


def test_the_latency_axis_follows_the_address(client):
    submission = with_histograms()

    linear, logarithmic = page(client, submission), page(client, submission, scale="log")

    assert f"/submissions/{submission.pk}/?scale=log#percentiles" in links(linear, "#percentiles")
    assert logarithmic.context["charts"][0].figure["layout"]["yaxis"]["type"] == "log"
    assert f"/submissions/{submission.pk}/?#percentiles" in links(logarithmic, "#percentiles")
    wrong = page(client, submission, scale="x")
    assert wrong.status_code == 400
    assert "Scale: Select a valid choice." in text(wrong)


def test_a_window_recomputes_the_headline_beside_the_stored_one(client):
    submission = measured()

    response = page(client, submission, **{"from": "10", "to": "60"})

    said = text(response)
    assert response.status_code == 200
    assert "From 10 s to 60 s the throughput was 1 k ops/s; over the whole run it was 936 ops/s." in said
    assert "1 k 50,000 operations / 50 s" in said
    assert "2.0 to 4.0" in said  # p99 of the intervals
    assert [(s["x0"], s["x1"]) for s in response.context["charts"][0].figure["layout"]["shapes"]] == [
        (0.0, 10.0),
        (60.0, 110.0),
        (0.0, 10.0),  # the warm-up
    ]
    assert Submission.objects.get(pk=submission.pk).throughput_ops_s == 936.0
    assert f"/submissions/{submission.pk}/?#intervals" in links(response, "#intervals")
    assert faults(response) == []


def test_a_window_of_a_long_run_states_what_counts_as_one_interval(client):
    submission = SubmissionFactory()
    add_intervals(submission, [row(s, 1000) for s in range(1, 10_001)])

    response = page(client, submission, **{"from": "100", "to": "9000"})

    # 10,000 / 2,048 s and rounded up to a power of two: 8 s, from 104 to 9,000 s
    assert "stretches of 8 s count as one interval" in text(response)
    assert response.context["windowed"].trials[0].figures.intervals == 8896
    assert "count as one interval" not in text(page(client, measured(), **{"from": "10"}))


def test_trials_in_a_window_have_their_mean_and_their_number(client):
    said = text(page(client, measured(trials=3), **{"from": "10"}))

    assert "1 k 300,000 operations / 300 s" in said
    assert "3 of 3" in said


def test_a_warm_up_is_proposed_and_not_applied(client):
    submission = measured()

    response = page(client, submission)

    assert response.context["windowed"] is None
    said = text(response)
    assert "The first 10 s, shaded in the chart, look like warm-up (MSER-5)" in said
    assert "(MSER-5): without them the throughput changes by +6.8 %." in said
    assert f"/submissions/{submission.pk}/?from=10#intervals" in links(response, "from=10")


def warm_ups(response):
    figure = next(one.figure for one in response.context["charts"] if one.key in ("intervals-chart", "overlay"))
    return [note["text"] for note in figure["layout"].get("annotations") or ()]


def test_the_warm_up_is_shaded_on_the_page_and_for_each_result_of_a_comparison(client):
    workload = WorkloadFactory()
    one, other, steady = measured(workload=workload), measured(workload=workload), SubmissionFactory(workload=workload)
    add_intervals(steady, [row(s, 1000) for s in range(1, 111)])

    assert warm_ups(page(client, one)) == ["warm-up"]
    assert warm_ups(page(client, steady)) == []
    response = compared(client, one, other, steady)
    assert warm_ups(response) == ["warm-up"]
    assert f"Shaded: the probable warm-up (MSER-5), #{one.pk} 10 s, #{other.pk} 10 s." in text(response)
    assert faults(response) == []


def test_a_short_run_explains_why_no_warm_up_is_detected(client):
    submission = SubmissionFactory()
    add_intervals(submission, WARM[:28])

    assert "MSER-5 needs 50 intervals, and the shortest series has 28." in text(page(client, submission))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"from": "x"}, "From (s): Enter a number such as 90 or 2.5, in seconds."),
        ({"to": "nan"}, "To (s): Enter a number such as 90 or 2.5, in seconds."),
        ({"from": "60", "to": "10"}, "From (s): 60 s is not before 10 s."),
        ({"from": "500"}, "From (s): 500 s is outside the run: it ended after 110 s."),
        ({"from": "50.2", "to": "50.9"}, "From (s): No interval lies entirely inside this window"),
    ],
)
def test_a_bad_window_is_named_on_both_pages(client, query, said):
    one, other = measured(), measured()

    for response in (page(client, one, **query), compared(client, one, other, **query)):
        assert response.status_code == 400
        assert said in text(response)
        assert faults(response) == []


def test_a_window_of_a_submission_without_intervals_is_refused(client):
    one, other = SubmissionFactory(), SubmissionFactory()

    for response in (page(client, one, **{"from": "3"}), compared(client, one, other, **{"from": "3"})):
        assert response.status_code == 400
        assert "There is no interval series, and therefore no window." in text(response)


def test_collections_and_errors_have_panels_and_columns_where_they_are_known(client):
    submission = SubmissionFactory()
    add_intervals(submission, [row(1, 100), row(2, 100, gc_count=1, gc_ms=13.0, errors=2)])

    response = page(client, submission)

    layout = response.context["charts"][0].figure["layout"]
    assert [layout[f"yaxis{n}"]["title"]["text"] for n in (3, 4)] == ["GC (ms)", "Errors"]
    table = text(response).split("Data of the chart")[1].split("Trials")[0].split("trial 1")
    assert table[0].replace(" ", "") == "SeriesTimesThroughputops/sp99msGCmsGCcollectionsErrorsoperations"
    assert [row.replace(" ", "") for row in table[1:]] == ["1100" + "4.0" + "000", "2100" + "4.0" + "1312"]


def test_an_older_file_without_them_has_neither(client):
    submission = SubmissionFactory()
    columns = (*COLUMNS[:1], "elapsed_seconds", "throughput_ops_s", "p99_ms")
    add_intervals(submission, [["total", 1.0, 100.0, 4.0], ["total", 2.0, 110.0, 4.0]], columns=columns)

    response = page(client, submission, **{"from": "1"})

    assert "yaxis3" not in response.context["charts"][0].figure["layout"]
    assert "From 1 s to 2 s the throughput was 110 ops/s" in text(response)
    assert "collections" not in text(response)


def test_curves_are_overlaid_in_one_chart_per_kind(client):
    one, other, bare = with_histograms(), with_histograms(), SubmissionFactory()

    response = compared(client, one, other, bare)

    assert [(chart.key, len(chart.figure["data"])) for chart in response.context["charts"][1:]] == [
        ("percentiles-service-time", 2),
        ("percentiles-response-time", 2),
    ]
    assert f"Summaries only, so no curve: #{bare.pk} (3× m3.2xlarge · AWS us-east-1)." in text(response)
    assert faults(response) == []


def test_another_workload_is_in_no_overlay(client):
    one, other = with_histograms(), with_histograms(workload=WorkloadFactory(title="other"))
    for submission in (one, other):
        add_intervals(submission, WARM)

    response = compared(client, one, other)

    assert response.context["charts"] == []


def test_runs_are_overlaid_and_a_window_applies_to_all(client):
    one, other = measured(), SubmissionFactory(throughput_ops_s=500.0)
    add_intervals(other, [row(s, 500) for s in range(1, 51)])

    response = compared(client, one, other, **{"from": "20", "to": "60"})

    assert [trace["name"] for trace in response.context["charts"][-1].figure["data"]][::2] == [
        f"#{one.pk}, trial 1",
        f"#{other.pk}, trial 1",
    ]
    over_time = response.context["over_time"]
    assert [(run.submission, found.throughput.mean, found.seconds) for run, found in over_time.windows] == [
        (one, 1000.0, 40.0),
        (other, 500.0, 30.0),
    ]
    assert f"/submissions/{other.pk}/?from=20&to=60#intervals" in links(response, "from=20&to=60")
    hidden = [("s", str(one.pk)), ("s", str(other.pk))]
    assert over_time.window_form.other_parameters == hidden
    assert faults(response) == []


def test_a_run_that_ended_before_the_window_is_named(client):
    one, other = measured(), SubmissionFactory()
    add_intervals(other, [row(s, 500) for s in range(1, 11)])

    assert "no complete interval in this window" in text(compared(client, one, other, **{"from": "20"}))
