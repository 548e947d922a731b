"""What is compared: clients on the database's machine, pipelines and results without a p99 do not mix with others."""

import pytest

from tests.pages import text
from tests.submissions.questions.recommend.results import MIXED, cluster, workload
from tests.submissions.questions.recommend.test_api import ASK, ask, kinds

pytestmark = pytest.mark.django_db


def test_a_client_on_the_machine_of_the_database_answers_only_where_no_other_one_does(client):
    here = cluster(500_000.0, provider="local", region=None, usd=None, nodes=1, instance_type="amd-epyc")
    there = cluster(120_000.0, instance_type="networked")

    assert set(kinds(ask(client)).values()) == {there.pk}
    assert kinds(ask(client, target_ops_s=400_000)) == {("fastest", False): here.pk}
    page = text(client.get("/recommend/", {**ASK, "target_ops_s": 400_000}))
    assert page.count("The load clients ran on the database's machine: a networked client may get less.") == 1
    assert "The load clients ran" not in text(client.get("/recommend/", ASK))


def test_a_stated_placement_of_the_clients_counts_on_every_provider(client):
    shared = cluster(500_000.0, usd="0.01", instance_type="shared", client_placement="on_database")
    apart = cluster(120_000.0, instance_type="apart", client_placement="separate")
    own = cluster(110_000.0, provider="local", region=None, usd=None, instance_type="own", client_placement="separate")

    answer = ask(client)

    assert set(kinds(answer).values()) == {apart.pk}
    assert {one["clients_on_database"] for one in answer["answers"]} == {False}
    assert own.pk in {one["submission"] for one in answer["rejected"]}
    beyond = ask(client, target_ops_s=400_000)
    assert {one["submission"] for one in beyond["answers"]} == {shared.pk}
    assert {one["clients_on_database"] for one in beyond["answers"]} == {True}


def test_a_result_without_any_p99_answers_no_question_about_a_p99(client):
    row = cluster(500_000.0, instance_type="mean", latency_p99_ms=None, latency_mean_ms=0.95)

    assert ask(client)["answers"] == []
    assert set(kinds(ask(client, max_p99_ms="")).values()) == {row.pk}
    assert "p99 not known, mean 0.95 ms" in text(client.get("/recommend/", {**ASK, "max_p99_ms": ""}))


def test_pipelined_workloads_are_never_mixed_with_others(client):
    plain = cluster(120_000.0, instance_type="plain")
    pipelined = cluster(900_000.0, usd="0.01", instance_type="pipe", workload=workload("piped", MIXED, pipeline=16))

    assert set(kinds(ask(client)).values()) == {plain.pk}
    assert set(kinds(ask(client, target_ops_s=300_000)).values()) == {pipelined.pk}
