"""GET scaling/: one series of one workload, exactly the contract's keys, and every bad parameter by name."""

import re
from datetime import UTC, datetime

import pytest

from submissions.choices import Trust
from tests.factories import SubmissionFactory, WorkloadFactory

pytestmark = pytest.mark.django_db

URL = "/api/v1/scaling/"
NETFLIX = ((48, 174373.0, 10), (96, 366828.0, 20), (144, 537172.0, 30), (288, 1099837.0, 60))


def cluster(nodes, rate, clients=1, **fields):
    return SubmissionFactory(node_count=nodes, throughput_ops_s=float(rate), client_count=clients, **fields)


@pytest.fixture
def netflix():
    return [cluster(*size, instance_type="m1.xlarge") for size in NETFLIX]


def test_a_series_has_its_points_line_law_and_clients(client, netflix):
    body = client.get(URL, {"workload": netflix[0].workload.fingerprint}).json()

    assert {name: body[name] for name in ("provider", "instance_type", "client_bound", "differs")} == {
        "provider": "aws",
        "instance_type": "m1.xlarge",
        "client_bound": False,
        "differs": [],
    }
    assert body["points"][3] == {
        "node_count": 288,
        "client_count": 60,
        "throughput_ops_s": 1099837.0,
        "efficiency": pytest.approx(1.0512302172163503),
        "per_node": pytest.approx(3818.878472222222),
        "per_client": pytest.approx(18330.616666666665),
        "n": 1,
        "curves": 0,
        "newest_submission": netflix[3].pk,
    }
    assert body["linearity_r2"] == pytest.approx(0.9997801069083387)
    assert body["usl"] == {"lambda": pytest.approx(3799.402916666667), "sigma": 0, "kappa": 0, "peak_nodes": None}


def test_without_a_workload_the_one_with_the_most_in_series_is_shown_and_named(client, netflix):
    other = WorkloadFactory(title="b")
    for nodes in (3, 6, 12):
        cluster(nodes, 100, workload=other, trust=Trust.HISTORICAL)

    body = client.get(URL).json()

    assert (body["workload"], body["workload_title"]) == (netflix[0].workload.fingerprint, netflix[0].workload.title)


def test_it_opens_on_the_newest_workload_with_raw_logs_and_three_sizes(client, netflix, clear_cache):
    three, two, old = (WorkloadFactory(title=title) for title in ("three", "two", "old"))
    for nodes in (3, 6, 12):
        cluster(nodes, 100 * nodes, workload=three, measured_at=datetime(2026, 5, nodes, tzinfo=UTC))
        cluster(nodes, 100 * nodes, workload=old, measured_at=datetime(2025, 5, nodes, tzinfo=UTC))
        cluster(nodes, 101 * nodes, workload=old, measured_at=datetime(2025, 6, nodes, tzinfo=UTC))
    for nodes in (3, 6):
        cluster(nodes, 100 * nodes, workload=two, measured_at=datetime(2026, 9, nodes, tzinfo=UTC))

    assert client.get(URL).json()["workload_title"] == "three"
    page = client.get("/scaling/").content.decode()
    options = re.findall(r'<option value="\w{16}"[^>]*>([^<(]+)', page)
    assert [option.strip() for option in options][:2] == ["three", "old"]  # then by the number of results


def test_without_a_machine_the_series_with_the_most_sizes_is_shown_and_the_others_are_named(client):
    for nodes in (3, 6):
        cluster(nodes, nodes * 100, provider="gce", instance_type="n1-standard-8")
        cluster(nodes, nodes * 100, provider="gce", instance_type="n1-standard-8")
    for nodes in (3, 6, 12):
        cluster(nodes, nodes * 10)

    first = client.get(URL).json()
    second = client.get(URL, {"provider": "gce"}).json()

    assert (first["instance_type"], len(first["points"])) == ("m3.2xlarge", 3)
    assert first["series"] == [
        {"provider": "aws", "instance_type": "m3.2xlarge", "sizes": 3, "submissions": 3},
        {"provider": "gce", "instance_type": "n1-standard-8", "sizes": 2, "submissions": 4},
    ]
    assert (second["instance_type"], second["linearity_r2"], second["usl"]) == ("n1-standard-8", None, None)


def test_a_client_that_was_the_ceiling_is_found(client):
    cluster(3, 90748)
    cluster(6, 89100)

    assert client.get(URL).json()["client_bound"] is True


def test_an_unknown_number_of_clients_tells_nothing(client):
    cluster(3, 100, clients=None)
    cluster(6, 100, clients=None)

    body = client.get(URL).json()

    assert body["client_bound"] is None
    assert [(point["client_count"], point["per_client"]) for point in body["points"]] == [(None, None)] * 2


def test_a_workload_of_one_size_and_an_empty_site_have_no_points(client, netflix):
    alone = cluster(3, 100, workload=WorkloadFactory(title="one size"))

    body = client.get(URL, {"workload": alone.workload.fingerprint}).json()

    nothing = {"points": [], "linearity_r2": None, "usl": None, "client_bound": None}
    assert {name: body[name] for name in nothing} == nothing
    for row in netflix:
        row.workload.submissions.update(retracted_at="2020-01-01T00:00:00Z")
    assert client.get(URL).json()["workload"] is None


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("workload=0123456789abcdef", "#/workload"),
        ("workload=" + "x" * 17, "#/workload"),
        ("provider=gce", "#/provider"),
        ("provider=aws&instance_type=c1.medium", "#/instance_type"),
        ("instance_type=%00", "#/instance_type"),
        ("instance=m1.xlarge", "#/instance"),
    ],
)
def test_a_bad_parameter_is_named(client, faults, netflix, query, pointer):
    assert list(faults(client.get(f"{URL}?{query}"))) == [pointer]
