"""Published runs as results: each figure against what the log itself prints, read here a second time."""

import re
from datetime import date
from decimal import Decimal

import pytest

from submissions.choices import Flag, NodeKind, Trust
from submissions.models import PackEntry
from submissions.packs.load import load_waiting
from submissions.packs.public_runs.archives import read
from submissions.packs.public_runs.pack import PUBLIC_RUNS
from submissions.pricing.book import book
from submissions.pricing.book.quotes import DatedPrice
from tests.public_pack import only

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


def of(key):
    return PackEntry.objects.get(pack="public_runs", key=key).submission


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

    done = load_waiting(PUBLIC_RUNS)

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
        assert (of(key).license, of(key).attribution, of(key).pack) == ("Apache-2.0", "", "public_runs")
        assert of(key).submitted_by is None
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

    load_waiting(PUBLIC_RUNS)

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
