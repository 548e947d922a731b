"""The scaling page: what an article's clusters show, one machine type a series, and what is left out."""

import pytest

from submissions.choices import Flag
from submissions.models import NodeGroup
from tests.factories import NodeGroupFactory, SubmissionFactory, WorkloadFactory
from tests.pages import faults, text

pytestmark = pytest.mark.django_db

URL = "/scaling/"
NETFLIX = ((48, 174373.0, 10), (96, 366828.0, 20), (144, 537172.0, 30), (288, 1099837.0, 60))


def cluster(nodes, rate, clients=1, **fields):
    return SubmissionFactory(node_count=nodes, throughput_ops_s=float(rate), client_count=clients, **fields)


@pytest.fixture
def netflix():
    return [cluster(*size, instance_type="m1.xlarge") for size in NETFLIX]


def points(response):
    return [
        (point.size.node_count, point.size.client_count, point.size.throughput_ops_s, point.size.n, point.newest)
        for point in response.context["series"].points
    ]


def test_the_clusters_of_2011_grow_in_a_straight_line(client, netflix):
    response = client.get(URL)

    content = text(response)
    assert (
        "288× m1.xlarge · AWS reaches 6.31 times the throughput of 48 nodes: scaling efficiency 105.1 % (super-linear)."
    ) in content
    assert "R² = 0.9998: nearly linear." in content
    assert "No throughput peak within range: no coherency loss detected." in content
    assert "Limited by the clients?No: the number of clients grew with the nodes" in content
    assert points(response) == [
        (*size[:1], size[2], size[1], 1, row.pk) for size, row in zip(NETFLIX, netflix, strict=True)
    ]


def test_one_client_at_both_sizes_is_probably_the_limit(client):
    cluster(3, 90748)
    cluster(6, 89100)

    content = text(client.get(URL))

    assert "The load clients were probably the limit, not the database." in content
    assert "Probably yes: with more nodes to talk to, each client did no more operations." in content
    assert "Not fitted: at least 4 sizes are needed." in content


def test_several_submissions_of_a_size_are_their_mean_and_counted(client):
    cluster(3, 90, clients=1)
    cluster(3, 110, clients=2)
    last = cluster(6, 180, clients=3)

    response = client.get(URL)

    assert points(response)[0][:4] == (3, None, 100.0, 2)
    assert points(response)[1] == (6, 3, 180.0, 1, last.pk)
    assert "1 to 2" in text(response)
    assert "90.0 %" in text(response)


def test_another_machine_or_cloud_is_another_series(client):
    cluster(3, 100)
    cluster(6, 200)
    cluster(12, 400)
    cluster(3, 150, provider="gce", instance_type="n1-standard-8")
    cluster(6, 300, provider="gce", instance_type="n1-standard-8")
    cluster(24, 9000, instance_type="i2.xlarge")

    first = client.get(URL)
    second = client.get(URL, {"provider": "gce", "instance_type": "n1-standard-8"})

    assert [series.key.name for series in first.context["result"].series] == [
        "m3.2xlarge · AWS",
        "n1-standard-8 · Google Cloud",
    ]
    assert first.context["series"].key.instance_type == "m3.2xlarge"
    assert [point[2] for point in points(second)] == [150.0, 300.0]
    assert {trace["name"] for trace in second.context["charts"][0].figure["data"]} == {
        "Linear scaling from the smallest",
        "n1-standard-8 · Google Cloud",
        "m3.2xlarge · AWS",
    }


def test_flagged_cached_relative_and_mixed_results_are_excluded_with_the_reason(client, netflix):
    cluster(24, 9e6, instance_type="m1.xlarge", flags=[Flag.RATE_MISMATCH])
    cluster(24, 9e6, instance_type="m1.xlarge", cache_node_count=6)
    mixed = cluster(24, 9e6, instance_type="m1.xlarge")
    NodeGroupFactory(submission=mixed, position=2, instance_type="m1.large", count=2)
    cluster(24, 1, instance_type="m1.xlarge", flags=[Flag.SHORT]).delete()
    SubmissionFactory(
        node_count=24, instance_type="m1.xlarge", throughput_ops_s=None, relative_throughput=2.0, relative_base="x"
    )

    response = client.get(URL)

    assert [point[0] for point in points(response)] == [48, 96, 144, 288]
    assert (
        "Excluded: 1 with a data-quality flag, 1 with a cache in front of the database "
        "and 1 with database nodes of several instance types."
    ) in text(response)


