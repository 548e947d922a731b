"""The history page: a workload on equal clusters in the order of measurement, changes and what changed beside them."""

import csv
import io
import random
from datetime import UTC, datetime, timedelta

import pytest

from submissions.choices import Flag, LatencyKind, Trust
from submissions.models import Submission
from submissions.questions.history.query import MOST_POINTS
from submissions.records.lines import line_of
from tests.factories import SubmissionFactory, WorkloadFactory
from tests.pages import faults, links, text

pytestmark = pytest.mark.django_db

URL = "/history/"
API = "/api/v1/history/"
START = datetime(2015, 1, 1, 12, tzinfo=UTC)


def point(day, rate, **facts):
    return SubmissionFactory(
        measured_at=None if day is None else START + timedelta(days=day), throughput_ops_s=rate, **facts
    )


def noise(count, mean, seed=1):
    draw = random.Random(seed)
    return [draw.gauss(mean, mean * 0.02) for _ in range(count)]


@pytest.fixture
def step():
    """Ten days at 100,000 on one version, ten at 115,000 on the next, with a new JDK; 2 % noise."""
    before = [point(day, rate) for day, rate in enumerate(noise(10, 100_000.0))]
    after = [
        point(day, rate, service_version="2.2.0", jdk_version="8u60", latency_p99_ms=3.0)
        for day, rate in enumerate(noise(10, 115_000.0), start=10)
    ]
    return before, after


def ids(response):
    return [point["row"].pk for point in response.context["points"]]


def test_a_step_is_found_with_its_size_its_means_and_what_changed_with_it(client, step):
    before, after = step

    body = client.get(API).json()

    (change,) = body["throughput_changes"]
    assert change == {
        "submission": after[0].pk,
        "at": "2015-01-11T12:00:00+00:00",
        "percent": pytest.approx(15.0, abs=1e-6),  # the same noise on both sides
        "mean_before": pytest.approx(sum(row.throughput_ops_s for row in before) / 10),
        "mean_after": pytest.approx(sum(row.throughput_ops_s for row in after) / 10),
        "n_before": 10,
        "n_after": 10,
        "with_it": ["database version 2.1.8 → 2.2.0", "JDK oracle 8u51 → oracle 8u60"],
    }
    # p99 fell from 4 to 3 ms without any noise
    assert [one["percent"] for one in body["p99_changes"]] == [pytest.approx(-25.0)]


def test_the_page_states_it_in_one_sentence_and_marks_it_in_chart_and_table(client, step):
    _, after = step

    response = client.get(URL)
    content = text(response)

    assert faults(response) == []
    assert (
        "Throughput of 3× m3.2xlarge · AWS us-east-1, local-ssd, 1 client, native network, 200 threads changed once in "
        "20 measurements (2015-01-01 to 2015-01-20): by +15.0 % on 2015-01-11, from"
    ) in content
    assert "together with database version 2.1.8 → 2.2.0 and JDK oracle 8u51 → oracle 8u60." in content
    throughput, latency = response.context["charts"]
    assert [note["text"] for note in throughput.figure["layout"]["annotations"]] == ["+15.0 %", "2.1.8", "2.2.0"]
    assert len(throughput.figure["data"]) == 3  # the points and two levels
    assert [row["changes"] for row in response.context["points"] if row["row"].pk != after[0].pk] == [[]] * 19
    assert latency.label == f"p99 service time: 1 change in 20 results: −25.0 % at #{after[0].pk}."


def test_points_without_a_change_say_so(client):
    for day, rate in enumerate(noise(12, 100_000.0)):
        point(day, rate)

    assert "no change beyond noise in 12 measurements, 2015-01-01 to 2015-01-12." in text(client.get(URL))


@pytest.mark.parametrize("count", [2, 9])
def test_below_ten_points_nothing_is_judged_and_the_page_states_what_is_missing(client, count):
    for day in range(count):
        point(day, 100_000.0 if day % 2 else 200_000.0)

    response = client.get(URL)

    assert "too few to tell a change from noise. At least 10 are needed." in text(response)
    assert f"Throughput: {count} results; at least 10 are needed to detect changes." in text(response)
    assert client.get(API).json()["throughput_changes"] is None


def test_the_order_is_that_of_the_measurement_not_of_the_upload(client):
    made = [point(day, 100.0) for day in (5, 1, 3)]

    assert ids(client.get(URL)) == [made[1].pk, made[2].pk, made[0].pk]


@pytest.mark.parametrize(
    "facts",
    [
        {"provider": "gce"}, {"region": "eu-west-1"}, {"region": None}, {"instance_type": "m3.xlarge"},
        {"node_count": 6}, {"cache_node_count": 2}, {"client_count": 2}, {"disk_kind": "gp2"},
        {"network_kind": "virtual"}, {"network_encryption": "node"}, {"threads": 400},
    ],
)  # fmt: skip
def test_another_cluster_or_load_is_another_line(client, facts):
    two = [point(day, 100.0) for day in (1, 2)]
    other = point(3, 900.0, **facts)

    assert ids(client.get(URL)) == [row.pk for row in two]
    assert ids(client.get(URL, {"like": other.pk})) == [other.pk]


