"""Who writes to a result of somebody else that is not public is told no more than who reads it."""

import pytest
from django.test import Client

from tests.factories import UserFactory
from tests.secrets_of_owners import keep_secret
from tests.test_leaks import words_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("method", "template"),
    [
        ("patch", "/api/v1/submissions/{pk}/"),
        ("post", "/api/v1/submissions/{pk}/retract/"),
        ("post", "/account/submissions/{pk}/change/"),
        ("post", "/account/submissions/{pk}/retract/"),
        ("post", "/submissions/{pk}/report/"),
        ("post", "/history/changes/{pk}/throughput_ops_s/"),
        ("post", "/account/follows/new/?like={pk}"),
        ("post", "/api/v1/submissions/{pk}/report/"),
        ("post", "/runs/{run}/cancel/"),
        ("post", "/api/v1/runs/{run}/cancel/"),
        ("post", "/runs/{run}/submit/"),
        ("post", "/api/v1/runs/{run}/submit/"),
    ],
)
def test_a_stranger_who_writes_to_a_private_one_learns_nothing(method, template):
    secret = keep_secret("private")
    stranger = Client()
    stranger.force_login(UserFactory())

    address = template.format(pk=secret.row.pk, run=secret.run.pk)
    response = getattr(stranger, method)(address, {}, content_type="application/json")

    assert response.status_code == 404
    assert secret.word not in words_of(response)
