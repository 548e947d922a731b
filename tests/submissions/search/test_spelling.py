"""A misspelt word is put right where no result has it."""

import pytest

from submissions.search.spelling import did_you_mean
from submissions.search.terms import asked
from tests.factories import SubmissionFactory
from tests.pages import links, text


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("casandra", "cassandra"),
        ("Cassnadra", "cassandra"),
        ("cheapest casandra", "cheapest cassandra"),
        ("cheepest cassandra", "cheapest cassandra"),
        ("mongobd vs scyla", "mongodb vs scylla"),
        ("postgers gp3", "postgres gp3"),
        ("reddis arm", "redis arm"),
        ("gogle", "google"),
    ],
)
def test_a_misspelt_word_is_the_one_that_it_is_most_like(typed, meant):
    assert did_you_mean(asked(typed)) == meant


@pytest.mark.parametrize("typed", ["cassandra", "cass", "i4i", "m5.xlrage", "#72", '"casandra"', "xqzwv", "on", ""])
def test_what_is_right_short_quoted_or_like_nothing_is_left(typed):
    assert did_you_mean(asked(typed)) == ""


@pytest.mark.django_db
def test_the_page_and_the_api_offer_the_search_that_was_meant(client):
    SubmissionFactory()

    page = client.get("/search/", {"q": "casandra"})

    assert "Did you mean cassandra?" in text(page)
    assert "?q=cassandra" in links(page)
    assert client.get("/api/v1/search/?q=casandra").json()["did_you_mean"] == "cassandra"


@pytest.mark.django_db
def test_a_word_that_a_result_has_is_not_put_right(client):
    SubmissionFactory(title="Casandra Jones, a blog")

    assert "Did you mean" not in text(client.get("/search/", {"q": "casandra"}))
    assert client.get("/api/v1/search/?q=casandra").json()["did_you_mean"] is None
