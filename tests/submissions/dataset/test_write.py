"""A dump holds exactly what is public, every value as it is stored, and is seen only when it is whole."""

import csv
import gzip
import hashlib
import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command

from submissions.choices import Outcome, Trust
from submissions.dataset import write
from submissions.dataset.schema import TABLES
from submissions.ingest.changes.retract import retract
from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.store import store
from submissions.models import Dataset, NodeGroup, Price, Submission, Trial
from submissions.moderation.decisions import decide
from submissions.tasks import dump_dataset
from tests.documents import document
from tests.factories import PriceFactory, SubmissionFactory, UserFactory, WorkloadFactory

NIGHT = datetime(2026, 11, 20, 2, 30, tzinfo=UTC)

pytestmark = pytest.mark.django_db


def parquet(dump, table):
    with default_storage.open(f"{dump.folder}/{table}.parquet") as stored:
        return pq.read_table(pa.BufferReader(stored.read()))


def cells(dump, table):
    with default_storage.open(f"{dump.folder}/{table}.csv.gz") as stored:
        return list(csv.DictReader(gzip.decompress(stored.read()).decode().splitlines(keepends=True)))


@pytest.fixture
def rows():
    """A row whose every column is known, and one that knows as little as may be."""
    ada = UserFactory(username="ada", email="ada@private.example")
    full = SubmissionFactory(
        title='=HYPERLINK("http://evil.example")',
        notes="two\nlines, and a comma",
        submitted_by=ada,
        trials_count=2,
        flags=["errors", "short"],
        hourly_usd=Decimal("1.59600001"),
        price_date=date(2015, 6, 1),
        measured_at=datetime(2015, 9, 1, 12, 0, 0, 123456, tzinfo=UTC),
        throughput_cv=0.1 + 0.2,
    )
    bare = SubmissionFactory(
        submitted_by=None,
        trust=Trust.HISTORICAL,
        hourly_usd=None,
        measured_at=None,
        region=None,
        service_version=None,
        latency_p99_ms=None,
        client_count=None,
        errors=0,
        trials_count=1,
        workload=WorkloadFactory(title="another"),
    )
    return Submission.objects.get(pk=full.pk), Submission.objects.get(pk=bare.pk)


def test_parquet_holds_every_value_as_it_is_stored(rows):
    dump = write.write(NIGHT)

    found = values(dump, TABLES[0])
    expected = [{column.name: stored(row, column) for column in TABLES[0].columns} for row in rows]
    assert found == expected
    assert found[0]["hourly_usd"] == Decimal("1.59600001")
    assert found[0]["throughput_cv"] == 0.30000000000000004
    assert found[0]["measured_at"] == datetime(2015, 9, 1, 12, 0, 0, 123456, tzinfo=UTC)
    assert found[0]["flags"] == ["errors", "short"]
    unknown = ("hourly_usd", "ops_per_usd", "measured_at", "region", "latency_p99_ms", "submitted_by", "client_count")
    assert [found[1][name] for name in unknown] == [None] * len(unknown)
    assert found[1]["errors"] == 0


def test_the_bill_of_a_test_is_in_both_files():
    item = {"label": "3 machines", "quantity": 6, "unit": "hour", "unit_usd": "0.68"}
    store(prepare_document(document({"bill": {"items": [item], "basis": "spot"}})), submitted_by=UserFactory())

    dump = write.write(NIGHT)

    [row], [cell] = values(dump, TABLES[0]), cells(dump, "submissions")
    assert (row["bill_usd"], row["measured_at_source"]) == (Decimal("4.08"), "stated")
    assert row["bill"]["items"] == [{**item, "quantity": "6", "usd": "4.08"}]
    assert Decimal(cell["bill_usd"]) == Decimal("4.08")
    assert json.loads(cell["bill"]) == row["bill"]


def stored(row, column):
    value = row
    for name in column.field.split("__"):
        value = value and (value.get(name) if isinstance(value, dict) else getattr(value, name))
    return value


def values(dump, table):
    """The rows of a Parquet file, with JSON read."""
    json_columns = [column.name for column in table.columns if column.kind == "json"]
    return [
        {name: json.loads(value) if name in json_columns and value else value for name, value in row.items()}
        for row in parquet(dump, table.name).to_pylist()
    ]


def test_trials_machines_workloads_and_prices_are_all_there(rows):
    PriceFactory(usd=Decimal("0.53200000"), valid_from=date(2015, 6, 1))

    dump = write.write(NIGHT)

    for table, model in ((TABLES[1], Trial), (TABLES[2], NodeGroup), (TABLES[4], Price)):
        expected = [
            {column.name: stored(row, column) for column in table.columns}
            for row in (model.objects.order_by("pk") if model is Price else model.objects.all())
        ]
        assert values(dump, table) == expected
    assert len(parquet(dump, "trials")) == 3
    assert sorted(parquet(dump, "workloads")["fingerprint"].to_pylist()) == sorted(
        row.workload.fingerprint for row in rows
    )


