"""Published runs as results: each figure against what the log itself prints, read here a second time."""

import re
from datetime import date
from decimal import Decimal

import pytest

from submissions.choices import Flag, NodeKind, Trust
from submissions.packs.public_runs import load, slices
from submissions.packs.load import load_waiting, progress
from submissions.packs.public_runs.pack import index, read
from submissions.models import PublicRun, Submission
from submissions.pricing import book
from submissions.pricing.quotes import DatedPrice

BLOG, AEROSPIKE, SCYLLA = "mongodb-vs-cassandra-blog", "aerospike-apache-cassandra-benchmark", "mongodb-vs-scylladb"
THREE_TRIALS = f"{BLOG}/vanilla-vs-tuned_batch-0_cassandra_vanilla_balanced_initial"
DELETES = f"{AEROSPIKE}/performance/calibration/aerospike_sow2-production_aws-aerospike-ee-8004-by-threads"
ATLAS = f"{SCYLLA}/caching/hotspot-distribution/scylladb-vs-mongodb_caching-uniform_mongodb-small"
CLOUD = f"{SCYLLA}/caching/hotspot-distribution/scylladb-vs-mongodb_social-hotspot_scylladb-small"
SAMPLE = (THREE_TRIALS, DELETES, ATLAS, CLOUD)


def _price(region, sku, unit, usd, day):
    return DatedPrice("aws", region, sku, unit, "on_demand", Decimal(usd), day, "a list", date(2026, 10, 15))


@pytest.fixture
def prices(db):
    book.record(
        [
            _price("eu-central-1", "i3.xlarge", "hour", "0.372", date(2017, 4, 4)),
            _price("eu-central-1", "gp2", "gib_month", "0.119", date(2020, 12, 1)),
            _price("eu-west-1", "i4g.4xlarge", "hour", "1.36159", date(2025, 3, 2)),
            _price("eu-west-1", "gp3", "gib_month", "0.088", date(2020, 12, 1)),
        ]
    )


def only(*keys):
    """Everything else counts as loaded."""
    pack = index()
    others = [result.key for result in pack.results if result.key not in keys]
    PublicRun.objects.bulk_create([PublicRun(key=key, version=pack.version) for key in others])


def of(key):
    return PublicRun.objects.get(key=key).submission


def logs_of(key):
    """The text of each client's log, by trial."""
    [(result, files)] = read({key})
    logs = {path: content.decode() for path, content in files.items() if path.suffix == ".txt"}
    return [[log for path, log in logs.items() if str(path.parent) == trial.folder] for trial in result.trials]


def printed(log, name):
    """The sum of a count over READ, UPDATE, INSERT, ..."""
    rows = re.findall(rf"^\[(?:READ|UPDATE|INSERT|DELETE)\], {name}, (\d+)$", log, re.MULTILINE)
    return sum(int(count) for count in rows)


def run_seconds(log):
    return int(re.search(r"^\[OVERALL\], RunTime\(ms\), (\d+)$", log, re.MULTILINE)[1]) / 1000


def test_each_figure_is_that_of_the_log_and_each_fact_that_of_the_scenario(prices):
    only(*SAMPLE)

    done = load_waiting()

    assert (done.loaded, done.refused, done.waiting) == (60, 0, 0)
    for key in SAMPLE:
        trials = of(key).trials.order_by("index")
        assert len(trials) == len(logs_of(key))
        for trial, logs in zip(trials, logs_of(key), strict=True):
            assert trial.client_count == len(logs)
            assert trial.operations == sum(printed(log, "Return=OK") for log in logs)
            rate = sum(printed(log, "Return=OK") / run_seconds(log) for log in logs)
            assert trial.throughput_ops_s == pytest.approx(rate)
        assert of(key).trust == Trust.LOG_VERIFIED
        assert (of(key).license, of(key).submitted_by) == ("Apache-2.0", None)
        assert of(key).source.startswith("benchANT, ")
        assert of(key).source_url.startswith("https://github.com/benchANT/")

    cassandra, aerospike = of(THREE_TRIALS), of(DELETES)
    assert (cassandra.service_version, cassandra.node_count, cassandra.replication_factor) == ("4.0.0", 3, 3)
    assert (cassandra.provider, cassandra.region, cassandra.instance_type) == ("aws", "eu-central-1", "i3.xlarge")
    assert cassandra.client_count == 1
    assert cassandra.measured_at.date() == date(2022, 2, 24)
    node_usd = Decimal("0.372") + 10 * Decimal("0.119") / 730
    assert round(cassandra.hourly_usd, 6) == round(3 * node_usd, 6)
    assert cassandra.ops_per_usd is not None
    assert cassandra.latency_p99_ms is None  # YCSB prints none over all types, and none is averaged
    reads = [each for each in cassandra.trials.first().by_operation if each["name"] == "read"]
    assert reads[0]["latency_ms"]["p99"] == 15.983
    assert aerospike.flags == [Flag.NOT_FOUND]
    assert "without its license" in aerospike.notes


