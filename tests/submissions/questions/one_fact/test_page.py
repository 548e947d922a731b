"""What one fact costs: only results that differ in it alone, with the verdict and the fact in the sentence."""

import csv
import io

import pytest

from benchsite.redis.cache import evictable_cache
from submissions.choices import Trust
from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.store import store
from tests.documents import document
from tests.factories import VerifiedUserFactory
from tests.pages import faults, text

pytestmark = pytest.mark.django_db

PAGE, API = "/compare/fact/", "/api/v1/compare/fact/"


def stored(rate, *, factor=3, trials=3, trust=Trust.LOG_VERIFIED, **changes):
    """A result of the contract's example with that replication factor; other facts by their place."""
    rates = [rate * (1 + 0.01 * (trial - (trials - 1) / 2)) for trial in range(trials)]
    body = document(
        {
            "workload/replication_factor": factor,
            "trials": [{"throughput_ops_s": value, "duration_s": 70.0} for value in rates],
            **{name.replace("__", "/"): value for name, value in changes.items()},
        }
    )
    return store(prepare_document(body, trust=trust), submitted_by=VerifiedUserFactory()).submission


def ask(client, **params):
    evictable_cache.clear()
    return client.get(API, params).json()


def test_the_sentence_has_the_fact_the_difference_its_interval_and_the_system(client):
    one, three = stored(100_000.0, factor=1), stored(50_000.0)

    body = ask(client)

    [pair] = body["pairs"]
    assert (body["fact"], body["baseline"], body["variant"]) == ("replication_factor", "1", "3")
    assert (pair["baseline_submissions"], pair["variant_submissions"]) == ([one.pk], [three.pk])
    assert pair["percent"] == pytest.approx(-50.0)
    assert (pair["verdict"], pair["n"]) == ("worse", "3 trials")
    assert body["sentence"].startswith("RF 3 writes 50.0 % fewer ops/s than RF 1 (95 % interval: ")
    assert "all else equal: 3× m3.2xlarge · AWS us-east-1" in body["sentence"]
    assert "usual noise of clouds" in body["sentence"]


def test_it_opens_on_a_fact_that_results_with_a_raw_log_differ_in(client):
    for factor, rate in ((1, 100_000.0), (3, 60_000.0)):
        stored(rate, factor=factor, trust=Trust.HISTORICAL)
    for mix, rate in (({"read": 1.0}, 90_000.0), ({"write": 1.0}, 80_000.0)):
        stored(rate, workload__operations=mix, service__version="5.0.3")

    body = ask(client)
    assert (body["fact"], body["shelf"], len(body["pairs"])) == ("operations", "log_verified", 1)

    stored(90_000.0, factor=1, workload__operations={"read": 1.0}, service__version="5.0.3")
    assert ask(client)["fact"] == "replication_factor"


def test_without_values_it_takes_those_of_results_with_a_raw_log(client):
    for count in (100, 200):
        for factor in (1, 2):
            stored(1000.0 * count, factor=factor, trust=Trust.HISTORICAL, workload__threads=count)
    logs = [stored(60_000.0, factor=factor, service__version="5.0.3") for factor in (2, 3)]

    body = ask(client)

    [pair] = body["pairs"]
    assert (body["baseline"], body["variant"], pair["baseline_submissions"]) == ("2", "3", [logs[0].pk])


def test_a_small_difference_of_one_run_each_is_not_called_a_cost(client):
    stored(100_000.0, factor=1)
    stored(95_000.0)

    body = ask(client)

    [pair] = body["pairs"]
    assert pair["verdict"] in ("inconclusive", "within_noise")
    assert "RF 3 writes 5.0 % fewer ops/s than RF 1" in body["sentence"]
    assert "inconclusive" in body["sentence"] or "within noise" in body["sentence"]


@pytest.mark.parametrize(
    "other",
    [
        {"jdk__version": "17"},
        {"settings": {"cassandra.yaml": {"concurrent_writes": 64}}},
        {"workload__threads": 100},
        {"network__encryption": "node"},
        {"nodes/1/instance_type": "c3.8xlarge"},
    ],
)
def test_results_that_differ_in_something_else_too_are_no_pair(client, other):
    stored(100_000.0, factor=1, **other)
    stored(50_000.0)

    body = ask(client, baseline="1", variant="3")

    assert body["pairs"] == []
    assert body["sentence"] == (
        "No two results differ in the replication factor alone, RF 3 on one side and RF 1 on the other."
    )


