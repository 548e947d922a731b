"""oEmbed: a frame for a page with a chart, a link for one without, and nothing for what is not ours or not public."""

from urllib.parse import quote

import pytest

from tests.factories import SubmissionFactory
from tests.price_book import in_price_book

pytestmark = pytest.mark.django_db

SITE = "https://bench.example.org"


@pytest.fixture(autouse=True)
def rows(settings):
    settings.SITE_URL = SITE
    rows = SubmissionFactory(trials_count=2), SubmissionFactory(provider="gce", trials_count=2)
    in_price_book()
    return rows


def asked(client, url, more=""):
    return client.get(f"/oembed/?url={quote(url, safe='')}{more}")


def test_a_page_with_a_chart_is_a_frame_that_works(client, rows):
    answer = asked(client, f"{SITE}/value/?workload={rows[0].workload.fingerprint}").json()

    assert (answer["version"], answer["type"], answer["provider_name"]) == ("1.0", "rich", "Benchsite")
    assert answer["title"] == f"Operations per dollar · {rows[0].workload.title}"
    assert (answer["thumbnail_width"], answer["thumbnail_height"]) == (1200, 630)
    assert client.get(answer["thumbnail_url"].removeprefix(SITE)).status_code == 200
    frame = answer["html"].partition('src="')[2].partition('"')[0].replace("&amp;", "&")
    assert frame.startswith(f"{SITE}/embed/groups/value/")
    assert "X-Frame-Options" not in client.get(frame.removeprefix(SITE))


def test_a_frame_is_no_larger_than_asked_for(client):
    answer = asked(client, f"{SITE}/value/", "&maxwidth=400&maxheight=300").json()

    assert (answer["width"], answer["height"]) == (400, 300)
    assert "thumbnail_url" not in answer


def test_a_page_without_a_chart_is_a_link_with_a_picture(client):
    answer = asked(client, f"{SITE}/services/cassandra/").json()

    assert answer["type"] == "link"
    assert "html" not in answer
    assert answer["thumbnail_url"] == f"{SITE}/services/cassandra/card.png"


@pytest.mark.parametrize(
    "url",
    [
        "https://elsewhere.example/value/",
        "http://bench.example.org/value/",
        f"{SITE}.evil.example/value/",
        f"{SITE}/nowhere/",
        f"{SITE}/account/",
        f"{SITE}/submissions/4711/",
        f"{SITE}//elsewhere.example/",
        "javascript:alert(1)",
        "http://[",
    ],
)
def test_other_addresses_are_refused(client, url):
    response = asked(client, url)

    assert response.status_code == 404
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["errors"][0]["pointer"] == "#/url"


def test_a_private_result_is_as_unknown_as_one_that_is_not_there(client):
    row = SubmissionFactory(visibility="private", published_at=None)

    hidden, missing = (asked(client, f"{SITE}/submissions/{pk}/") for pk in (row.pk, 4711))
    assert hidden.status_code == missing.status_code == 404
    assert hidden.json()["errors"] == missing.json()["errors"]


def test_another_format_than_json_is_not_implemented(client):
    assert asked(client, f"{SITE}/value/", "&format=xml").status_code == 501
    assert asked(client, f"{SITE}/value/", "&format=json").status_code == 200


@pytest.mark.parametrize(("query", "field"), [("", "url"), ("url=x&maxwidth=wide", "maxwidth")])
def test_bad_parameters_are_named(client, query, field):
    response = client.get(f"/oembed/?{query}")

    assert response.status_code == 400
    assert response.json()["errors"][0]["pointer"] == f"#/{field}"
