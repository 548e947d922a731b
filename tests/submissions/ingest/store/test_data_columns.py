"""Real logs and documents through the way of any upload, down to the columns that are stored."""

import csv
import gzip
from pathlib import Path

import pytest

from submissions.analysis.data_size import GIB
from submissions.choices import DataFit
from submissions.ingest.pipeline import prepare_document, prepare_import
from submissions.ingest.store.data_columns import COLUMNS, data_columns, memory_of
from submissions.ingest.store.rows import trial_columns
from submissions.ingest.store.store import store, store_all
from submissions.ingest.uploads import offered
from submissions.models import InstanceType, Submission
from tests.documents import document, metadata
from tests.submissions.logs import log

pytestmark = pytest.mark.django_db
DATA = Path(__file__).parents[3] / "data"


THREE = [{"role": "database", "count": 3, "instance_type": "m3.2xlarge", "memory_gib": 30, "hourly_usd": "0.532"}]


def imported(name, service="cassandra", **workload):
    facts = metadata({"service": {"name": service}, "nodes": THREE, "workload": workload, "measured_at": None})
    return prepare_import(facts, offered([log(DATA / name)]))[0]


def size_of(prepared):
    return data_columns(prepared.content, trial_columns(prepared), memory_of([prepared.content]))["data_bytes"]


@pytest.mark.parametrize(
    ("name", "service", "expected"),
    [
        # -pop, or n of a write, of 5 x 34 bytes
        ("cassandra-stress/cs50-01-write-n20000-t4.log", "cassandra", 20_000 * 170),
        ("cassandra-stress/cs50-03-mixed-ratio-duration.log", "cassandra", 20_000 * 170),
        ("cassandra-stress/cs50-25-col-large.log", "cassandra", 4_000 * 10 * 1024),
        ("cassandra-stress/cs50-24-counter.log", "cassandra", None),
        ("cassandra-stress/cs50-04-user-profile-insert.log", "cassandra", None),
        # a load: from nothing to 5,000 records of 10 x 100 bytes
        ("ycsb/ycsb17-01-load-status.log", "cassandra", 5_000 * 1000 // 2),
        ("ycsb/ycsb17-02-mixed-target-both.log", "cassandra", 5_000 * 1000),
        ("go-ycsb/goycsb-04-table.log", "cassandra", 1_000 * 1000),
        # scale 2
        ("pgbench/pg18-01-tpcb.log", "postgresql", 2 * 100_000 * 97),
        ("pgbench/pg18-02-select-only.log", "postgresql", 2 * 100_000 * 97),
        # nothing of these logs says how much was loaded
        ("sysbench/sb10-01-read-write.log", "postgresql", None),
        ("memtier/interrupted.json", "redis", None),
        ("redis-benchmark/rb70-04-threads.log", "redis", None),
        ("latte/latte-01-write.json", "cassandra", None),
    ],
)
def test_data_of_a_log(name, service, expected):
    assert size_of(imported(name, service)) == expected


def test_the_command_of_sysbench_says_what_its_log_does_not():
    command = "sysbench --tables=2 --table-size=5000 oltp_read_write run"

    assert size_of(imported("sysbench/sb10-01-read-write.log", "postgresql", command=command)) == 10_000 * 188


def test_what_the_uploader_states_is_stored():
    prepared = imported("latte/latte-01-write.json", data_bytes=10**12, replication_factor=3)

    submission = store(prepared, submitted_by=None).submission

    # three nodes of 30 GiB
    assert submission.data_bytes == 10**12
    assert submission.data_to_memory == pytest.approx(3 * 10**12 / (90 * GIB))
    assert submission.data_fit == DataFit.ABOVE_3


def test_memory_that_is_not_stated_is_that_of_the_machine_type():
    InstanceType.objects.create(provider="aws", name="m3.2xlarge", memory_gib=30, source="a test")
    changes = {"nodes/0/memory_gib": None, "nodes/0/count": 3}

    stored = store(prepare_document(document(changes)), submitted_by=None).submission
    stored.refresh_from_db()

    assert stored.data_bytes == 340_000_000
    assert stored.data_to_memory == pytest.approx(340_000_000 * 3 / (90 * GIB))
    assert stored.data_fit == DataFit.BELOW_1


def test_without_it_the_ratio_is_unknown():
    changes = {"nodes/0/memory_gib": None, "nodes/0/instance_type": "unheard-of"}

    stored = store(prepare_document(document(changes)), submitted_by=None).submission

    assert [getattr(stored, name) for name in COLUMNS] == [340_000_000, None, None]


def test_many_results_have_the_columns_that_one_has():
    store_all([prepare_document(document({"settings": {"n": n}})) for n in range(12)], submitted_by=None)

    assert set(Submission.objects.values_list("data_bytes", flat=True)) == {340_000_000}


def test_the_catalogue_knows_the_memory_of_the_machines_of_the_published_runs():
    with gzip.open(DATA.parents[1] / "submissions/data/prices/instance_types.csv.gz", "rt") as file:
        known = {(row["provider"], row["name"]): row["memory_gib"] for row in csv.DictReader(file)}

    memory = {name: float(known["aws", name]) for name in ("i3.xlarge", "i4g.4xlarge", "i4i.4xlarge")}
    assert memory == {"i3.xlarge": 30.5, "i4g.4xlarge": 128.0, "i4i.4xlarge": 128.0}