def test_dates_titles_and_prices_may_differ(client):
    stored(100_000.0, factor=1, title="another", measured_at="2016-01-01T00:00:00Z")
    stored(50_000.0, **{"nodes/0/hourly_usd": "0.6"})

    assert len(ask(client)["pairs"]) == 1


def test_a_fact_of_the_cluster_is_compared_the_same_way(client):
    stored(100_000.0)
    stored(130_000.0, jdk__version="17")

    body = ask(client, fact="jdk", baseline="oracle 8u51", variant="oracle 17")

    assert body["sentence"].startswith("oracle 17 writes 30.0 % more ops/s than oracle 8u51 (95 % interval: ")


def test_the_verdict_is_that_of_the_comparison(client):
    one, other = stored(100_000.0), stored(130_000.0, jdk__version="17")

    [pair] = ask(client, fact="jdk", baseline="oracle 8u51", variant="oracle 17")["pairs"]
    compared = client.get("/api/v1/compare/", {"a": one.pk, "b": other.pk}).json()["throughput"]

    names = ("ratio", "interval", "verdict", "noise_from", "runs_needed")
    assert [pair[name] for name in names] == [compared[name] for name in names]


def test_several_pairs_are_counted_by_their_verdict(client):
    for version in ("2.1.8", "3.0.0"):
        stored(100_000.0, factor=1, service__version=version)
        stored(50_000.0, service__version=version)

    assert ask(client)["sentence"] == (
        "RF 3 against RF 1: −50.0 % to −50.0 % throughput in 2 pairs of results that differ in nothing else: "
        "slower in 2."
    )


def test_results_without_a_log_take_part_only_where_they_are_asked_for(client):
    stored(100_000.0, factor=1)
    stored(50_000.0, trust=Trust.UPLOADED)

    assert ask(client, baseline="1", variant="3")["pairs"] == []
    assert len(ask(client, baseline="1", variant="3", trust="uploaded")["pairs"]) == 1


def test_page_csv_and_json_say_the_same(client):
    stored(100_000.0, factor=1)
    stored(50_000.0)

    page, body = client.get(PAGE), ask(client)
    (line,) = csv.DictReader(io.StringIO(client.get(API, {"format": "csv"}).getvalue().decode()))

    assert body["sentence"] in text(page)
    assert float(line["percent"]) == body["pairs"][0]["percent"]
    assert (line["verdict"], line["n"]) == ("worse", "3 trials")
    assert faults(page) == []


@pytest.mark.parametrize("address", [PAGE, API])
@pytest.mark.parametrize("query", ["fact=colour", "fact=provider", "trust=some", "workload=0000000000000000"])
def test_a_wrong_parameter_is_refused(client, address, query):
    response = client.get(f"{address}?{query}")

    assert response.status_code == (404 if address == PAGE and "workload" in query else 400)


def test_without_results_the_page_says_what_to_do(client):
    page = client.get(PAGE)

    assert page.status_code == 200
    assert "No result states the replication factor." in text(page)
    assert "Upload a benchmark log" in text(page)
    assert faults(page) == []


def on_machine(name, architecture, cpu, rate, **more):
    of_node = {"nodes__0__instance_type": name, "nodes__0__architecture": architecture, "nodes__0__cpu_model": cpu}
    return stored(rate, **of_node, nodes__0__hourly_usd=None, **more)


def test_arm_against_x86_needs_machines_of_one_size_and_is_offered_with_its_words(client):
    x86 = on_machine("m6id.2xlarge", "x86_64", "Intel Xeon", 80_000.0)
    arm = on_machine("m6gd.2xlarge", "arm64", "Graviton3", 100_000.0)
    on_machine("m6gd.4xlarge", "arm64", "Graviton3", 190_000.0, nodes__0__vcpus=16, nodes__0__memory_gib=64)

    body = ask(client, fact="architecture", baseline="x86_64", variant="arm64")

    [pair] = body["pairs"]
    assert (pair["baseline_submissions"], pair["variant_submissions"]) == ([x86.pk], [arm.pk])
    assert pair["percent"] == pytest.approx(25.0)
    page = client.get(PAGE, {"fact": "architecture"})
    assert "ARM" in text(page)
    assert faults(page) == []


def test_kubernetes_against_virtual_machines_is_a_comparison_of_the_same_type(client):
    plain = stored(100_000.0)
    pods = stored(90_000.0, deployment="kubernetes")
    stored(50_000.0, deployment="kubernetes", nodes__0__instance_type="i3.xlarge")

    [pair] = ask(client, fact="deployment", baseline="vm", variant="kubernetes")["pairs"]

    assert (pair["baseline_submissions"], pair["variant_submissions"]) == ([plain.pk], [pods.pk])
