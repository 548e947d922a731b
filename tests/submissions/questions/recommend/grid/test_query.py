"""What a p99 costs: each cell is the answer of a recommendation, and a gap says why it is one."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from submissions.aggregates.store import refresh
from submissions.choices import LatencyKind
from tests.public_pack import with_all_runs
from tests.submissions.questions.recommend.results import READS, cluster, workload

pytestmark = pytest.mark.django_db

URL = "/api/v1/recommend/"
RATES = [10_000, 50_000, 100_000, 500_000]


def grid(client, **changes):
    response = client.get(URL, changes)
    assert response.status_code == 200, response.content
    return response.json()["grid"]


def cells_of(client, work=None, **changes):
    """By rate: the submission, or the gap."""
    return {
        cell["target_ops_s"]: cell["answer"]["submission"] if cell["answer"] else cell["gap"]
        for cell in grid(client, **changes)
        if cell["work"] == work
    }


def cheapest(client, cell, **changes):
    """What a recommendation answers to the question of a cell."""
    names = ("service", "work", "target_ops_s", "max_p99_ms")
    asked = {name: cell[name] for name in names if cell[name] is not None}
    answers = client.get(URL, {**asked, **changes}).json()["answers"]
    return near(next((each for each in answers if each["kind"] == "cheapest"), None))


def near(answer):
    """Sums of the same numbers in another order differ in their last digit."""
    chances = ("likelihood", "likelihood_assumed")
    known = {name: pytest.approx(answer[name], rel=1e-9) for name in chances if answer and answer[name] is not None}
    return answer and {**answer, **known, "month": None}  # which the table does not have


def test_every_cell_of_the_published_results_is_what_its_question_answers(client):
    with_all_runs()
    cells = grid(client)

    for cell in cells:
        assert cell["answer"] == cheapest(client, cell), cell
        assert (cell["answer"] is None) == (cell["gap"] is not None)
    assert sum(cell["answer"] is not None for cell in cells) > 10
    assert sum(cell["answer"] is None for cell in cells) > 10


@pytest.mark.parametrize("changes", [{"max_p99_ms": "none"}, {"prices": "then", "max_p99_ms": "20"}])
def test_so_is_every_cell_of_all_work_at_other_limits_and_prices(client, changes):
    with_all_runs()
    others = {name: value for name, value in changes.items() if name != "max_p99_ms"}

    for cell in grid(client, **changes):
        if cell["work"] is None:
            assert cell["answer"] == cheapest(client, cell, **others), cell


def test_a_database_has_a_row_of_all_its_work_and_one_for_each_kind(client):
    cluster(60_000.0)
    cluster(20_000.0, workload=workload("reads", READS))
    cluster(20_000.0, workload=workload("unknown", None, service="redis"))

    rows = {(cell["service"], cell["work"]) for cell in grid(client)}

    assert rows == {("cassandra", None), ("cassandra", "mixed"), ("cassandra", "reads"), ("redis", None)}
    assert [cell["target_ops_s"] for cell in grid(client)[:4]] == RATES


def test_a_gap_says_why_it_is_one(client):
    fast = cluster(60_000.0, usd="2.00", instance_type="fast")
    cluster(120_000.0, instance_type="late", latency_p99_ms=30.0)
    cluster(600_000.0, instance_type="blind", latency_p99_ms=None, latency_kind=LatencyKind.UNKNOWN)

    assert cells_of(client) == {10_000: fast.pk, 50_000: fast.pk, 100_000: "over_limit", 500_000: "p99_unknown"}
    assert cells_of(client, max_p99_ms=1)[10_000] == "over_limit"
    assert cells_of(client, provider="gce") == dict.fromkeys(RATES, "too_slow")
    assert cells_of(client, budget_usd_month=1)[10_000] == "over_budget"
    words = {cell["gap"]: cell["gap_words"] for cell in grid(client)}
    assert words == {None: "", "over_limit": "none keeps 10 ms", "p99_unknown": "p99 not known"}


def test_a_cluster_without_a_price_is_a_gap_and_costs_not_nothing(client):
    cluster(60_000.0, usd=None)

    assert cells_of(client)[10_000] == "unpriced"


def test_without_a_limit_it_is_10_ms_and_none_is_no_limit(client):
    late = cluster(60_000.0, latency_p99_ms=30.0)

    assert cells_of(client)[10_000] == "over_limit"
    assert cells_of(client, max_p99_ms=50)[10_000] == late.pk
    assert cells_of(client, max_p99_ms="none")[10_000] == late.pk
    assert {cell["max_p99_ms"] for cell in grid(client)} == {10.0}
    assert {cell["max_p99_ms"] for cell in grid(client, max_p99_ms="none")} == {None}


def test_a_rate_and_a_kind_of_work_are_the_only_ones_then(client):
    cluster(60_000.0)
    cluster(60_000.0, workload=workload("reads", READS))

    cells = grid(client, target_ops_s=30_000, work="reads")

    assert {(cell["work"], cell["target_ops_s"]) for cell in cells} <= {(None, 30_000.0), ("reads", 30_000.0)}


def test_more_results_take_no_more_queries(client):
    def queries():
        refresh()
        with CaptureQueriesContext(connection) as captured:
            grid(client)
        return len(captured)

    cluster(60_000.0)
    few = queries()
    for number in range(12):
        cluster(60_000.0 + number, workload=workload(str(number), READS, service=f"db{number}"))

    assert queries() <= few
