"""A caller with a token, and answers read with their errors by pointer."""

import pytest


@pytest.fixture
def caller(client, db):
    from tests.factories import UserFactory
    from tests.submissions.caller import Caller

    return Caller(client, UserFactory(username="demo"))


@pytest.fixture
def faults():
    """{pointer: detail} of a problem, whose form is checked on the way."""

    def read(response, status=400):
        assert response["Content-Type"] == "application/problem+json", response.content[:500]
        body = response.json()
        assert set(body) == {"type", "title", "status", "errors", "request_id"}
        assert body["request_id"] == response["X-Request-ID"]
        assert (response.status_code, body["status"]) == (status, status), body
        return {entry["pointer"]: entry["detail"] for entry in body["errors"]}

    return read


@pytest.fixture
def nothing_is_stored(db):
    from submissions.models import Submission, Upload

    yield
    assert not Submission.objects.exists()
    assert not Upload.objects.exists()
