"""The tables of results in folders, read by the engines that the documentation names."""

import re
from datetime import UTC, datetime

import chdb
import duckdb
import pyarrow.parquet as pq
import pytest

from submissions.dataset import partitions, schema, texts, write
from submissions.models import Dataset, Submission
from tests.factories import SubmissionFactory, WorkloadFactory

pytestmark = pytest.mark.django_db

NIGHT = datetime(2026, 11, 20, 2, 30, tzinfo=UTC)


@pytest.fixture
def rows():
    """Two databases, two months, one of them in an order that ids do not have."""
    other = WorkloadFactory(service="scylladb", title="another")
    made = [
        (SubmissionFactory(), datetime(2026, 10, 31, 23, 59, tzinfo=UTC)),
        (SubmissionFactory(), datetime(2026, 11, 1, tzinfo=UTC)),
        (SubmissionFactory(workload=other, service="scylladb"), datetime(2026, 11, 2, tzinfo=UTC)),
        (SubmissionFactory(), datetime(2026, 10, 1, tzinfo=UTC)),
    ]
    for submission, created_at in made:
        Submission.objects.filter(pk=submission.pk).update(created_at=created_at)
    return [submission.pk for submission, _ in made]


@pytest.fixture
def folder(artifacts_folder):
    """Of the dump in the storage: what a bucket holds."""

    def written():
        return artifacts_folder / write.write(NIGHT).folder

    return written


def query(engine):
    """The example that the README of a dump gives for this engine."""
    text = texts.readme(NIGHT, [])
    [found] = re.findall(rf"    (SELECT (?:(?!--).)*?)\s+-- {engine}\n", text, re.DOTALL)
    return found


def test_each_row_is_in_the_folder_of_its_database_and_month(rows, folder):
    place = folder()

    found = {
        path.relative_to(place).parent.as_posix(): pq.ParquetFile(path).read().column("id").to_pylist()
        for path in sorted(place.glob("submissions/*/*/*.parquet"))
    }
    assert found == {
        "submissions/service=cassandra/month=2026-10": [rows[0], rows[3]],
        "submissions/service=cassandra/month=2026-11": [rows[1]],
        "submissions/service=scylladb/month=2026-11": [rows[2]],
    }


@pytest.mark.parametrize("table", schema.PARTITIONED)
def test_folders_have_every_row_and_value_of_the_single_file(rows, folder, table, monkeypatch):
    monkeypatch.setattr(partitions, "MOST_BYTES", 1)  # each row a row group
    monkeypatch.setattr(partitions, "MOST_OPEN", 1)  # and files that are closed and go on in another
    monkeypatch.setattr(write, "READ_ROWS", 1)
    place = folder()

    whole = pq.read_table(place / f"{table}.parquet").drop_columns(["service"] if table == "submissions" else [])
    key = "id" if table == "submissions" else "submission"
    parts = [pq.ParquetFile(path).read() for path in place.glob(f"{table}/*/*/*.parquet")]
    split = [row for part in parts for row in part.to_pylist()]
    assert sorted(split, key=lambda row: row[key]) == whole.to_pylist()
    assert (place / f"{table}/service=cassandra/month=2026-10/part-1.parquet").exists()


def test_a_file_with_many_row_groups_is_closed_and_the_partition_goes_on_in_another(rows, folder, monkeypatch):
    """What a writer has in memory of each row group does not grow with the rows."""
    monkeypatch.setattr(partitions, "MOST_BYTES", 1)
    monkeypatch.setattr(partitions, "MOST_GROUPS", 2)
    monkeypatch.setattr(write, "READ_ROWS", 1)
    for _ in range(3):
        Submission.objects.filter(pk=SubmissionFactory().pk).update(created_at=datetime(2026, 10, 2, tzinfo=UTC))
    place = folder()

    paths = sorted(place.glob("submissions/*/*/*.parquet"))
    files = [pq.ParquetFile(path) for path in paths]
    ids = {id for file in files for id in file.read().column("id").to_pylist()}
    assert ids == set(Submission.objects.values_list("pk", flat=True))
    assert [file.num_row_groups for file in files] == [1, 2, 2, 1, 1]
    listed = {file["name"]: file["rows"] for file in Dataset.objects.get().files if "=" in file["name"]}
    assert all(
        listed[path.relative_to(place).as_posix()] == file.metadata.num_rows
        for path, file in zip(paths, files, strict=True)
    )


def test_duckdb_reads_the_folders_as_documented(rows, folder, monkeypatch):
    monkeypatch.chdir(folder())

    assert sorted(duckdb.sql(query("DuckDB")).fetchall()) == [("2026-10", 2), ("2026-11", 1)]


def test_clickhouse_reads_the_folders_as_documented(rows, folder, monkeypatch):
    place = folder()
    sql = query("ClickHouse").replace("file('", f"file('{place}/")

    answer = chdb.query(sql, "CSV").bytes().decode()

    assert sorted(answer.split()) == ['"2026-10",2', '"2026-11",1']


def test_a_name_that_no_folder_may_have_is_escaped(folder):
    SubmissionFactory(workload=WorkloadFactory(service="a/b=c d", title="odd"), service="a/b=c d")

    place = folder()

    [found] = place.glob("submissions/*")
    assert found.name == "service=a%2Fb%3Dc%20d"
    sql = f"SELECT DISTINCT service FROM read_parquet('{place}/submissions/*/*/*.parquet', hive_partitioning = true)"
    assert duckdb.sql(sql).fetchall() == [("a/b=c d",)]


def test_a_file_in_a_folder_is_downloaded_by_its_path_and_the_page_counts_them(client, rows, folder):
    place = folder()
    name = "trials/service=scylladb/month=2026-11/part-0.parquet"

    response = client.get(f"/data/latest/{name}", follow=True)
    page = client.get("/data/").content.decode()

    assert b"".join(response.streaming_content) == (place / name).read_bytes()
    assert response["Content-Disposition"] == 'attachment; filename="part-0.parquet"'
    assert "submissions/service=…/month=…/" in page
    assert "part-0.parquet" not in page