@pytest.mark.parametrize(
    "facts",
    [{"service_version": "3.0"}, {"jdk_version": "11"}, {"tool_version": "3.0"}, {"cpu_model": "x"}, {"title": "y"}],
)
def test_versions_vary_along_a_line(client, facts):
    two = [point(1, 100.0), point(2, 100.0, **facts)]

    assert ids(client.get(URL)) == [row.pk for row in two]


def test_another_workload_is_another_history(client):
    for day in (1, 2, 3):
        point(day, 100.0, workload=WorkloadFactory(title="a"))
    two = [point(day, 100.0, workload=WorkloadFactory(title="b")) for day in (1, 2)]

    first = client.get(URL)
    second = client.get(URL, {"workload": two[0].workload.fingerprint})

    assert [(one.title, one.count) for one in first.context["question"].workloads] == [("a", 3), ("b", 2)]
    assert len(ids(first)) == 3
    assert ids(second) == [row.pk for row in two]


def test_undated_doubtful_relative_and_retracted_ones_are_no_points_and_are_counted(client):
    two = [point(day, 100.0) for day in (1, 2)]
    point(None, 900.0)
    point(3, 900.0, flags=[Flag.TRUNCATED])
    point(3, 900.0, retracted_at=START)
    point(3, None, relative_throughput=1.0, relative_base="x")

    response = client.get(URL)

    assert ids(response) == [row.pk for row in two]
    assert "Excluded: 1 with a data-quality flag and 1 without a measurement date." in text(response)


def test_one_kind_of_latency_at_a_time(client):
    for day in range(3):
        point(day, 100.0)
    other = [point(day, 100.0, latency_kind=LatencyKind.RESPONSE_TIME, latency_p99_ms=50.0) for day in (3, 4)]

    default, asked = client.get(URL), client.get(URL, {"latency_kind": "response_time"})

    assert [row["has_latency"] for row in default.context["points"]] == [True, True, True, False, False]
    assert "2 of 5 results have no p99 service time." in text(default)
    assert list(asked.context["result"].latency.points) == other
    assert [trace["y"] for trace in asked.context["charts"][1].figure["data"]] == [[50.0, 50.0]]


def test_latencies_of_unknown_kind_make_no_history(client):
    for day in (1, 2):
        point(day, 100.0, latency_kind=LatencyKind.UNKNOWN)

    response = client.get(URL)

    assert [panel["key"] for panel in response.context["panels"]] == ["throughput"]
    assert "There is no history of latency: no p99 has a known latency kind." in text(response)


def test_intervals_are_error_bars_where_there_are_trials(client):
    point(1, 100.0)
    point(2, 100.0, trials_count=3, throughput_low_ops_s=90.0, throughput_high_ops_s=115.0)

    chart = client.get(URL).context["charts"][0]

    bars = chart.figure["data"][0]["error_y"]
    assert (bars["array"], bars["arrayminus"]) == ([None, 15.0], [None, 10.0])
    assert "1 of 2 results has a single trial, and therefore no interval." in chart.caveats


def test_csv_has_the_points_with_exact_values(client, step):
    before, after = step

    response = client.get(API, {"format": "csv"})

    assert response["Content-Type"] == "text/csv; charset=utf-8"
    lines = list(csv.DictReader(io.StringIO(response.getvalue().decode())))
    assert [int(line["submission"]) for line in lines] == [row.pk for row in (*before, *after)]
    assert lines[0] == {
        "submission": str(before[0].pk), "measured_at": "2015-01-01T12:00:00+00:00", "service_version": "2.1.8",
        "jdk": "oracle 8u51", "tool_version": "2.1.8", "cpu_model": "", "trials_count": "1",
        "averaged_over": "",
        "throughput_ops_s": str(before[0].throughput_ops_s), "throughput_low_ops_s": "", "throughput_high_ops_s": "",
        "latency_p99_ms": "4.0", "latency_p99_at_most_ms": "4.0", "latency_p99_is_bound": "false",
        "latency_kind": "service_time", "throughput_change_percent": "",
        "p99_change_percent": "", "license": "", "attribution": "", "pack": "",
    }  # fmt: skip
    assert float(lines[10]["throughput_change_percent"]) == pytest.approx(15.0, abs=1e-6)


def test_a_formula_in_a_version_is_no_formula_in_the_csv(client):
    for day in (1, 2):
        point(day, 100.0, service_version="=cmd()")

    assert ",'=cmd()," in client.get(API, {"format": "csv"}).getvalue().decode()


