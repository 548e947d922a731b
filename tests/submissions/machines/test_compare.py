"""Two machine types side by side."""

import pytest

from submissions.choices import LatencyKind
from tests.factories import SubmissionFactory, WorkloadFactory
from tests.machines import measured
from tests.pages import faults, links, text
from tests.queries import queries_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("types")]

URL = "/machines/compare/"
BOTH = {"a": "aws:i4i.2xlarge", "b": "gce:z3-highmem-8-highlssd"}


def on_both(title="ycsb a", **of_b):
    workload = WorkloadFactory(title=title)
    a = measured(workload=workload, throughput_ops_s=50_000.0)
    fields = {"throughput_ops_s": 100_000.0, **of_b}
    b = measured("z3-highmem-8-highlssd", "gce", workload=workload, **fields)
    return a, b


def test_facts_and_prices_of_both_stand_side_by_side(client):
    response = client.get(URL, BOTH)

    words = text(response)
    assert "z3-highmem-8-highlssd costs $841/month on demand, i4i.2xlarge $501/month: 1.68 times as much." in words
    assert "No workload has comparable results on both." in words
    assert {"/machines/aws/i4i.2xlarge/", "/machines/gce/z3-highmem-8-highlssd/"} <= set(links(response))
    assert faults(response) == []


def test_results_under_the_same_workload_get_the_verdict_of_every_page(client):
    a, b = on_both()
    measured(workload=WorkloadFactory(title="only on one"))
    response = client.get(URL, BOTH)
    [pair] = response.context["result"].pairs

    own = client.get("/api/v1/compare/", {"a": a.pk, "b": b.pk}).json()
    ratio = pair.comparison.throughput
    assert (pair.a, pair.b) == (a, b)
    assert ratio.ratio == pytest.approx(2.0)
    assert ratio.judgement.verdict == own["throughput"]["verdict"]
    assert ratio.judgement.interval == pytest.approx(tuple(own["throughput"]["interval"]))
    assert f"/compare/?s={a.pk}&s={b.pk}" in links(response)
    assert faults(response) == []


def test_clusters_of_as_many_nodes_are_compared_before_better_ones(client):
    workload = WorkloadFactory(title="ycsb a")
    a = measured(workload=workload, node_count=3)
    b = measured("z3-highmem-8-highlssd", "gce", workload=workload, node_count=3, throughput_ops_s=10_000.0)
    measured("z3-highmem-8-highlssd", "gce", workload=workload, node_count=6, throughput_ops_s=900_000.0)

    [pair] = client.get(URL, BOTH).context["result"].pairs

    assert (pair.a, pair.b) == (a, b)


def test_latencies_of_two_kinds_are_not_compared(client):
    on_both(latency_kind=LatencyKind.RESPONSE_TIME)

    [pair] = client.get(URL, BOTH).context["result"].pairs

    assert pair.comparison.latency_p99 is None
    assert pair.comparison.throughput is not None


def test_more_workloads_cost_no_more_queries(client):
    on_both()
    client.get(URL, BOTH)
    SubmissionFactory()
    one = queries_of(lambda: client.get(URL, BOTH))
    for number in range(3):
        on_both(f"workload {number}")
    client.get(URL, BOTH)
    SubmissionFactory()

    assert queries_of(lambda: client.get(URL, BOTH)) <= one


@pytest.mark.parametrize("b", ["z3-highmem-8-highlssd", "gcp:z3-highmem-8-highlssd"])
def test_a_name_without_its_provider_or_with_another_word_for_it_is_enough(client, b):
    result = client.get(URL, {"a": "i4i.2xlarge", "b": b}).context["result"]

    assert [str(side.machine.key) for side in result.sides] == [BOTH["a"], BOTH["b"]]


def test_an_unknown_side_is_a_404_that_keeps_the_other(client):
    response = client.get(URL, {"a": "aws:i4i.2xlarge", "b": "gce:z3-highmem-8"})

    assert response.status_code == 404
    assert "/machines/compare/?a=aws:i4i.2xlarge&b=gce:z3-highmem-8-highlssd" in links(response)


def test_without_two_types_there_is_a_form_and_one_type_twice_is_refused(client):
    assert client.get(URL).status_code == client.get(URL, {"a": BOTH["a"]}).status_code == 200
    assert client.get(URL, {"a": BOTH["a"], "b": BOTH["a"]}).status_code == 400
