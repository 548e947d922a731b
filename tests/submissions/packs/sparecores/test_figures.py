"""200 stored results are those of the files and of the price book, which are read here a second time."""

import csv
import gzip
import json
import random
from decimal import Decimal
from functools import cache
from io import StringIO

import pytest
from django.db import connection

from submissions.ingest.files.storage import open_stored
from submissions.models import PackEntry, Submission
from submissions.packs.load import load_waiting
from submissions.packs.sparecores.lines import FOLDER
from submissions.packs.sparecores.pack import SPARECORES, SpareCores
from submissions.pricing.book import book
from submissions.pricing.machines.gce_machine_types import size_of
from submissions.pricing.sources import snapshot
from tests.factories import PriceFactory
from tests.stored_rows import stored

pytestmark = pytest.mark.django_db

REGIONS = {"aws": ("aws", "us-east-1"), "gcp": ("gce", "us-central1"), "azure": ("azure", "eastus")}
PRICE = """SELECT usd, last_seen, valid_from FROM submissions_price
WHERE provider = %s AND region = %s AND sku = %s AND unit = %s AND pricing_model = 'on_demand' AND valid_from <= %s
ORDER BY valid_from DESC LIMIT 1"""
HOURS_PER_MONTH = 730


@cache
def files() -> dict[str, dict]:
    """The lines of both files by the start of their keys."""
    found = {}
    for task in ("redis", "pgbench"):
        with gzip.open(FOLDER / f"{task}.ndjson.gz", "rt") as file:
            for line in map(json.loads, file):
                found[f"{task}/{line['provider']}/{line['instance_type']}"] = line
    return found


@cache
def chosen() -> tuple[str, ...]:
    keys = [entry.key for entry in SPARECORES.entries()]
    dice = random.Random(33)
    redis, pgbench = ([key for key in keys if key.startswith(task)] for task in ("redis/", "pgbench/"))
    return (*dice.sample(redis, 180), *dice.sample(pgbench, 20))


class Sample(SpareCores):
    def __init__(self, keys):
        super().__init__()
        self._keys = keys

    def entries(self):
        return [entry for entry in super().entries() if entry.key in self._keys]


def load():
    places = set(REGIONS.values())
    prices = (price for price in snapshot.read_prices() if (price.provider, price.region) in places)
    book.record(price for price in prices if price.pricing_model == "on_demand")
    load_waiting(Sample(chosen()))


@pytest.fixture
def results() -> dict[str, Submission]:
    """Without their raw files."""
    stored("200 results of Spare Cores", load)
    return by_key()


def by_key() -> dict[str, Submission]:
    return {entry.key: entry.submission for entry in PackEntry.objects.select_related("submission")}


def row_of(key: str) -> dict[str, str]:
    start, pipeline = key.rsplit("/", 1)
    rows = csv.DictReader(StringIO(files()[start]["stdout"]))
    [row] = [row for row in rows if (row["threads"], row["pipeline"]) == ("1", pipeline)]
    return row


def best_rung(key: str) -> dict:
    [size] = files()[key]["stdout"]["sizes"]
    return max(size["profile"], key=lambda rung: rung["tx_processed"] / rung["run_seconds"])


def price(provider, region, sku, unit, day):
    with connection.cursor() as cursor:
        cursor.execute(PRICE, [provider, region, sku, unit, day])
        return cursor.fetchone()


def machine_usd(line, day) -> Decimal | None:
    """Of the type, or on Google Cloud of its vCPUs and memory: whichever was seen later, of those known on the day."""
    if line["provider"] not in REGIONS:
        return None
    place = REGIONS[line["provider"]]
    found = [own] if (own := price(*place, line["instance_type"], "hour", day)) else []
    size = size_of(line["instance_type"]) if line["provider"] == "gcp" else None
    parts = [(price(*place, sku, "hour", day), quantity) for sku, quantity in size.rates] if size else []
    if parts and all(rate for rate, _ in parts):
        usd = sum(rate[0] * quantity for rate, quantity in parts)
        found.append((usd, min(rate[1] for rate, _ in parts), min(rate[2] for rate, _ in parts)))
    return max(found, key=lambda each: (min(each[1], day), each[2]))[0] if found else None