def test_csv_has_the_same_rows_with_exact_money_and_no_formula(rows):
    dump = write.write(NIGHT)

    first, second = cells(dump, "submissions")
    assert first["title"] == '\'=HYPERLINK("http://evil.example")'
    assert first["notes"] == "two\nlines, and a comma"
    assert first["hourly_usd"] == "1.59600001"
    assert float(first["throughput_cv"]) == rows[0].throughput_cv
    assert first["measured_at"] == "2015-09-01T12:00:00.123456Z"
    assert first["price_date"] == "2015-06-01"
    assert first["flags"] == "errors;short"
    assert first["is_price_stated"] == "false"
    assert json.loads(first["document"]) == rows[0].document
    assert [second[name] for name in ("hourly_usd", "measured_at", "region", "errors")] == ["", "", "", "0"]
    assert list(first) == [column.name for column in TABLES[0].columns]


def test_what_is_retracted_is_in_no_table(rows):
    full, bare = rows
    retract(full, reason="a typing error")

    dump = write.write(NIGHT)

    assert parquet(dump, "submissions")["id"].to_pylist() == [bare.pk]
    assert set(parquet(dump, "trials")["submission"].to_pylist()) == {bare.pk}
    assert set(parquet(dump, "node_groups")["submission"].to_pylist()) == {bare.pk}
    assert parquet(dump, "workloads")["fingerprint"].to_pylist() == [bare.workload.fingerprint]


def test_nothing_private_is_in_any_file(rows):
    dump = write.write(NIGHT)

    names = [file["name"] for file in dump.files]
    texts = [default_storage.open(f"{dump.folder}/{name}").read() for name in names]
    texts += [gzip.decompress(text) for name, text in zip(names, texts, strict=True) if name.endswith(".gz")]
    texts += [str(parquet(dump, table.name).to_pylist()).encode() for table in TABLES]
    assert any(b"ada" in text for text in texts)
    assert not any(b"private.example" in text or b"password" in text or b"md5$" in text for text in texts)


def test_the_log_of_moderation_is_a_table_without_names(rows):
    full, bare = rows
    decide(full, Outcome.UNRANKED, reason="Far off.", by=UserFactory(username="grace-the-moderator"))
    decide(bare, Outcome.HIDDEN, reason="Spam.", by=None)

    dump = write.write(NIGHT)

    log = cells(dump, "moderation")
    assert [(row["submission"], row["outcome"], row["reason"]) for row in log] == [
        (str(full.pk), "unranked", "Far off."),
        ("", "hidden", "Spam."),
    ]
    assert "grace" not in str(log)


def test_types_units_and_meanings_stand_in_the_files_and_in_the_schema(rows):
    dump = write.write(NIGHT)

    schema = parquet(dump, "submissions").schema
    assert schema.field("hourly_usd").type == pa.decimal128(38, 10)
    assert schema.field("created_at").type == pa.timestamp("us", tz="UTC")
    assert schema.field("hourly_usd").metadata == {
        b"unit": b"USD/h",
        b"meaning": b"cost of the system under test: database and cache nodes with their storage",
    }
    told = json.loads(default_storage.open(f"{dump.folder}/schema.json").read())
    assert [table["name"] for table in told["tables"]] == [
        "submissions",
        "trials",
        "node_groups",
        "workloads",
        "prices",
        "moderation",
        "load_points",
    ]
    assert told["tables"][4]["columns"][5] == {
        "name": "usd",
        "type": "decimal",
        "parquet": "decimal128(38, 10)",
        "unit": "USD/unit",
        "meaning": "the price",
    }
    for table in told["tables"]:
        written = parquet(dump, table["name"]).schema
        assert [column["name"] for column in table["columns"]] == written.names
        assert [column["parquet"] for column in table["columns"]] == [str(kind) for kind in written.types]


