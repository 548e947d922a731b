"""A dump says under which licences its rows are, and whom copies have to name: counted by a reader of this test."""

import csv
import gzip
from collections import Counter
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.files.storage import default_storage

from submissions.dataset.write import write
from submissions.models import Dataset
from tests.factories import SubmissionFactory
from tests.pages import faults, links, text

pytestmark = pytest.mark.django_db
NIGHT = datetime(2026, 11, 20, 2, 30, tzinfo=UTC)
SPARE = "Spare Cores (sparecores.com), CC BY-SA 4.0"
OF_PACK = {"license": "CC-BY-SA-4.0", "pack": "sparecores", "attribution": SPARE, "submitted_by": None}


@pytest.fixture
def dump():
    for _ in range(3):
        SubmissionFactory(**OF_PACK)
    SubmissionFactory(license="CC-BY-4.0")
    SubmissionFactory(license="CC-BY-4.0")
    SubmissionFactory(license="Apache-2.0", pack="public_runs", submitted_by=None)
    SubmissionFactory(license="CC-BY-4.0", visibility="private")
    return write(NIGHT)


def read(dump, name):
    with default_storage.open(f"{dump.folder}/{name}") as stored:
        return stored.read()


def test_each_row_of_a_dump_names_its_licence_its_authors_and_its_pack(dump):
    parquet = pq.read_table(pa.BufferReader(read(dump, "submissions.parquet"))).to_pylist()
    lines = gzip.decompress(read(dump, "submissions.csv.gz")).decode().splitlines(keepends=True)

    for rows in (parquet, list(csv.DictReader(lines))):
        assert Counter((row["license"], row["attribution"] or "", row["pack"] or "") for row in rows) == {
            ("CC-BY-SA-4.0", SPARE, "sparecores"): 3,
            ("CC-BY-4.0", "", ""): 2,
            ("Apache-2.0", "", "public_runs"): 1,
        }


def test_the_page_and_the_text_of_a_dump_count_its_licences_by_row(client, dump):
    page = client.get("/data/")

    assert "Mixed licences, by row: 3 results under CC BY-SA 4.0, 2 results under CC BY 4.0 and 1 result" in text(page)
    assert "https://creativecommons.org/licenses/by-sa/4.0/" in links(page)
    assert SPARE in text(page)
    assert faults(page) == []
    stated = read(dump, "LICENSE").decode()
    assert f"- 3 results: CC BY-SA 4.0, to be credited as {SPARE}\n- 2 results: CC BY 4.0\n" in stated
    assert "Mixed licences, by row: 3 results under CC BY-SA 4.0" in read(dump, "README.md").decode()


def test_a_dump_of_uploads_alone_has_one_licence(client):
    SubmissionFactory(license="CC-BY-4.0")
    dump = write(NIGHT)

    assert "Mixed licences" not in text(client.get("/data/"))
    assert "Mixed licences" not in read(dump, "README.md").decode()


def test_an_older_dump_whose_licences_were_not_counted_is_shown_as_before(client, dump):
    Dataset.objects.update(licenses=[])

    assert "Data licence: CC BY 4.0, unless a result names another" in text(client.get("/data/"))
