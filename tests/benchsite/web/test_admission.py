"""A large body is read from accounts only; who sends it is known from its headers."""

import io
import json

import pytest
from django.test import RequestFactory

from benchsite.web import admission
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def refusal():
    def of(path="/api/v1/submissions/import/", **headers):
        environ = RequestFactory().post(path, headers=headers).environ
        return admission.refusal({**environ, "wsgi.input": io.BytesIO()})

    return of


@pytest.fixture
def token():
    from submissions.models import ApiToken

    return ApiToken.objects.create(user=UserFactory(), name="t", scopes=["submit"], expiry=None)[1]


def test_a_token_may(refusal, token):
    assert refusal(authorization=f"Bearer {token}") is None


def test_a_session_may(refusal, client):
    client.force_login(UserFactory())

    assert refusal("/submissions/new/", cookie=f"sessionid={client.cookies['sessionid'].value}") is None


@pytest.mark.parametrize("headers", [{}, {"authorization": f"Bearer {'0' * 64}"}, {"cookie": "sessionid=made-up"}])
def test_an_unknown_caller_of_the_api_may_not(refusal, headers):
    answer = refusal(**headers)

    assert (answer.status_code, json.loads(answer.content)["type"]) == (401, "/problems/unauthenticated")


def test_an_account_that_was_blocked_may_not(refusal, token):
    from submissions.models import ApiToken

    user = ApiToken.objects.get().user
    user.is_active = False
    user.save()

    assert refusal(authorization=f"Bearer {token}").status_code == 401


def test_a_visitor_of_the_page_is_sent_to_sign_in(refusal):
    answer = refusal("/submissions/new/")

    assert (answer.status_code, answer["Location"]) == (302, "/account/login/?next=/submissions/new/")


def test_nobody_may_while_the_disk_is_nearly_full(refusal, token, settings):
    settings.MIN_FREE_BYTES = 2**62

    answer = refusal(authorization=f"Bearer {token}")

    assert (answer.status_code, answer["Retry-After"]) == (507, "300")