def test_every_file_is_listed_with_its_rows_its_size_and_its_sum(rows):
    dump = write.write(NIGHT)

    month = datetime.now(UTC).strftime("%Y-%m")
    assert {file["name"]: file["rows"] for file in dump.files} == {
        **{
            f"{table}/service=cassandra/month={month}/part-0.parquet": count
            for table, count in (("submissions", 2), ("trials", 3), ("node_groups", 3))
        },
        "LICENSE": None,
        "README.md": None,
        "SHA256SUMS": None,
        "schema.json": None,
        "submissions.parquet": 2,
        "submissions.csv.gz": 2,
        "trials.parquet": 3,
        "trials.csv.gz": 3,
        "node_groups.parquet": 3,
        "node_groups.csv.gz": 3,
        "workloads.parquet": 2,
        "workloads.csv.gz": 2,
        "prices.parquet": 0,
        "prices.csv.gz": 0,
        "moderation.parquet": 0,
        "moderation.csv.gz": 0,
        "load_points.parquet": 0,
        "load_points.csv.gz": 0,
    }
    lines = default_storage.open(f"{dump.folder}/SHA256SUMS").read().decode().splitlines()
    sums = dict(reversed(line.split("  ")) for line in lines)
    for file in dump.files:
        content = default_storage.open(file["stored_as"]).read()
        assert (file["size_bytes"], file["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())
        assert file["name"] == "SHA256SUMS" or sums[file["name"]] == file["sha256"]


def test_an_empty_site_has_empty_tables():
    dump = write.write(NIGHT)

    assert [len(parquet(dump, table.name)) for table in TABLES] == [0] * 7
    assert cells(dump, "submissions") == []


def test_rows_are_read_and_written_in_batches(monkeypatch):
    monkeypatch.setattr(write, "BATCH_ROWS", 2)
    for _ in range(5):
        SubmissionFactory()

    dump = write.write(NIGHT)

    with default_storage.open(f"{dump.folder}/submissions.parquet") as stored:
        file = pq.ParquetFile(pa.BufferReader(stored.read()))
    assert [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)] == [2, 2, 1]
    assert len(cells(dump, "submissions")) == 5


def test_a_dump_that_breaks_off_is_never_listed_and_its_files_go(monkeypatch):
    SubmissionFactory()
    store, stored = write.store_file, []

    def break_off(name, place, folder, rows):
        if stored:
            raise OSError("the storage is full")
        stored.append(store(name, place, folder, rows))
        return stored[0]

    monkeypatch.setattr(write, "store_file", break_off)
    with pytest.raises(OSError, match="full"):
        write.write(NIGHT)
    left = stored[0]["stored_as"]
    assert not Dataset.objects.exists()
    assert default_storage.exists(left)

    monkeypatch.undo()
    write.write(NIGHT + timedelta(hours=1))
    assert default_storage.exists(left)  # it might still be going on
    write.write(NIGHT + timedelta(days=2))
    assert not default_storage.exists(left)
    assert Dataset.objects.count() == 2


def test_the_last_dumps_are_kept_and_older_ones_deleted_with_their_files():
    dumps = [write.write(NIGHT + timedelta(days=day)) for day in range(write.MAX_DUMPS + 2)]

    assert list(Dataset.objects.values_list("folder", flat=True)) == [dump.folder for dump in dumps[:1:-1]]
    folders = default_storage.listdir(write.FOLDER)[0]
    assert sorted(folders) == [dump.stamp for dump in dumps[2:]]


def test_what_else_lies_in_the_folder_is_left_alone():
    from django.core.files.base import ContentFile

    default_storage.save(f"{write.FOLDER}/notes/keep.txt", ContentFile(b"ours"))

    write.write(NIGHT)

    assert default_storage.exists(f"{write.FOLDER}/notes/keep.txt")


def test_a_message_that_comes_twice_makes_one_dump():
    write.write_nightly(NIGHT)
    write.write_nightly(NIGHT + timedelta(minutes=20))
    assert Dataset.objects.count() == 1

    write.write_nightly(NIGHT + timedelta(days=1))
    assert Dataset.objects.count() == 2


def test_beat_asks_for_a_dump_every_night(settings):
    entry = settings.CELERY_BEAT_SCHEDULE["dump the dataset"]

    assert entry["task"] == dump_dataset.name
    assert (entry["schedule"].hour, entry["schedule"].minute) == ({2}, {30})
    dump_dataset()
    assert Dataset.objects.count() == 1


def test_the_command_tells_what_it_wrote(capsys):
    SubmissionFactory()

    call_command("dump_dataset")

    dump = Dataset.objects.get()
    assert f"{dump.folder}/submissions.parquet: " in capsys.readouterr().out


@pytest.mark.django_db(transaction=True)
def test_all_tables_are_of_one_moment(monkeypatch):
    SubmissionFactory()
    write_table = write.write_table

    def with_a_newcomer(table, place, places):
        count = write_table(table, place, places)
        if table.name == "submissions":
            publish_from_another_connection()
        return count

    monkeypatch.setattr(write, "write_table", with_a_newcomer)
    dump = write.write(NIGHT)

    assert Submission.objects.count() == 2
    assert len(parquet(dump, "submissions")) == len(set(parquet(dump, "trials")["submission"].to_pylist())) == 1


def publish_from_another_connection():
    from threading import Thread

    from django.db import connection

    def publish():
        SubmissionFactory()
        connection.close()

    other = Thread(target=publish)
    other.start()
    other.join()