def test_a_managed_database_costs_what_its_vendor_bills_whatever_the_machines_cost(prices):
    only(ATLAS, CLOUD)

    load_waiting()

    atlas, cloud = of(ATLAS).node_groups.first(), of(CLOUD).node_groups.first()
    assert (atlas.kind, atlas.count, atlas.instance_type) == (NodeKind.MANAGED, 3, "M60_NVME")
    assert (cloud.kind, cloud.count, cloud.instance_type) == (NodeKind.MANAGED, 3, "i4i.2xlarge")
    assert round(of(ATLAS).hourly_usd * 730, 2) == Decimal("3880.00")
    assert round(of(CLOUD).hourly_usd * 730, 2) == Decimal("4620.96")
    assert cloud.price_source == "scenario.json: USD 4,620.96 a month"
    assert (of(CLOUD).provider, of(CLOUD).region) == ("scylladb-cloud", "us-west-2")
    assert (of(ATLAS).provider, of(ATLAS).region) == ("mongodb-atlas", "us-west-2")
    assert of(CLOUD).ops_per_usd > 0
    assert of(ATLAS).flags == [Flag.THROTTLED]  # at its target of 8,000: no capacity, and so no value
    assert of(ATLAS).ops_per_usd is None
    assert of(ATLAS).throttle_ops_s == 8000


def test_loading_goes_on_where_it_was_interrupted_and_stores_nothing_twice(prices):
    only(THREE_TRIALS, ATLAS)

    first = load_waiting(seconds=0)
    assert (first.waiting, Submission.objects.count()) == (1, 1)

    assert load_waiting(seconds=0).waiting == 0
    assert load_waiting().waiting == 0
    PublicRun.objects.filter(key=ATLAS).delete()  # stored, but the worker died before it could say so
    load_waiting()

    assert Submission.objects.count() == 2
    assert of(ATLAS) is not None


def test_what_another_version_reads_differently_replaces_the_result_of_before(prices, monkeypatch):
    only(ATLAS)
    load_waiting()
    before = of(ATLAS)
    PublicRun.objects.filter(key=ATLAS).update(version="of an earlier release")
    facts_of = load.metadata_of
    monkeypatch.setattr(load, "metadata_of", lambda *parts: {**facts_of(*parts), "settings": {"shards": 1}})

    load_waiting()

    assert Submission.objects.get(pk=before.pk).retraction_reason == load.REPLACED
    assert of(ATLAS).pk != before.pk
    assert Submission.objects.published().get().pk == of(ATLAS).pk


def test_a_run_that_is_refused_is_noted_and_the_others_are_loaded(prices, monkeypatch):
    only(ATLAS, CLOUD)
    facts_of = load.metadata_of
    monkeypatch.setattr(
        load,
        "metadata_of",
        lambda result, scenarios: {**facts_of(result, scenarios), **({"nodes": []} if result.key == ATLAS else {})},
    )

    done = load_waiting()

    assert (done.refused, done.waiting) == (1, 0)
    assert "nodes" in PublicRun.objects.get(key=ATLAS).problem
    assert of(CLOUD) is not None


def test_the_first_page_says_how_far_it_is_until_all_is_loaded(prices, client, settings):
    settings.PUBLIC_RUNS = True
    slices._complete.clear()
    only(ATLAS)

    assert "59 of\n  60 results" in client.get("/").content.decode()

    assert slices.load_slice() is None
    assert "are being loaded" not in client.get("/").content.decode()
    slices._complete.clear()


def test_a_second_worker_waits_while_one_loads(prices, settings):
    settings.PUBLIC_RUNS = True
    only(ATLAS)
    slices.cache.add(slices._TAKEN, True, 60)

    assert slices.load_slice() == slices.LOOK_AGAIN_SECONDS

    slices.cache.delete(slices._TAKEN)
    assert slices.load_slice() is None
    assert progress().waiting == 0
