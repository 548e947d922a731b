"""A page that a crowd reads is rendered once a moment; nobody is shown what is somebody else's, or is older."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchsite.ops import counts
from tests.factories import SubmissionFactory, UserFactory
from tests.pages import text

pytestmark = pytest.mark.django_db

LIST = "/submissions/"


@pytest.fixture(autouse=True)
def kept(settings, clear_cache):
    settings.PAGE_CACHE_SECONDS = 60


def queries(address, client=None, **headers):
    """How many queries the answer took, as a first visit of a browser without cookies."""
    with CaptureQueriesContext(connection) as asked:
        assert (client or Client()).get(address, **headers).status_code == 200
    return len(asked)


def test_the_second_reader_of_a_page_costs_no_query_and_gets_the_same_page(client):
    SubmissionFactory()
    first = client.get(LIST)

    assert queries(LIST) == 0
    second = Client().get(LIST)
    assert second.content == first.content
    assert second["Content-Security-Policy"] == first["Content-Security-Policy"]
    assert second["X-Request-ID"] != first["X-Request-ID"]
    assert second["Vary"] == first["Vary"]
    assert second["Cache-Control"] == "max-age=60"


def test_each_query_host_and_site_of_it_has_a_page_of_its_own(settings):
    settings.ALLOWED_HOSTS = ["one.example", "two.example"]
    assert queries(LIST, HTTP_HOST="one.example") > 0
    assert queries(LIST, HTTP_HOST="one.example") == 0
    assert queries(LIST, HTTP_HOST="two.example") > 0
    assert queries(f"{LIST}?service=cassandra", HTTP_HOST="one.example") > 0
    assert Client().get(LIST, HTTP_HOST="three.example").status_code == 400


def test_who_is_signed_in_sees_what_is_true_now_and_leaves_nothing_of_it_to_others(client):
    client.get(LIST)
    signed_in, added = Client(), SubmissionFactory(title="Came a moment ago")
    signed_in.force_login(UserFactory(username="reader-of-it"))

    assert added.title in text(signed_in.get(LIST))
    page = text(Client().get(LIST))
    assert added.title not in page
    assert "reader-of-it" not in page


def test_a_page_that_gives_a_cookie_is_nobody_elses(client):
    """It has the token of a form, which works with the cookie only."""
    visitors = [Client(), Client()]
    answers = [visitor.get("/account/login/") for visitor in visitors]

    tokens = {visitor.cookies["csrftoken"].value for visitor in visitors}
    assert len(tokens) == 2
    assert answers[0].content != answers[1].content


def test_a_program_that_asks_the_api_reads_what_it_has_just_written(client):
    client.get("/api/v1/submissions/")
    added = SubmissionFactory()

    assert [one["id"] for one in client.get("/api/v1/submissions/").json()["results"]] == [added.pk]


def test_a_missing_page_is_looked_for_again(client):
    added = SubmissionFactory.build()
    assert client.get(f"{LIST}999999/").status_code == 404
    SubmissionFactory(pk=999999, title=added.title)

    assert client.get(f"{LIST}999999/").status_code == 200


def test_without_the_setting_each_page_is_made_anew(client, settings):
    settings.PAGE_CACHE_SECONDS = 0
    client.get(LIST)

    assert queries(LIST) > 0
    assert "Cache-Control" not in client.get(LIST)


def test_a_kept_page_is_counted_by_its_name(client, redis_client, monkeypatch):
    names = []
    monkeypatch.setattr(counts, "count", lambda kind, name, *rest: names.append(name))

    for _ in range(2):
        Client().get(LIST)

    assert names == ["GET submissions:list"] * 2
