"""The licence of a result: agreed to by whoever uploads, kept where a source has its own, shown wherever it is read."""

import json

import pytest

from submissions.dataset.schema import TABLES
from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.store import Origin, store
from submissions.licenses import NOT_STATED
from submissions.models import Submission, Upload
from tests.documents import document
from tests.factories import SubmissionFactory, UserFactory, bearer
from tests.pages import links, text
from tests.submissions.logs import QUORUM, form, log

pytestmark = pytest.mark.django_db
JSON = "application/json"


def by_json(client):
    client.post("/api/v1/submissions/", json.dumps(document()), content_type=JSON, **bearer())


def by_log(client):
    client.post("/api/v1/submissions/import/", form(log(QUORUM)), **bearer())


def in_bulk(client):
    lines = json.dumps(document()).encode() + b"\n"
    answer = client.post("/api/v1/submissions/bulk/", lines, content_type="application/x-ndjson", **bearer())
    assert b'"status":201' in b"".join(answer.streaming_content)


@pytest.mark.parametrize("send", [by_json, by_log, in_bulk])
def test_whoever_uploads_agrees_to_cc_by(client, send):
    send(client)

    assert Submission.objects.get().license == "CC-BY-4.0"


def test_what_nobody_submitted_keeps_the_licence_of_its_source():
    stored = store(prepare_document(document()), submitted_by=None, origin=Origin("CC0-1.0")).submission

    assert stored.license == "CC0-1.0"


def test_the_licence_is_shown_on_the_page_in_the_api_the_feed_and_the_dump(client):
    row = SubmissionFactory(license="CC-BY-4.0")
    own_words = SubmissionFactory(license="As the magazine <says>")
    unknown = SubmissionFactory(source="A. Author: An article", license=NOT_STATED)

    page = client.get(f"/submissions/{row.pk}/")
    assert "https://creativecommons.org/licenses/by/4.0/" in links(page)
    assert "As the magazine &lt;says&gt;" in client.get(f"/submissions/{own_words.pk}/").content.decode()
    assert "Licence Not stated by the source" in text(client.get(f"/submissions/{unknown.pk}/"))
    assert client.get(f"/api/v1/submissions/{unknown.pk}/").json()["license"] == NOT_STATED
    assert client.get(f"/api/v1/submissions/{row.pk}/").json()["license"] == "CC-BY-4.0"
    assert "<rights>CC-BY-4.0</rights>" in client.get("/submissions/feed.atom").content.decode()
    [table] = [table for table in TABLES if table.name == "submissions"]
    [column] = [column for column in table.columns if column.name == "license"]
    assert list(table.rows().values_list(column.field, flat=True)) == [
        "CC-BY-4.0",
        "As the magazine <says>",
        NOT_STATED,
    ]


def test_the_form_says_it_before_anything_is_published(client):
    client.force_login(UserFactory())

    client.post("/submissions/new/", {"log": [log(QUORUM)]})
    review = client.get(f"/submissions/new/{Upload.objects.get().pk}/")

    assert "You publish the result and its files under CC BY 4.0" in text(review)
    assert "/terms/" in links(review)
