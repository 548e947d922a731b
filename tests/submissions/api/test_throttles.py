"""Who is counted: an account however many tokens it has, an address, an IPv6 network."""

import pytest
from redis import Connection
from rest_framework.throttling import SimpleRateThrottle

from benchsite.http.limits import costs
from tests.documents import document
from tests.factories import UserFactory
from tests.submissions.caller import Caller, bearer

pytestmark = pytest.mark.django_db
BASE = "/api/v1/submissions/"


@pytest.fixture
def rates(monkeypatch, clear_cache):
    def limit(**wanted):
        for scope, rate in wanted.items():
            monkeypatch.setitem(SimpleRateThrottle.THROTTLE_RATES, scope, rate)

    monkeypatch.setattr(costs, "last_costs", {})
    return limit


def test_all_limits_of_an_upload_are_one_round_trip(client, clear_cache, monkeypatch):
    owner = Caller(client, UserFactory())
    owner.submit(document())  # Redis has the script
    monkeypatch.setattr(costs, "SECONDS_A_UNIT", 1000)
    monkeypatch.setattr(costs, "last_costs", {})
    sent = []
    send = Connection.send_packed_command
    monkeypatch.setattr(
        "redis.connection.AbstractConnection.send_packed_command",
        lambda self, command, *args, **kwargs: (sent.append(command), send(self, command, *args, **kwargs))[1],
    )

    assert owner.submit(document({"settings": {"n": "1"}})).status_code == 201
    assert len(sent) == 1


def test_the_tokens_of_an_account_share_its_limit(client, rates, monkeypatch):
    rates(user="3/min")
    monkeypatch.setattr(costs, "SECONDS_A_UNIT", 1000)  # a slow answer counts as several requests
    owner, other = UserFactory(), UserFactory()

    statuses = [client.get(BASE, **bearer(owner)).status_code for _ in range(4)]

    assert statuses == [200, 200, 200, 429]
    assert client.get(BASE, **bearer(other)).status_code == 200


def test_its_uploads_too(client, rates):
    rates(upload="2/min")
    owner = UserFactory()

    statuses = [
        Caller(client, owner).submit(document({"settings": {"n": str(number)}})).status_code for number in range(3)
    ]

    assert statuses == [201, 201, 429]


def test_an_ipv6_network_shares_a_limit(client, rates):
    rates(anon="2/min")

    statuses = [
        client.get(BASE, REMOTE_ADDR=f"2001:db8:0:{net}::{n}").status_code
        for net, n in ((1, 1), (1, 2), (1, 3), (2, 1))
    ]

    assert statuses == [200, 200, 429, 200]


def test_the_api_is_charged_for_the_time_that_its_answers_take(client, rates, monkeypatch):
    rates(anon="20/min")
    monkeypatch.setattr(costs.Stopwatch, "cost", lambda self: costs.Cost(seconds=1.0))  # four requests more

    statuses = [client.get(BASE).status_code for _ in range(5)]

    assert statuses == [200, 200, 200, 200, 429]


def test_an_export_is_charged_when_it_is_written(client, rates, monkeypatch):
    rates(anon="20/min")
    monkeypatch.setattr(costs.Stopwatch, "cost", lambda self: costs.Cost(seconds=3.0))

    answers = [client.get(BASE, {"format": "csv"}) for _ in range(2)]
    for answer in answers:
        answer.getvalue()

    assert [answer.status_code for answer in answers] == [200, 200]
    assert client.get(BASE, {"format": "csv"}).status_code == 429
