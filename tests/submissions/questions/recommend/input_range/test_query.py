"""Inputs that are ranges: the answer of the upper end, and what the lower end would save."""

import pytest

from tests.pages import faults, links, text
from tests.submissions.questions.recommend.results import cluster
from tests.submissions.questions.recommend.test_api import ASK, URL, ask, kinds

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows():
    return {
        "small": cluster(30_000.0, 31_000.0, usd="0.50", nodes=3, instance_type="small"),
        "large": cluster(70_000.0, 71_000.0, usd="1.50", nodes=3, instance_type="large"),
    }


def test_the_answer_is_that_of_the_upper_end_with_the_cost_of_both(client, rows):
    answer = ask(client, target_ops_s="20k-60k")

    single = ask(client, target_ops_s="60k")
    assert answer["answers"] == single["answers"]
    assert kinds(answer)["cheapest", False] == rows["large"].pk
    found = answer["range"]
    assert found["upper"] == {
        "target_ops_s": 60_000.0,
        "data_gib": None,
        "value_bytes": None,
        "submission": rows["large"].pk,
        "cluster": "3× large · AWS us-east-1",
        "usd_per_month": "3285.00",
    }
    assert (found["lower"]["target_ops_s"], found["lower"]["submission"]) == (20_000.0, rows["small"].pk)
    assert found["lower"]["usd_per_month"] == "1095.00"
    assert found["saves_usd_per_month"] == "2190.00"
    assert found["sentence"] == (
        "Upper end, 60 k ops/s: 3× large · AWS us-east-1 for $3,285/month. "
        "Lower end, 20 k ops/s: 3× small · AWS us-east-1 for $1,095/month; it would save $2,190/month."
    )
    assert single["range"] is None
    page = client.get("/recommend/", {**ASK, "target_ops_s": "20k-60k"})
    assert found["sentence"] in text(page)
    assert 'name="target_ops_s" value="20k-60k"' in page.content.decode()
    assert faults(page) == []


def test_a_range_in_an_address_of_the_page_stays_one(client, rows):
    page = client.get("/recommend/", {**ASK, "target_ops_s": "20k-60k"})

    assert links(page, "target_ops_s=20000-60000")
    [sizes] = links(page, "/recommend/sizes/")
    assert "target_ops_s=60000" in sizes
    assert client.get(sizes).status_code == 200


def test_a_range_that_one_cluster_covers_saves_nothing(client, rows):
    answer = ask(client, target_ops_s="20k-25k")

    assert answer["range"]["saves_usd_per_month"] == "0.00"
    assert answer["range"]["sentence"].endswith("the same cluster; it would save nothing.")


def test_an_upper_end_without_an_answer_shows_what_the_lower_end_costs(client, rows):
    answer = ask(client, target_ops_s="20k-900k")

    assert answer["answers"] == []
    assert (answer["range"]["upper"]["submission"], answer["range"]["saves_usd_per_month"]) == (None, None)
    assert answer["range"]["lower"]["submission"] == rows["small"].pk
    assert answer["range"]["sentence"] == (
        "Upper end, 900 k ops/s: no measured cluster. Lower end, 20 k ops/s: 3× small · AWS us-east-1 for $1,095/month."
    )


@pytest.mark.parametrize("value", ["60k-20k", "20-60k", "20k-", "20k-many", "0-5"])
def test_a_wrong_range_is_refused_by_its_name(client, value):
    response = client.get(URL, {**ASK, "target_ops_s": value})

    assert response.status_code == 400
    assert [error["pointer"] for error in response.json()["errors"]] == ["#/target_ops_s"]