def test_the_address_keeps_the_state(client, step):
    response = client.get(URL, {"like": step[0][0].pk, "latency_kind": "service_time"})

    again = client.get(URL + response.context["charts"][0].query)

    assert again.context["finding"] == response.context["finding"]
    assert again.context["question"].state == response.context["question"].state
    token = line_of(step[0][0]).token
    assert response.context["question"].state == {
        "workload": step[0][0].workload.fingerprint,
        "cluster": token,
        "latency_kind": "service_time",
    }


@pytest.mark.parametrize("rates", [(), (100.0,)])
def test_nothing_to_follow_says_what_to_do(client, rates):
    for day, rate in enumerate(rates):
        point(day, rate)

    response = client.get(URL)

    assert response.status_code == 200
    assert "No workload has two dated results with a raw log on equal clusters yet." in text(response)
    assert faults(response) == []


def test_a_workload_without_a_dated_submission_says_so(client):
    made = point(None, 100.0)

    assert "This workload has no result with a raw log and a measurement date yet." in text(
        client.get(URL, {"workload": made.workload.fingerprint})
    )


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("workload=" + "x" * 17, "workload"),
        ("workload=%00", "workload"),
        ("cluster=" + "x" * 13, "cluster"),
        ("latency_kind=unknown", "latency_kind"),
        ("like=0", "like"),
        ("like=x", "like"),
        ("like=99999999999999999999", "like"),
        ("format=xml", "format"),
    ],
)
def test_a_bad_parameter_is_named(client, query, named):
    response = client.get(f"{URL}?{query}")

    assert response.status_code == 400
    assert f"{named}:" in text(response)


def test_what_is_not_there_is_not_found(client):
    made = point(1, 100.0)
    gone = point(1, 100.0, retracted_at=START)

    for query in (
        {"workload": "0123456789abcdef"},
        {"workload": made.workload.fingerprint, "cluster": "0123456789ab"},
        {"like": gone.pk},
        {"like": 987654321},
    ):
        assert client.get(URL, query).status_code == 404


def test_the_page_of_a_submission_leads_to_its_history_only_where_there_is_one(client):
    alone = point(1, 100.0, node_count=9)
    first, _ = point(1, 100.0), point(2, 100.0)

    assert links(client.get(alone.get_absolute_url()), r"/history/\?") == []
    assert links(client.get(first.get_absolute_url()), r"/history/\?") == [f"/history/?like={first.pk}"]


def test_it_opens_on_the_newest_workload_with_raw_logs_of_two_systems(client, clear_cache):
    new, old, article, single = (WorkloadFactory(title=title) for title in ("new", "old", "article", "single"))
    for day in (1, 2):
        for machine in ("m5.xlarge", "m6i.xlarge"):
            point(4000 + day, 100.0, workload=new, instance_type=machine)
            point(3000 + day, 100.0, workload=old, instance_type=machine)
            point(3100 + day, 100.0, workload=old, instance_type=machine)
            point(4100 + day, 100.0, workload=article, instance_type=machine, trust=Trust.HISTORICAL)
        point(4200 + day, 100.0, workload=single)

    assert client.get(API).json()["workload_title"] == "new"
    choices = client.get(URL).context["question"].workloads
    assert [(one.title, one.count) for one in choices] == [("new", 4), ("old", 8), ("article", 4), ("single", 2)]


def test_the_points_are_bounded(client, monkeypatch):
    monkeypatch.setattr("submissions.questions.history.query.MOST_POINTS", 20)
    monkeypatch.setattr("submissions.questions.history.sentences.MOST_POINTS", 20)
    for day in range(25):
        point(day, 100.0)

    response = client.get(URL)

    assert MOST_POINTS == 500
    assert ids(response) == list(Submission.objects.order_by("pk").values_list("pk", flat=True)[5:])
    assert "Only the newest 20 results are used." in text(response)


@pytest.mark.parametrize("wanted", ["csv", "json"])
def test_a_page_that_is_asked_for_a_format_redirects_to_the_api(client, wanted):
    response = client.get(URL, {"workload": "0123456789abcdef", "format": wanted})

    address = f"/api/v1/history/?workload=0123456789abcdef&format={wanted}"
    assert (response.status_code, response["Location"]) == (302, address)


def test_the_api_answers_with_nulls_where_there_is_no_dated_result(client):
    body = client.get(API).json()

    assert (body["workload"], body["cluster"], body["points"], body["p99_changes"]) == (None, None, [], None)


@pytest.mark.parametrize("name", ["workload", "cluster", "like"])
def test_the_api_names_what_does_not_exist(client, name):
    made = point(1, 100.0)
    query = {"workload": made.workload.fingerprint, name: {"cluster": "0123456789ab", "like": 987654321}.get(name, "0")}

    response = client.get(API, query)

    assert (response.status_code, response.json()["errors"][0]["pointer"]) == (400, f"#/{name}")
