"""GET value/: its parameters."""

import re

import pytest

from benchsite.redis.cache import evictable_cache
from tests.benchsite.http.stored_pages import keys
from tests.factories import SubmissionFactory

pytestmark = pytest.mark.django_db

API = "/api/v1/value/"


@pytest.mark.parametrize(
    ("query", "pointer"),
    [("workload=0123456789abcdef", "#/workload"), ("colour=red", "#/colour"), ("prices=on", "#/prices_on")],
)
def test_a_bad_query_of_the_api_is_named(client, faults, query, pointer):
    SubmissionFactory()

    assert list(faults(client.get(f"{API}?{query}"))) == [pointer]


def test_without_a_priced_submission_there_is_nothing_to_rank(client, faults):
    SubmissionFactory(hourly_usd=None)

    assert faults(client.get(API)) == {"#/workload": "no workload has a priced submission yet"}


def test_its_csv_is_named_by_what_it_holds_and_the_day(client):
    SubmissionFactory()

    for query, name in (("", "value-by-cloud"), ("&by=instance_type", "value-by-instance-type")):
        response = client.get(f"/api/v1/value/?format=csv{query}")
        expected = rf'attachment; filename="benchsite-{name}-\d{{4}}-\d\d-\d\d\.csv"'
        assert re.fullmatch(expected, response["Content-Disposition"])


@pytest.mark.parametrize("address", [API, "/api/v1/leaderboard/?workload={workload}&by=provider"])
def test_an_answer_is_kept_as_it_is_sent(client, address, clear_cache):
    """A crowd of readers would otherwise make thousands of objects of it, each for itself."""
    row = SubmissionFactory()
    address = address.format(workload=row.workload.fingerprint)
    first = client.get(address)

    values = [evictable_cache.get(key) for key in keys("cached:*")]
    assert first.content in [answer.value for answer in values]
    assert first["Content-Type"] == "application/json"
    indented = client.get(address, headers={"Accept": "application/json; indent=2"})
    assert indented.json() == first.json()
    assert indented.content.count(b"\n") > 10
