"""The feed of a filtered list: the same results, the newest first."""

import pytest

from tests.factories import SubmissionFactory
from tests.pages import links
from tests.submissions.records.test_feeds import ATOM, entry_links, read

pytestmark = pytest.mark.django_db


def test_a_filtered_list_names_its_feed_which_has_the_same_results(client):
    wanted = [SubmissionFactory(provider="gce", node_count=nodes) for nodes in (3, 6, 9)]
    SubmissionFactory(provider="gce", node_count=12)
    SubmissionFactory(provider="aws")
    SubmissionFactory(provider="gce", visibility="private")
    page = client.get("/submissions/?provider=gce&max_node_count=9&ordering=node_count")
    address = "/submissions/feed/?provider=gce&max_node_count=9"

    feed = read(client.get(address))

    own = [link.attrib["href"] for link in feed.findall(f"{ATOM}link") if link.attrib["rel"] == "self"]
    assert own == [f"http://testserver{address}"]
    assert address in links(page, "^/submissions/feed/")
    assert f'href="{address.replace("&", "&amp;")}"' in page.content.decode().partition("</head>")[0]
    assert entry_links(feed) == [f"http://testserver{row.get_absolute_url()}" for row in reversed(wanted)]
    assert {row.pk for row in page.context["page"].rows} == {row.pk for row in wanted}
    assert (
        feed.find(f"{ATOM}title").text
        == "Benchsite: new results, Provider: Google Cloud, Maximum number of database nodes: 9"
    )


def test_a_misspelt_or_bad_filter_is_refused_by_name(client):
    answer = client.get("/submissions/feed/?provder=gce&max_p99_ms=x")

    assert answer.status_code == 400
    assert answer.content.decode().splitlines() == [
        "provder: unknown parameter",
        "max_p99_ms: Enter a number such as 10, 2.5 or 10 ms.",
    ]


def test_the_order_and_the_page_of_the_list_change_nothing(client):
    SubmissionFactory()

    one = client.get("/submissions/feed/")
    other = client.get("/submissions/feed/?ordering=node_count&cursor=x")

    assert entry_links(read(one)) == entry_links(read(other))
