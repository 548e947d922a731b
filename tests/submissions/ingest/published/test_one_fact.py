"""“What does RF 3 cost against RF 1” and the JDK of 2015, answered from the articles with their caveats."""

import pytest

from tests.pages import faults, text

pytestmark = pytest.mark.django_db

RF = {"fact": "replication_factor", "baseline": "1", "variant": "3", "trust": "historical"}


def test_what_rf_3_costs_against_rf_1_is_answered_from_articles_a_and_e_with_their_caveats(client, published):
    body = client.get("/api/v1/compare/fact/", RF).json()

    assert body["sentence"].startswith(
        "How many ops/s RF 3 costs against RF 1 is not known: the published figures are relative, and those at RF 3 "
        "and at RF 1 have baselines of their own."
    )
    for said in (
        "−3.7 % at RF 1 and −4.2 % at RF 3",
        "+59.0 % at RF 1 and +29.9 % at RF 3",
        "+1.3 % at RF 1 and +5.2 %",
    ):
        assert said in body["sentence"]
    assert body["own_baselines"][0]["of"].startswith("virtual network, encryption: ")
    assert body["pairs"] == []
    assert [(own["cells"], own["n"]) for own in body["own_baselines"]] == [(5, "10 trials, averaged by the source")] * 3
    assert {round(own["percent_at_variant"], 2) for own in body["own_baselines"]} == {-4.2, 29.94, 5.22}
    assert "10 trials, averaged by the source: the spread of the single trials is not published." in body["caveats"]
    [statement] = body["statements"]
    assert "hulen.com, September 2010" in statement["source"]
    assert "its charts are lost, so no figure is known" in statement["text"]
    assert "6 to 12 %" in statement["text"]


def test_the_page_says_it_too(client, published):
    page = client.get("/compare/fact/", RF)
    content = text(page)

    assert "Replication factor: RF 3 vs. RF 1" in content
    assert "10 trials, averaged by the source" in content
    assert "its charts are lost" in content
    assert faults(page) == []


def test_oracle_java_8_against_openjdk_7_has_its_32_percent_and_a_verdict(client, published):
    query = {"fact": "jdk", "baseline": "openjdk 7", "variant": "oracle 8u51", "trust": "historical"}

    body = client.get("/api/v1/compare/fact/", query).json()

    [pair] = body["pairs"]
    assert pair["percent"] == pytest.approx(32.0)
    assert body["sentence"].startswith("oracle 8u51 writes 32.0 % more ops/s than openjdk 7 (95 % interval: ")
    assert any("relative to a baseline of their source" in caveat for caveat in body["caveats"])
    assert any("OpenJDK 7 dumped core" in statement["text"] for statement in body["statements"])


def test_three_to_six_nodes_with_one_client_is_a_statement_without_a_figure(client, published):
    body = client.get("/api/v1/compare/fact/", {"fact": "node_count", "trust": "historical"}).json()

    assert any("6 nodes were slightly slower than 3" in statement["text"] for statement in body["statements"])
