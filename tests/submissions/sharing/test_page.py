"""Making a short link by the button of a page, following it, and the page about it."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from submissions.models import ShortLink
from submissions.sharing.links import shorten
from submissions.sharing.page import ShareThrottle
from submissions.tasks import forget_unused_short_links
from tests.factories import SubmissionFactory, UserFactory
from tests.pages import faults, links, text
from tests.price_book import in_price_book

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
    link = shorten(VALUE, created_by=UserFactory())

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


def unused_for(link, days):
    """The same link as if nobody had used it for so long."""
    link.last_used_on = timezone.now().date() - timedelta(days=days)
    link.save()
    return link


def test_a_link_of_a_visitor_says_for_how_long_it_stays(client):
    said = text(client.get(f"/s/{shorten(VALUE).key}/about/"))

    assert "is a link to this view" in said
    assert "When nobody has opened it for 365 days: it belongs to no account." in said


def test_links_of_visitors_are_deleted_after_a_year_without_use_and_those_of_accounts_never():
    unused, used = unused_for(shorten("/value/"), 366), unused_for(shorten("/value/?by=jdk"), 364)
    kept = unused_for(shorten("/value/?by=disk", created_by=UserFactory()), 4000)

    forget_unused_short_links()

    assert set(ShortLink.objects.all()) == {used, kept}
    assert shorten("/value/").key == unused.key


def by_following(client, link):
    client.get(f"/s/{link.key}/")


def by_making_it_again(client, link):
    client.post("/s/", {"path": link.path})


@pytest.mark.parametrize("use", [by_following, by_making_it_again])
def test_a_link_that_is_used_stays(client, use):
    link = unused_for(shorten(VALUE), 400)

    use(client, link)
    forget_unused_short_links()

    assert ShortLink.objects.get().last_used_on == timezone.now().date()


def test_the_day_of_the_last_use_is_written_once_a_day(client):
    link = unused_for(shorten(VALUE), 1)

    def writes():
        with CaptureQueriesContext(connection) as captured:
            client.get(f"/s/{link.key}/")
        return [query["sql"] for query in captured if query["sql"].startswith("UPDATE")]

    assert len(writes()) == 1
    assert writes() == []


def test_an_account_keeps_the_link_that_a_visitor_has_made_first(client):
    shorten(VALUE)
    account = UserFactory()
    client.force_login(account)

    client.post("/s/", {"path": VALUE})

    assert ShortLink.objects.get().created_by == account


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
    in_price_book()
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


@pytest.mark.parametrize("is_signed_in", [True, False])
def test_an_address_and_an_account_make_no_more_than_so_many_a_day(client, monkeypatch, is_signed_in):
    monkeypatch.setitem(ShareThrottle.THROTTLE_RATES, "share_day", "2/day")
    if is_signed_in:
        client.force_login(UserFactory())
    answers = [client.post("/s/", {"path": f"/value/?max_p99_ms={ms}"}) for ms in (1, 2, 3)]

    assert [answer.status_code for answer in answers] == [302, 302, 429]
    assert int(answers[2]["Retry-After"]) > 3600
    assert client.post("/s/", {"path": VALUE}, REMOTE_ADDR="192.0.2.9").status_code == (429 if is_signed_in else 302)


def test_it_is_two_hundred_a_day():
    assert ShareThrottle().parse_rate(ShareThrottle.THROTTLE_RATES["share_day"]) == (200, 86400)


@pytest.mark.parametrize("path", ["/s/aaaaaaaa/", "/s/aaaaaaaa/about/"])
def test_an_unknown_key_is_not_found(client, path):
    assert client.get(path).status_code == 404


def test_a_link_cannot_be_made_by_following_a_link(client):
    assert client.get("/s/").status_code == 405
