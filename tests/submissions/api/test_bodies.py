"""What a serializer answers, whoever used it before."""

import json

import pytest
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from submissions.api.bodies import represented
from submissions.choices import Visibility
from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.store import store
from submissions.models import Submission
from submissions.records.api.serializers import SubmissionResource, SubmissionRowSerializer, SubmissionSerializer
from tests.documents import document
from tests.factories import ArtifactFactory, UserFactory

pytestmark = pytest.mark.django_db


def request_of(user, host="testserver"):
    request = Request(APIRequestFactory().get("/api/v1/submissions/", HTTP_HOST=host))
    request.user = user
    return request


def stored(user, **changes):
    submission = store(prepare_document(document(changes)), submitted_by=user).submission
    ArtifactFactory(submission=submission)
    row = Submission.objects.select_related("workload", "submitted_by").get(pk=submission.pk)
    return SubmissionResource(row, list(row.trials.all()), list(row.node_groups.all()), list(row.artifacts.all()))


def test_it_answers_as_a_serializer_of_its_own():
    owner = UserFactory()
    resources = [
        stored(owner, visibility=visibility.value, settings={"n": [number, None]})
        for number, visibility in enumerate(Visibility)
    ]
    for resource in resources:
        for user in (owner, UserFactory()):
            request = request_of(user)
            expected = SubmissionSerializer(resource, context={"request": request}).data
            assert json.dumps(represented(SubmissionSerializer, resource, request)) == json.dumps(expected)


def test_each_request_has_its_own_addresses():
    submission = stored(None).submission
    requests = [request_of(UserFactory(), host) for host in ("testserver", "127.0.0.1")]

    urls = [represented(SubmissionRowSerializer, submission, request)["url"] for request in requests]

    assert [url.split("/")[2] for url in urls] == ["testserver", "127.0.0.1"]


def test_after_an_answer_that_fails_the_next_is_as_before():
    submission = stored(None).submission
    with pytest.raises(AttributeError):
        represented(SubmissionRowSerializer, object(), request_of(None))

    assert represented(SubmissionRowSerializer, submission, request_of(None, "127.0.0.1"))["url"].split("/")[2] == (
        "127.0.0.1"
    )


def test_nobodys_submission_names_no_account():
    assert represented(SubmissionSerializer, stored(None), request_of(UserFactory()))["submitted_by"] is None
