"""Fields built once answer what REST framework's own would."""

import json

import pytest
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from submissions.api.representation import FieldsBuiltOnce
from submissions.choices import Visibility
from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store import store
from submissions.models import Submission
from submissions.records.api.serializers import SubmissionResource, SubmissionRowSerializer, SubmissionSerializer
from tests.documents import document
from tests.factories import ArtifactFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def request_of_owner():
    request = Request(APIRequestFactory().get("/api/v1/submissions/", HTTP_HOST="testserver"))
    request.user = UserFactory()
    return request


def rest_frameworks(serializer):
    """Its answer without `FieldsBuiltOnce`."""
    return serializers.Serializer.to_representation(serializer, serializer.instance)


@pytest.mark.parametrize("visibility", Visibility)
def test_a_submission_is_answered_as_rest_framework_does(request_of_owner, visibility):
    changes = {"visibility": visibility.value, "settings": {"n": [1, None]}, "jdk": None}
    submission = store(prepare_document(document(changes)), submitted_by=request_of_owner.user).submission
    ArtifactFactory(submission=submission)
    submission = Submission.objects.select_related("workload", "submitted_by").get(pk=submission.pk)
    resource = SubmissionResource(
        submission, list(submission.trials.all()), list(submission.node_groups.all()), list(submission.artifacts.all())
    )

    for serializer_class, instance in ((SubmissionSerializer, resource), (SubmissionRowSerializer, submission)):
        serializer = serializer_class(instance, context={"request": request_of_owner})
        assert json.dumps(serializer.data) == json.dumps(rest_frameworks(serializer))


def test_nobodys_submission_names_no_account(request_of_owner):
    submission = store(prepare_document(document()), submitted_by=None).submission

    answer = SubmissionSerializer(
        SubmissionResource(submission, [], [], []), context={"request": request_of_owner}
    ).data

    assert answer["submitted_by"] is None


def test_each_request_has_its_own_addresses(request_of_owner):
    submission = store(prepare_document(document()), submitted_by=None).submission
    other = Request(APIRequestFactory(headers={"host": "127.0.0.1"}).get("/", HTTP_HOST="127.0.0.1"))

    urls = [SubmissionRowSerializer(submission, context={"request": r}).data["url"] for r in (request_of_owner, other)]

    assert [url.split("/")[2] for url in urls] == ["testserver", "127.0.0.1"]


def test_missing_attributes_defaults_and_skips_are_rest_frameworks():
    class Inner(serializers.Serializer):
        name = serializers.CharField()

    class Shown(FieldsBuiltOnce, serializers.Serializer):
        there = serializers.IntegerField()
        gone = serializers.IntegerField(required=False)
        usual = serializers.CharField(default="usual")
        empty = serializers.CharField(allow_null=True)
        inner = Inner()
        inners = Inner(many=True)
        of_inner = serializers.CharField(source="inner.name")

    instance = {"there": "3", "empty": None, "inner": {"name": 1}, "inners": [{"name": "a"}, {"name": "b"}]}

    shown = Shown(instance)
    assert shown.data == rest_frameworks(Shown(instance))
    assert (shown.data["there"], "gone" in shown.data, shown.data["usual"]) == (3, False, "usual")
