"""What describes the dataset to programs: true of the files of its newest dump, and valid by each specification."""

import json
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest
import yaml
from justhtml import JustHTML

from submissions.dataset.schema import TABLES
from submissions.dataset.write import write
from tests.factories import SubmissionFactory

pytestmark = pytest.mark.django_db

SITE = "https://bench.example.org"
CFF_SCHEMA = Path(__file__).parents[2] / "data/cff/schema-1.2.0.json"  # of the Citation File Format, CC BY 4.0


@pytest.fixture
def dump(settings):
    settings.SITE_URL = SITE
    SubmissionFactory(measured_at=datetime(2015, 6, 1, tzinfo=UTC), license="CC-BY-4.0")
    SubmissionFactory(measured_at=datetime(2026, 3, 4, tzinfo=UTC), license="CC-BY-4.0")
    return write(datetime(2026, 11, 20, 2, 30, tzinfo=UTC))


def linked(response):
    document = JustHTML(response.content.decode(), sanitize=False)
    blocks = [one for one in document.query("script") if one.attrs.get("type") == "application/ld+json"]
    return [json.loads(block.to_text()) for block in blocks]


def test_the_page_describes_the_dataset_with_its_files(client, dump):
    [described] = linked(client.get("/data/"))

    assert described["@type"] == "Dataset"
    assert described["license"] == "https://creativecommons.org/licenses/by/4.0/"
    assert described["temporalCoverage"] == "2015-06-01/2026-03-04"
    files = {file["name"]: file for file in dump.files}
    assert {one["name"] for one in described["distribution"]} == {
        f"{table.name}{ending}" for table in TABLES for ending in (".parquet", ".csv.gz")
    }
    for one in described["distribution"]:
        assert one["sha256"] == files[one["name"]]["sha256"]
        assert client.get(one["contentUrl"].removeprefix(SITE)).status_code == 200


def test_croissant_names_each_table_with_its_columns(client, dump):
    response = client.get("/data/croissant.json")
    described = response.json()

    assert response["Content-Type"] == "application/ld+json"
    assert described["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    files = {file["@id"] for file in described["distribution"]}
    for table, records in zip(TABLES, described["recordSet"], strict=True):
        assert [field["source"]["extract"]["column"] for field in records["field"]] == [c.name for c in table.columns]
        assert (
            {field["source"]["fileObject"]["@id"] for field in records["field"]} == {f"{table.name}.parquet"} <= files
        )
        assert all(field["@id"].startswith(f"{table.name}/") for field in records["field"])
    known = {"sc:Text", "sc:Integer", "sc:Float", "sc:Boolean", "sc:DateTime", "sc:Date"}
    assert {field["dataType"] for records in described["recordSet"] for field in records["field"]} <= known


def test_the_citation_file_is_valid(client, dump):
    response = client.get("/data/CITATION.cff")
    cited = yaml.safe_load(response.content)

    jsonschema.validate(cited, json.loads(CFF_SCHEMA.read_text()), format_checker=jsonschema.FormatChecker())
    assert (cited["license"], cited["date-released"]) == ("CC-BY-4.0", "2026-11-20")
    assert cited["url"] == f"{SITE}/data/"
    assert response["Content-Disposition"] == 'attachment; filename="CITATION.cff"'


def test_without_a_dump_there_is_nothing_to_describe(client):
    assert linked(client.get("/data/")) == []
    assert client.get("/data/croissant.json").status_code == 404
    assert client.get("/data/CITATION.cff").status_code == 404


def test_the_page_names_the_licence_and_both_files(client, dump):
    html = client.get("/data/").content.decode()

    for words in ("CC BY 4.0", "/data/CITATION.cff", "/data/croissant.json"):
        assert words in html


def test_a_dump_of_mixed_licences_is_not_described_as_one_of_uploads(client, settings):
    settings.SITE_URL = SITE
    SubmissionFactory(license="CC-BY-4.0")
    SubmissionFactory(license="not stated by the source")
    SubmissionFactory(license="CC-BY-SA-4.0", attribution="Spare Cores (sparecores.com), CC BY-SA 4.0")
    write(datetime(2026, 11, 20, 2, 30, tzinfo=UTC))
    own_words = f"{SITE}/data/20261120T023000Z/LICENSE"

    [described] = linked(client.get("/data/"))
    croissant = client.get("/data/croissant.json").json()
    cited = yaml.safe_load(client.get("/data/CITATION.cff").content)

    for one in (described, croissant):
        assert sorted(one["license"]) == sorted(
            [
                "https://creativecommons.org/licenses/by/4.0/",
                "https://creativecommons.org/licenses/by-sa/4.0/",
                own_words,
            ]
        )
        assert one["creditText"] == "Spare Cores (sparecores.com), CC BY-SA 4.0"
        assert "1 result under CC BY-SA 4.0" in one["description"]
    jsonschema.validate(json.loads(json.dumps(cited, default=str)), json.loads(CFF_SCHEMA.read_text()))
    assert (cited.get("license"), cited["license-url"]) == (None, own_words)
