"""Making a short link by the button of a page, following it, and the page about it."""

import re

import pytest
from django.test import Client

from submissions.models import ShortLink
from submissions.sharing.links import shorten
from submissions.sharing.page import ShareThrottle
from tests.factories import SubmissionFactory, UserFactory
from tests.pages import faults, links, text

pytestmark = pytest.mark.django_db

VALUE = "/value/?by=jdk&max_p99_ms=10"


@pytest.fixture(autouse=True)
def _nothing_counted(clear_cache):
    """No request of another test counts."""


def test_the_button_leads_to_the_link_and_the_link_to_the_view(client):
    made = client.post("/s/", {"path": VALUE})
    key = ShortLink.objects.get().key
    followed = client.get(f"/s/{key}/")

    assert (made.status_code, made.url) == (302, f"/s/{key}/about/")
    assert (followed.status_code, followed.url) == (302, VALUE)


def test_the_page_of_a_link_shows_it_to_be_copied_and_says_what_is_permanent(client):
    link = shorten(VALUE)

    response = client.get(f"/s/{link.key}/about/")

    said = text(response)
    assert f"http://testserver/s/{link.key}/ is a permanent link to this view." in said
    assert f'value="http://testserver/s/{link.key}/"' in response.content.decode()
    assert "new results are added, retracted ones removed" in said
    assert f"@misc{{benchsite-{link.key}," in said
    assert "title = {Benchsite: Operations per dollar}," in said
    assert VALUE in [address.replace("&amp;", "&") for address in links(response)]
    assert faults(response) == []


def test_a_link_remembers_who_made_it_first(client):
    maker = UserFactory()
    client.force_login(maker)

    client.post("/s/", {"path": VALUE})
    client.force_login(UserFactory())
    client.post("/s/", {"path": VALUE})

    assert ShortLink.objects.get().created_by == maker


def test_a_link_outlives_its_maker():
    maker = UserFactory()
    link = shorten(VALUE, created_by=maker)

    maker.delete()

    link.refresh_from_db()
    assert (link.path, link.created_by) == (VALUE, None)


@pytest.mark.parametrize("path", ["//evil.example/", "https://evil.example/", "/account/", "/runs/", "", "/\\evil"])
def test_no_link_leads_away_or_to_what_is_private(client, path):
    response = client.post("/s/", {"path": path})

    assert response.status_code == 400
    assert faults(response) == []
    assert not ShortLink.objects.exists()


def test_only_a_form_of_this_site_makes_a_link_in_the_name_of_an_account():
    client = Client(enforce_csrf_checks=True)
    client.force_login(UserFactory())

    response = client.post("/s/", {"path": VALUE})

    assert response.status_code == 403
    assert not ShortLink.objects.exists()


@pytest.mark.parametrize("is_signed_in", [True, False])
def test_the_form_of_a_page_has_the_view_and_for_an_account_its_token(is_signed_in):
    address = f"/?workload={SubmissionFactory().workload.fingerprint}"
    client = Client(enforce_csrf_checks=True)
    if is_signed_in:
        client.force_login(UserFactory())
    page = client.get(address)
    sent = dict(
        re.findall(r'<input type="hidden" name="(path|csrfmiddlewaretoken)" value="([^"]+)">', page.content.decode())
    )

    made = client.post("/s/", sent)

    assert sent["path"] == address
    assert ("csrfmiddlewaretoken" in sent, "csrftoken" in client.cookies) == (is_signed_in, is_signed_in)
    assert made.status_code == 302
    assert faults(page) == []


def test_asking_too_often_is_refused_for_a_while(client, monkeypatch, clear_cache):
    monkeypatch.setitem(ShareThrottle.THROTTLE_RATES, "share", "2/min")
    answers = [client.post("/s/", {"path": f"/value/?max_p99_ms={ms}"}) for ms in (1, 2, 3)]

    assert [answer.status_code for answer in answers] == [302, 302, 429]
    assert 1 <= int(answers[2]["Retry-After"]) <= 61
    assert ShortLink.objects.count() == 2


@pytest.mark.parametrize("path", ["/s/aaaaaaaa/", "/s/aaaaaaaa/about/"])
def test_an_unknown_key_is_not_found(client, path):
    assert client.get(path).status_code == 404


def test_a_link_cannot_be_made_by_following_a_link(client):
    assert client.get("/s/").status_code == 405


def test_following_a_link_costs_one_query(client, django_assert_num_queries):
    link = shorten(VALUE)

    with django_assert_num_queries(1):
        client.get(f"/s/{link.key}/")