def disk_usd(line, day) -> Decimal | None:
    """Of a disk that is billed by its size alone; None where more is billed, or nothing is known."""
    output = line["stdout"]
    if output["storage_type"] != "pd-ssd":
        return None
    rate = price(*REGIONS["gcp"], "pd-ssd", "gib_month", day)
    return rate and rate[0] * output["storage_gib"] / HOURS_PER_MONTH


def test_each_figure_is_that_of_the_files_and_each_price_of_the_book(results):
    assert set(results) == set(chosen())
    priced = 0
    for key, result in results.items():
        line = files()[key.rsplit("/", 1)[0] if key.startswith("redis/") else key]
        day = result.measured_at.date()
        assert result.measured_at.isoformat() == line["started_at"].replace("Z", "+00:00")
        usd = None if line["instance_type"].startswith("db-") else machine_usd(line, day)
        if key.startswith("redis/"):
            rate, mean_ms = float(row_of(key)["rps"]), float(row_of(key)["latency"])
            assert result.flags == ["short"]
        else:
            rung = best_rung(key)
            rate, mean_ms = rung["tx_processed"] / rung["run_seconds"], rung["latency_avg_ms"]
            assert result.flags == []
            assert result.load_points.count() == len(line["stdout"]["sizes"][0]["profile"])
            disk = disk_usd(line, day) if usd is not None else None
            if line["stdout"].get("storage_type") == "hyperdisk-balanced":  # its parts have prices or a reason
                assert result.hourly_usd is None or result.hourly_usd > usd
                usd = result.hourly_usd
            else:
                usd = None if usd is None or disk is None else usd + disk
        assert result.throughput_ops_s == pytest.approx(rate, rel=1e-12)
        assert result.latency_mean_ms == pytest.approx(mean_ms)
        assert (result.latency_p50_ms, result.latency_p99_ms, result.latency_p99_at_most_ms) == (None, None, None)
        if usd is None:
            assert (result.hourly_usd, result.ops_per_usd) == (None, None)
            assert result.price_missing.startswith("No price")
        else:
            priced += 1
            assert float(result.hourly_usd) == pytest.approx(float(usd), rel=1e-7)  # stored with 8 decimals
            assert float(result.ops_per_usd) == pytest.approx(rate * 3600 / float(usd), rel=1e-7)
    assert priced > 45


def test_each_has_the_whole_output_as_its_raw_file_and_says_whose_it_is():
    PriceFactory()
    load_waiting(Sample(chosen()[170:190]))

    results = by_key()
    assert len(results) == 20
    for key, result in results.items():
        assert (result.trust, result.submitted_by, result.retracted_at) == ("log_verified", None, None)
        assert (result.pack, result.license) == ("sparecores", "CC-BY-SA-4.0")
        assert result.attribution == "Spare Cores (sparecores.com), CC BY-SA 4.0"
        [artifact] = result.artifacts.all()
        with open_stored(artifact.sha256) as file:
            content = file.read().decode()
        if key.startswith("redis/"):
            assert content == files()[key.rsplit("/", 1)[0]]["stdout"]
        else:
            assert json.loads(content) == files()[key]["stdout"]


def test_all_results_of_a_pipeline_are_one_workload_whatever_their_machine(results):
    titles = {result.workload.title for result in Submission.objects.select_related("workload")}

    assert titles == {
        "Redis: memtier_benchmark set, pipeline 1, clients on the database's machine, 1 × 32 B, under 1 min",
        "Redis: memtier_benchmark set, pipeline 16, clients on the database's machine, 1 × 32 B, under 1 min",
        "PostgreSQL: pgbench own script pgbench-ro-cpu-v1, load curve, 1 to 10 min",
    }


def test_every_row_of_the_files_obeys_littles_law_with_50_connections_for_each_vcpu_and_thread():
    """So none is excluded for it; the file keeps all pipelines."""
    for key, line in files().items():
        if not key.startswith("redis/"):
            continue
        for row in csv.DictReader(StringIO(line["stdout"])):
            in_flight = float(row["rps"]) * float(row["latency"]) / 1000
            under_way = 50 * int(row["threads"]) * line["vcpus"] * int(row["pipeline"])
            assert 0.5 < in_flight / under_way < 2, key
