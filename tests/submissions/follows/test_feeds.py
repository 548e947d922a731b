"""Feeds of changes: of a history, for anybody; of a follow, for whoever has its secret address."""

import pytest

from submissions.follows import manage
from tests.factories import UserFactory
from tests.pages import links
from tests.submissions.follows.histories import before, begin, look, worse
from tests.submissions.records.test_feeds import ATOM, entry_links, read

pytestmark = pytest.mark.django_db


@pytest.fixture
def first(sends):
    return before()[0]


def titles(feed):
    return [entry.find(f"{ATOM}title").text for entry in feed.iter(f"{ATOM}entry")]


def test_a_history_has_a_feed_of_its_changes_and_names_it(client, first):
    after = worse()
    page = client.get("/history/", {"like": first.pk})
    [address] = links(page, "^/history/feed.atom")
    feed = read(client.get(address))

    assert f'title="Changes of this history" href="{address.replace("&", "&amp;")}"' in page.content.decode()
    [own] = [link.attrib["href"] for link in feed.findall(f"{ATOM}link") if link.attrib["rel"] == "self"]
    assert own == f"http://testserver{address}"
    [title] = titles(feed)
    assert title.startswith("p99 service time of nightly on 3× m3.2xlarge")
    assert entry_links(feed)[0].endswith(f"#p99-{after[0].pk}")


def test_a_history_without_changes_has_an_empty_feed_and_a_bad_parameter_is_refused(client, first):
    assert titles(read(client.get("/history/feed.atom", {"like": first.pk}))) == []
    assert client.get("/history/feed.atom", {"like": "x"}).status_code == 400
    assert client.get("/history/feed.atom", {"odd": "x"}).status_code == 400
    assert client.get("/history/feed.atom", {"workload": "nope"}).status_code == 404


def test_a_follow_has_a_feed_of_its_notices_without_an_account_until_its_address_ends(
    client, first, django_capture_on_commit_callbacks
):
    follow = begin(first, UserFactory(), by_email=False, has_feed=True)
    address = f"/follows/{follow.feed_key}/feed.atom"
    assert titles(read(client.get(address))) == []
    worse()
    look(first, django_capture_on_commit_callbacks)

    assert [title.startswith("p99 service time of nightly") for title in titles(read(client.get(address)))] == [True]
    manage.renew_feed(follow, has_feed=True)
    assert client.get(address).status_code == 404


def test_a_paused_follow_and_one_of_a_closed_account_have_no_feed(client, first):
    follow = begin(first, UserFactory(), by_email=False, has_feed=True)
    address = f"/follows/{follow.feed_key}/feed.atom"
    follow.user.is_active = False
    follow.user.save()

    assert client.get(address).status_code == 404
