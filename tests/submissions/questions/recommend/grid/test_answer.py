"""What a p99 costs as CSV and as JSON."""

import csv
import io

import pytest

from tests.submissions.questions.recommend.results import cluster

pytestmark = pytest.mark.django_db


def test_the_csv_has_a_row_for_each_cell_and_nothing_where_there_is_a_gap(client):
    cluster(60_000.0, usd="2.00", nodes=3, instance_type="fast")

    response = client.get("/recommend/", {"format": "csv"}, follow=True)

    rows = list(csv.DictReader(io.StringIO(b"".join(response).decode())))
    any_work = [row for row in rows if row["work"] == ""]
    assert [row["target_ops_s"] for row in any_work] == ["10000.0", "50000.0", "100000.0", "500000.0"]
    assert [row["answer_usd_per_month"] for row in any_work] == ["4380.00", "4380.00", "", ""]
    assert [row["gap"] for row in any_work] == ["", "", "too_slow", "too_slow"]
    assert any_work[0]["answer_cluster"] == "3× fast · AWS us-east-1"


def test_the_json_says_it_in_a_sentence_and_at_which_prices(client):
    cluster(60_000.0, usd="2.00", nodes=3)

    answer = client.get("/api/v1/recommend/").json()

    assert answer["sentence"] == "Apache Cassandra at 10 k ops/s with p99 ≤ 10 ms costs from $4,380 a month."
    assert (answer["basis"], answer["max_p99_ms"]) == ("on_demand", 10.0)
    assert answer["prices_on"]