def test_what_else_differs_between_the_points_is_named(client):
    cluster(3, 100, disk_kind="gp2", jdk_version="8u51")
    cluster(6, 200, disk_kind="local-ssd", jdk_version=None)

    assert "Apart from the number of nodes, the results differ in JDK version and disk type." in text(client.get(URL))


def test_a_peak_beyond_the_sizes_is_marked_as_extrapolated(client):
    for nodes in (3, 6, 12, 24):
        cluster(nodes, 1000 * nodes / (1 + 0.02 * (nodes - 1) + 0.0005 * nodes * (nodes - 1)))

    response = client.get(URL)

    assert (
        "Throughput peaks at about 44.3 nodes; this is extrapolated, as the largest measured cluster has 24."
    ) in text(response)
    names = [trace["name"] for trace in response.context["charts"][0].figure["data"]]
    assert names == [
        "Linear scaling from the smallest",
        "Universal Scalability Law",
        "The law, extrapolated",
        "Peak of the law",
        "m3.2xlarge · AWS",
    ]


def test_the_selector_counts_the_submissions_in_series(client, netflix):
    other = WorkloadFactory(title="b")
    cluster(3, 100, workload=other)
    cluster(6, 100, workload=other)
    cluster(3, 100, workload=WorkloadFactory(title="one size"))

    response = client.get(URL)

    assert [(one.title, one.count) for one in response.context["workloads"]] == [
        (netflix[0].workload.title, 4),
        ("b", 2),
    ]


def test_a_workload_of_one_size_says_how_to_go_on(client, netflix):
    alone = cluster(3, 100, workload=WorkloadFactory(title="one size"))

    response = client.get(URL, {"workload": alone.workload.fingerprint})

    assert "This workload has not been measured on two cluster sizes of one instance type." in text(response)
    assert faults(response) == []


def test_an_empty_site_says_what_to_do(client):
    response = client.get(URL)

    assert "Upload logs of the same benchmark on clusters of different sizes" in text(response)
    assert faults(response) == []


def test_csv_and_json_of_the_page_are_those_of_the_api(client, netflix):
    response = client.get(URL, {"format": "csv"})
    csv = client.get(response["Location"])

    assert response["Location"] == "/api/v1/scaling/?format=csv"
    lines = b"".join(csv.streaming_content).decode().splitlines()
    assert lines[0] == (
        "node_count,client_count,throughput_ops_s,efficiency,per_node,per_client,n,curves,newest_submission,attribution"
    )
    assert lines[1] == f"48,10,174373.0,1.0,3632.7708333333335,17437.3,1,0,{netflix[0].pk},"
    assert len(lines) == 5


@pytest.mark.parametrize("query", ["workload=" + "x" * 17, "workload=%00", "provider=" + "x" * 51])
def test_a_bad_parameter_is_named(client, query):
    response = client.get(f"{URL}?{query}")

    assert response.status_code == 400
    assert f"{query.partition('=')[0]}:" in text(response)


def test_what_is_not_there_is_not_found(client, netflix):
    assert client.get(URL, {"workload": "0123456789abcdef"}).status_code == 404
    assert client.get(URL, {"provider": "gce"}).status_code == 404


def test_a_hostile_name_stays_text(client):
    cluster(3, 100, instance_type="<script>")
    cluster(6, 200, instance_type="<script>")

    assert faults(client.get(URL)) == []


def test_the_groups_of_a_row_stay_one_row(client):
    first = cluster(3, 100)
    cluster(6, 200)
    NodeGroup.objects.filter(submission=first, role="database").update(count=2)
    NodeGroupFactory(submission=first, position=5, count=1, instance_type=first.instance_type)

    assert [point[3] for point in points(client.get(URL))] == [1, 1]
