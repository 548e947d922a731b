"""The Atom feeds: valid, stable, only what is published, and cheap to ask for again."""

from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

import pytest
from django.utils import timezone

from submissions.choices import Outcome
from submissions.ingest.changes.retract import retract
from submissions.models import Submission
from submissions.moderation.decisions import decide
from submissions.records.feeds import NEWEST
from tests.factories import SubmissionFactory, UserFactory, WorkloadFactory
from tests.pages import HOSTILE

pytestmark = pytest.mark.django_db

ATOM = "{http://www.w3.org/2005/Atom}"
PUBLISHED = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


def read(response):
    assert response["Content-Type"] == "application/atom+xml; charset=utf-8"
    return ElementTree.fromstring(response.content)


def entry_links(feed):
    return [entry.find(f"{ATOM}link").attrib["href"] for entry in feed.iter(f"{ATOM}entry")]


def published(**facts):
    row = SubmissionFactory(**facts)
    Submission.objects.filter(pk=row.pk).update(created_at=PUBLISHED, published_at=PUBLISHED)
    return row


def test_an_entry_names_the_submission_its_author_its_day_and_its_finding(client, settings):
    settings.SITE_URL = "https://bench.example.org"
    row = published(title="Three nodes", submitted_by=UserFactory(username="ada"))

    feed = read(client.get("/submissions/feed.atom"))
    entry = feed.find(f"{ATOM}entry")

    assert {part.tag.removeprefix(ATOM): part.text for part in entry if part.tag != f"{ATOM}summary"} == {
        "title": "Three nodes",
        "link": None,
        "published": "2026-03-04T05:06:07+00:00",
        "updated": "2026-03-04T05:06:07+00:00",
        "author": None,
        "id": f"tag:bench.example.org,2026-03-04:submission:{row.pk}",
    }
    assert entry.find(f"{ATOM}author/{ATOM}name").text == "ada"
    assert entry_links(feed) == [f"http://testserver/submissions/{row.pk}/"]
    summary = entry.find(f"{ATOM}summary")
    assert summary.attrib == {"type": "html"}
    assert "Apache Cassandra 2.1.8 on 3× m3.2xlarge · AWS" in summary.text
    assert feed.find(f"{ATOM}updated").text == "2026-03-04T05:06:07+00:00"


@pytest.mark.parametrize("address", ["/submissions/feed.atom", "/submissions/feed/", "/services/cassandra/feed.atom"])
def test_no_title_that_a_new_account_wrote_is_in_a_feed_before_a_moderator_has_decided(client, address):
    row = published(title="Buy cheap databases", unranked_until=timezone.now() + timedelta(days=7))

    def title():
        return read(client.get(address)).find(f"{ATOM}entry/{ATOM}title").text

    assert title() == "Apache Cassandra 2.1.8 on 3× m3.2xlarge · AWS us-east-1: cassandra-stress write"
    decide(row, Outcome.APPROVED, reason="Looks right.", by=None)
    assert title() == "Buy cheap databases"


def test_a_feed_of_a_service_holds_only_that_service(client):
    SubmissionFactory(service="postgresql", workload=WorkloadFactory(title="pg", service="postgresql"))
    row = SubmissionFactory(service="cassandra")

    feed = read(client.get("/services/cassandra/feed.atom"))

    assert entry_links(feed) == [f"http://testserver/submissions/{row.pk}/"]
    assert feed.find(f"{ATOM}title").text == "Benchsite: new results of Apache Cassandra"


def test_what_is_retracted_goes_and_the_feed_has_changed(client):
    gone, row = SubmissionFactory(), SubmissionFactory()
    before = client.get("/submissions/feed.atom")

    retract(gone, reason="a typing error")
    after = client.get("/submissions/feed.atom", headers={"If-Modified-Since": before["Last-Modified"]})
    by_tag = client.get("/submissions/feed.atom", headers={"If-None-Match": before["ETag"]})

    gone.refresh_from_db()
    assert entry_links(read(by_tag)) == [f"http://testserver/submissions/{row.pk}/"]
    assert after["ETag"] != before["ETag"]
    assert read(by_tag).find(f"{ATOM}updated").text == gone.retracted_at.isoformat()


def test_nobody_reads_twice_what_has_not_changed(client):
    SubmissionFactory()
    first = client.get("/submissions/feed.atom")

    by_tag = client.get("/submissions/feed.atom", headers={"If-None-Match": first["ETag"]})
    by_day = client.get("/submissions/feed.atom", headers={"If-Modified-Since": first["Last-Modified"]})

    assert (first.status_code, by_tag.status_code, by_day.status_code) == (200, 304, 304)
    assert by_tag.content == b""


def test_only_the_newest_are_told(client):
    first = SubmissionFactory(trials_count=0)
    for _ in range(NEWEST):
        SubmissionFactory(workload=first.workload, submitted_by=first.submitted_by)

    told = entry_links(read(client.get("/submissions/feed.atom")))

    assert len(told) == NEWEST
    assert f"http://testserver/submissions/{first.pk}/" not in told


def test_a_hostile_title_stays_a_title(client):
    SubmissionFactory(title=f"{HOSTILE}\x0b\x00".replace("\x00", ""), service_version="<b>")

    feed = read(client.get("/submissions/feed.atom"))

    assert feed.find(f"{ATOM}entry/{ATOM}title").text == HOSTILE
    assert "<b>" not in feed.find(f"{ATOM}entry/{ATOM}summary").text
    assert "&lt;b&gt;" in feed.find(f"{ATOM}entry/{ATOM}summary").text


def test_without_a_submission_there_is_an_empty_feed_that_does_not_change(client):
    first, second = client.get("/submissions/feed.atom"), client.get("/submissions/feed.atom")

    assert entry_links(read(first)) == []
    assert first["ETag"] == second["ETag"]
    assert client.get("/services/cassandra/feed.atom").status_code == 404


@pytest.mark.parametrize(
    ("page", "feed"),
    [
        ("/", "/submissions/feed.atom"),
        ("/submissions/", "/submissions/feed.atom"),
        ("/services/cassandra/", "/services/cassandra/feed.atom"),
    ],
)
def test_pages_name_their_feed(client, page, feed):
    SubmissionFactory()

    assert '<link rel="alternate" type="application/atom+xml" title="New ' in client.get(page).content.decode()
    assert f'href="{feed}"' in client.get(page).content.decode()
