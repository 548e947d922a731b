"""The picture of a page: of what everybody sees, at one address, and nobody's private result in it."""

import struct

import pytest
from django.test import Client

from submissions.charts.png import card_svg
from submissions.sharing.card import card_of
from submissions.sharing.links import known_view
from tests.factories import SubmissionFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows():
    gce = {"provider": "gce", "instance_type": "n2-standard-4"}
    return SubmissionFactory(trials_count=2), SubmissionFactory(trials_count=2, throughput_ops_s=180_000.0, **gce)


def size(picture):
    return struct.unpack(">II", picture[16:24])


def pages(rows):
    fingerprint = rows[0].workload.fingerprint
    return [
        "/",
        "/value/",
        "/recommend/",
        "/scaling/",
        "/compare/databases/",
        "/coverage/",
        "/coverage/?provider=aws",
        "/history/",
        "/compare/grid/",
        "/services/cassandra/",
        "/submissions/",
        f"/submissions/{rows[0].pk}/",
        f"/workloads/{fingerprint}/",
        f"/compare/?s={rows[0].pk}&s={rows[1].pk}",
    ]


def card_address(page):
    path, mark, query = page.partition("?")
    return f"{path}card.png{mark}{query}"


def test_each_page_has_a_picture_of_1200_by_630(client, rows):
    for page in pages(rows):
        response = client.get(card_address(page))

        assert response.status_code == 200, page
        assert response["Content-Type"] == "image/png"
        assert response["Cache-Control"] == "public, max-age=3600"
        assert size(response.content) == (1200, 630)
        assert len(response.content) > 5_000, page  # a blank one has 3,000 bytes


def test_a_picture_is_not_sent_again_to_who_has_it(client, rows):
    first = client.get("/value/card.png")

    again = client.get("/value/card.png", headers={"if-none-match": first["ETag"]})

    assert again.status_code == 304


def test_a_picture_shows_the_finding_and_the_numbers_of_its_page(client, rows):
    picture = card_svg(card_of(known_view(f"/submissions/{rows[1].pk}/")))

    assert client.get(f"/submissions/{rows[1].pk}/").context["preview"].key_figure[0] in picture
    assert "M ops/$" in picture
    assert f"#{rows[1].pk}" in picture


def test_a_result_whose_rate_does_not_count_has_no_large_figure():
    for changes in ({"flags": ["failed"]}, {"throughput_ops_s": None, "relative_throughput": 1.5, "ops_per_usd": None}):
        row = SubmissionFactory(**changes)
        assert card_of(known_view(f"/submissions/{row.pk}/")).key_figure is None


def test_one_picture_has_one_address(client, rows):
    fingerprint = rows[0].workload.fingerprint
    wanted = f"/value/card.png?workload={fingerprint}&by=jdk"

    others = ("?by=jdk&workload={}", "?workload={}&trust=&by=jdk&utm=1")
    for query in (other.format(fingerprint) for other in others):
        response = client.get(f"/value/card.png{query}")
        assert response.status_code == 302
        assert sorted(response["Location"].partition("?")[2].split("&")) == sorted(wanted.partition("?")[2].split("&"))
        assert client.get(response["Location"]).status_code == 200


@pytest.mark.parametrize("state", [{"visibility": "private"}, {"visibility": "unlisted", "link_key": "k" * 24}])
def test_nobody_gets_a_picture_of_what_is_not_public(state):
    owner = UserFactory()
    row = SubmissionFactory(submitted_by=owner, title="Secret title", published_at=None, **state)
    signed_in = Client()
    signed_in.force_login(owner)

    for reader in (Client(), signed_in):
        assert reader.get(f"/submissions/{row.pk}/card.png").status_code == 404


def test_an_unlisted_result_has_a_picture_by_its_link_alone(client):
    row = SubmissionFactory(visibility="unlisted", link_key="k" * 24, published_at=None)

    response = client.get(f"/submissions/{row.pk}/card.png?key={'k' * 24}")

    assert response.status_code == 200
    assert (response["Cache-Control"], response["X-Robots-Tag"]) == ("private, no-store", "noindex")
    view = known_view(f"/submissions/{row.pk}/?key={'k' * 24}")
    assert "kkkk" not in card_svg(card_of(view))


def test_a_key_of_nobody_leads_to_the_one_address_as_any_other_parameter_does(client, rows):
    other = SubmissionFactory(visibility="unlisted", link_key="o" * 24, published_at=None)
    for page in (f"/submissions/{rows[0].pk}/card.png", f"/compare/card.png?s={rows[0].pk}&s={rows[1].pk}"):
        mark = "&" if "?" in page else "?"
        for key in ("n" * 24, other.link_key):  # whether a key opens something elsewhere is not answered either
            response = client.get(f"{page}{mark}key={key}&x=1")

            assert (response.status_code, response["Location"]) == (302, page)
        assert client.get(page).status_code == 200


def test_the_picture_of_an_unlisted_result_has_one_address_too(client):
    row = SubmissionFactory(visibility="unlisted", link_key="k" * 24, published_at=None)
    path, key = f"/submissions/{row.pk}/card.png", "k" * 24

    response = client.get(f"{path}?x=1&key={key}&key={'n' * 24}")

    assert (response.status_code, response["Location"]) == (302, f"{path}?key={key}")
    assert response["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize("key", ["k" * 24, "n" * 24])
def test_a_private_result_and_none_at_all_answer_alike_whatever_the_key(client, key):
    """Also that of the link which it had when it was unlisted."""
    row = SubmissionFactory(visibility="private", link_key="k" * 24, published_at=None)
    answers = []
    for number in (row.pk, row.pk + 1000):
        first = client.get(f"/submissions/{number}/card.png?key={key}")
        second = client.get(first["Location"])
        answers.append(
            (first.status_code, first["Cache-Control"], second.status_code, first["Location"].replace(str(number), ""))
        )

    assert answers[0] == answers[1] == (302, "private, no-store", 404, "/submissions//card.png")


@pytest.mark.parametrize("address", ["/account/card.png", "/nowhere/card.png", "/value/?x=1card.png", "/s/card.png"])
def test_what_is_no_page_for_everybody_has_no_picture(client, address):
    assert client.get(address).get("Content-Type") != "image/png"


def test_a_result_that_is_not_there_has_no_picture(client):
    assert client.get("/submissions/4711/card.png").status_code == 404
