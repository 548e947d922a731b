"""What a page says to sites that show a link to it: once, absolute, and with the numbers of the page."""

import json

import pytest
from justhtml import JustHTML

from tests.factories import SubmissionFactory, UserFactory
from tests.pages import faults
from tests.price_book import in_price_book
from tests.submissions.sharing.test_card import card_address, pages

pytestmark = pytest.mark.django_db

ONCE = (
    *("og:title", "og:description", "og:url", "og:type", "og:site_name", "og:image", "og:image:width"),
    *("og:image:height", "og:image:alt", "twitter:card"),
)


@pytest.fixture
def rows(settings):
    settings.SITE_URL = "https://bench.example.org"
    gce = {"provider": "gce", "instance_type": "n2-standard-4"}
    rows = SubmissionFactory(trials_count=2), SubmissionFactory(trials_count=2, throughput_ops_s=180_000.0, **gce)
    in_price_book()
    return rows


def tags(response):
    """By name, all contents."""
    found = {}
    for meta in JustHTML(response.content.decode(), sanitize=False).query("meta"):
        name = meta.attrs.get("property") or meta.attrs.get("name")
        found.setdefault(name, []).append(meta.attrs.get("content"))
    return found


def link(response, rel):
    document = JustHTML(response.content.decode(), sanitize=False)
    return [each.attrs["href"] for each in document.query("link") if each.attrs.get("rel") == rel]


def test_each_page_has_each_tag_once_with_absolute_addresses(client, rows):
    for page in pages(rows):
        response = client.get(page)
        found = tags(response)

        assert {name: len(found.get(name, ())) for name in ONCE} == dict.fromkeys(ONCE, 1), page
        assert found["og:url"] == link(response, "canonical") == [f"https://bench.example.org{page}"]
        assert found["og:image"] == [f"https://bench.example.org{card_address(page)}"]
        assert (found["og:image:width"], found["og:image:height"]) == (["1200"], ["630"])
        assert found["twitter:card"] == ["summary_large_image"]
        assert faults(response) == [], page


def test_the_description_is_the_finding_of_the_page(client, rows):
    found = tags(client.get("/value/"))

    chart = client.get("/api/v1/chart/?page=/value/&key=groups").json()
    assert found["og:description"] == [chart["finding"]]
    assert "M ops/$" in chart["finding"]
    assert found["og:title"] == [f"Operations per dollar · {rows[0].workload.title}"]


def test_a_result_says_its_own_numbers(client, rows):
    response = client.get(f"/submissions/{rows[0].pk}/")

    assert tags(response)["og:description"] == [response.context["finding"]]
    assert "ops/s" in response.context["finding"]


def test_parameters_that_change_nothing_are_not_in_the_canonical_address(client, rows):
    fingerprint = rows[0].workload.fingerprint
    response = client.get(f"/value/?by=jdk&trust=&utm_source=x&workload={fingerprint}")

    [canonical] = link(response, "canonical")
    assert "utm_source" not in canonical
    assert "trust" not in canonical
    other = client.get(f"/value/?workload={fingerprint}&by=jdk")
    assert link(other, "canonical") == [canonical]


def test_the_canonical_address_of_a_comparison_keeps_the_order_of_its_results(client, rows):
    one, other = (row.pk for row in rows)

    assert link(client.get(f"/compare/?s={other}&s={one}"), "canonical") == [
        f"https://bench.example.org/compare/?s={other}&s={one}"
    ]


def test_words_of_an_uploader_stay_words(client, settings):
    row = SubmissionFactory(title='"><script>alert(1)</script>')

    response = client.get(f"/submissions/{row.pk}/")

    assert faults(response) == []
    assert tags(response)["og:title"] == [f'#{row.pk} "><script>alert(1)</script>']


def test_a_private_result_has_no_tags_even_for_its_owner(client):
    owner = UserFactory()
    row = SubmissionFactory(submitted_by=owner, visibility="private", published_at=None)
    client.force_login(owner)

    response = client.get(f"/submissions/{row.pk}/")

    assert response.status_code == 200
    assert "og:title" not in tags(response)
    assert link(response, "canonical") == []


def test_an_unlisted_result_has_a_picture_and_no_canonical_address(client, rows):
    row = SubmissionFactory(visibility="unlisted", link_key="k" * 24, published_at=None)

    response = client.get(row.get_absolute_url())

    assert tags(response)["og:image"] == [f"https://bench.example.org/submissions/{row.pk}/card.png?key={'k' * 24}"]
    assert link(response, "canonical") == []
    assert response["X-Robots-Tag"] == "noindex"


@pytest.mark.parametrize(
    "page", ["/account/login/", "/nowhere/", "/services/nothing/", "/value/?by=nonsense", "/submissions/new/"]
)
def test_other_pages_have_no_tags(client, page):
    assert "og:title" not in tags(client.get(page))


def test_a_page_names_its_oembed_address(client, rows):
    page = client.get(f"/value/?workload={rows[0].workload.fingerprint}")

    [address] = [one for one in link(page, "alternate") if "oembed" in one]

    answer = client.get(address.removeprefix("https://bench.example.org"))
    assert json.loads(answer.content)["type"] == "rich"
