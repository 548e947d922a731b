"""The search in the API: the rows of a list, and what else matches."""

import pytest

from submissions.search.query import A_PAGE
from tests.factories import SubmissionFactory

pytestmark = pytest.mark.django_db


def test_results_are_rows_as_a_list_has_them_with_what_else_matches(client):
    row = SubmissionFactory(title="Netflix")

    answer = client.get("/api/v1/search/?q=netflix").json()

    assert (answer["q"], answer["count"], answer["is_capped"], answer["next"]) == ("netflix", 1, False, None)
    [found] = answer["results"]
    [listed] = client.get("/api/v1/submissions/").json()["results"]
    assert {name: found[name] for name in listed} == listed
    assert found["relative_throughput"] is None
    assert {"kind": "page", "label": "Classics", "url": "http://testserver/classics/"}.items() <= answer["places"][
        0
    ].items()
    assert found["id"] == row.pk


def test_next_leads_through_all_pages_and_places_are_on_the_first(client):
    SubmissionFactory.create_batch(A_PAGE + 1, title="Netflix")

    first = client.get("/api/v1/search/?q=netflix").json()
    second = client.get(first["next"]).json()

    assert (len(first["results"]), len(second["results"]), second["next"]) == (A_PAGE, 1, None)
    assert first["places"]
    assert second["places"] == []


def test_without_words_nothing_is_found(client):
    SubmissionFactory()

    answer = client.get("/api/v1/search/").json()

    assert (answer["count"], answer["results"], answer["places"]) == (0, [], [])


def test_a_misspelt_parameter_is_refused(client):
    response = client.get("/api/v1/search/?query=netflix")

    assert response.status_code == 400
    assert "query" in response.content.decode()


def test_a_page_as_json_leads_to_the_api(client):
    response = client.get("/search/?q=netflix&format=json")

    assert response.status_code == 302
    assert response["Location"].startswith("/api/v1/search/?q=netflix")
