"""Each upload reads its token, its account and the prices as they are now."""

import pytest

from submissions.models import ApiToken, Submission
from tests.documents import document
from tests.factories import PriceFactory, UserFactory
from tests.submissions.caller import Caller

pytestmark = pytest.mark.django_db


def numbered(number):
    return document({"settings": {"n": str(number)}})


@pytest.fixture
def caller(client):
    """Whose token was used before."""
    caller = Caller(client, UserFactory())
    for number in range(3):
        assert caller.submit(numbered(number)).status_code == 201
    return caller


@pytest.mark.parametrize(
    "body", [numbered(4), numbered(1), {"service": 7}, b"{"], ids=["new", "same", "wrong", "no JSON"]
)
def test_a_revoked_token_is_refused_at_once_whatever_it_sends(caller, body):
    ApiToken.objects.all().delete()

    assert caller.submit(body).status_code == 401
    assert caller.submit(body).status_code == 401
    assert Submission.objects.count() == 3


def test_a_token_that_may_no_longer_submit_is_refused(caller):
    ApiToken.objects.update(scopes=[ApiToken.Scope.RUN])

    assert caller.submit(numbered(4)).status_code == 403
    assert Submission.objects.count() == 3


def test_the_token_of_a_closed_account_is_refused(caller):
    type(caller.user).objects.update(is_active=False)

    assert [caller.submit(numbered(4)).status_code for _ in range(3)] == [401] * 3


def test_a_price_of_since_counts(caller):
    without = caller.submit(document({"nodes/0/hourly_usd": None, "settings": {"n": "4"}})).json()
    PriceFactory()
    priced = caller.submit(document({"nodes/0/hourly_usd": None, "settings": {"n": "5"}})).json()

    assert (without["hourly_usd"], priced["hourly_usd"] is None) == (None, False)


def test_another_name_of_the_account_is_answered(caller):
    type(caller.user).objects.update(username="renamed")

    assert caller.submit(numbered(4)).json()["submitted_by"] == "renamed"
