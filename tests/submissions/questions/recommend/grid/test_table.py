"""What a p99 costs on the page of recommendations, while nothing is asked."""

import pytest

from tests.pages import faults, links, text
from tests.submissions.questions.recommend.results import READS, cluster, workload

pytestmark = pytest.mark.django_db


def test_the_page_without_a_question_shows_what_each_database_costs(client):
    row = cluster(60_000.0, usd="2.00", nodes=3, instance_type="fast")

    response = client.get("/recommend/")

    page = text(response)
    assert "What a p99 costs" in page
    assert "Apache Cassandra at 10 k ops/s with p99 ≤ 10 ms costs from $4,380 a month." in page
    assert "3× fast · AWS us-east-1" in page
    assert "nothing measured" in page
    assert row.get_absolute_url() in links(response)
    assert "/recommend/?service=cassandra&target_ops_s=10000&max_p99_ms=10" in links(response)
    assert faults(response) == []


def test_the_p99_is_chosen_with_one_click(client):
    cluster(60_000.0, latency_p99_ms=30.0)

    start = client.get("/recommend/")
    assert "none keeps 10 ms" in text(start)
    for limit in ("1", "5", "10", "20", "50", "none"):
        assert f"/recommend/?max_p99_ms={limit}" in links(start) or f"?max_p99_ms={limit}" in links(start)

    assert "with any p99 costs from" in text(client.get("/recommend/", {"max_p99_ms": "none"}))


def test_it_is_not_on_the_first_page_nor_beside_an_answer(client):
    cluster(60_000.0)

    for address in ("/", "/recommend/?service=cassandra"):
        assert "What a p99 costs</h2>" not in client.get(address).content.decode()


def test_an_empty_site_says_what_to_do(client):
    response = client.get("/recommend/")

    assert "Run a benchmark on this site, or upload the log of one. Plan a run Upload a log" in text(response)
    assert {"/runs/new/", "/submissions/new/"} <= set(links(response))
    assert faults(response) == []


def test_a_database_that_no_usual_rate_or_limit_fits_has_its_cheapest_cluster_all_the_same(client):
    cluster(60_000.0, usd="2.00", nodes=3, instance_type="fast")
    slow = workload("slow", READS, service="mongodb")
    cluster(800.0, workload=slow, usd="1.00", nodes=3, instance_type="dear", latency_p99_ms=25.5)
    cluster(700.0, workload=slow, usd="0.50", nodes=3, instance_type="cheap", latency_p99_ms=25.5)

    response = client.get("/recommend/")

    assert "MongoDB: 3× cheap · AWS us-east-1 reaches 700 ops/s at p99 25.5 ms for $1,095/month." in text(response)
    assert "Apache Cassandra: " not in text(response)
    assert "/recommend/?service=mongodb" in links(response)
    assert faults(response) == []


def test_what_is_refused_shows_no_table(client):
    response = client.get("/recommend/", {"max_p99_ms": "slow"})

    assert response.status_code == 400
    assert "What a p99 costs</h2>" not in response.content.decode()
