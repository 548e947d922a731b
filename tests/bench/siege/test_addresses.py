"""The costly addresses that the siege asks: each is one that the site answers, and is asked with a new query."""

import re
from urllib.parse import urlsplit

import pytest

from bench.siege import addresses
from bench.siege.heavy import Results
from bench.siege.target import Target


@pytest.fixture
def results(live_server):
    """None of them is heavy: none has intervals to draw."""
    from tests.factories import PriceFactory, SubmissionFactory

    heavy, *others = (SubmissionFactory(provider=provider) for provider in ("aws", "gce", "azure"))
    PriceFactory()
    workload = heavy.workload.fingerprint
    return Results([heavy.pk], [other.pk for other in others], "intervals", workload, f"{live_server.url}/value/")


def test_every_address_of_no_drawn_intervals_is_answered(live_server, results, settings):
    settings.SITE_URL = live_server.url
    target = Target(urlsplit(live_server.url).port)
    asked = [each for each in addresses.addresses(results) if "intervals" not in each.template]

    assert len(asked) == 12
    assert {each.name: addresses.ask(target, each) for each in asked} == {each.name: "200" for each in asked}


def test_no_address_is_asked_twice_with_the_same_query_but_those_without_one():
    listed = addresses.addresses(Results([1, 2, 3], [4, 5, 6], "intervals", "abc", "http%3A//x/value/"))

    fixed = [each.name for each in listed if not re.search(r"\{[nx]\}", each.template)]
    assert fixed == [
        "/api/v1/prices/?format=csv",
        "/api/v1/prices/?provider=aws&format=csv",
        "its intervals as CSV",
    ]
    assert listed[2].template == "/compare/?s=1&s=2&s=3&s=4&s=5&s=6&x={x}"
    assert len([each for each in listed if each.has_goal]) == 11  # the last row of the review's table names two
