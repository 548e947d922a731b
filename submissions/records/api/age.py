"""The age of a submission in the API."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from submissions.age.marks import Age
from submissions.age.sentences import not_known, words_of
from submissions.api.fields import Money
from submissions.api.parameters import LINK_KEY_PARAMETER, api_from_data, known_parameters
from submissions.choices import AgeMark
from submissions.models import LINK_KEY, Submission
from submissions.models.versions.data_version import Subject
from submissions.records.ages import ages_of
from submissions.records.api.submissions import OfSubmission


class AgeMarkSerializer(serializers.Serializer[Any]):
    """A mark and the reason for it."""

    mark = serializers.ChoiceField(choices=[(str(mark), mark) for mark in AgeMark.MARKS])
    words = serializers.CharField()


class AgeSerializer(serializers.Serializer[Age]):
    """The age marks of a submission on one day."""

    today = serializers.DateField(help_text="The UTC day that the marks are of")
    marks = serializers.SerializerMethodField(help_text="Empty: none is known to apply")
    not_known = serializers.SerializerMethodField(
        help_text="What could not be determined, in words: unknown does not mean current"
    )
    hourly_usd_then = Money(source="drift.then_usd", default=None, allow_null=True, help_text="As `hourly_usd`")
    hourly_usd_today = Money(
        source="drift.today_usd",
        default=None,
        allow_null=True,
        help_text="The same cluster at today's prices; null: not known today",
    )

    @extend_schema_field(AgeMarkSerializer(many=True))
    def get_marks(self, age: Age) -> list[dict[str, str]]:
        return [{"mark": str(mark), "words": words_of(age, mark)} for mark in age.marks]

    def get_not_known(self, age: Age) -> list[str]:
        return not_known(age)


@api_from_data(*Subject)
class AgeOfSubmission(OfSubmission, APIView):
    """Its marks today with reasons, what could not be determined, and the cost of its cluster then and today."""

    summary = "The age of a submission"

    @extend_schema(parameters=[LINK_KEY_PARAMETER], responses=AgeSerializer)
    def get(self, request: Request, pk: int) -> Response:
        known_parameters(request, LINK_KEY)
        row = Submission.objects.defer("document", "notes", "bill").get(pk=self.submission.pk)
        return Response(AgeSerializer(ages_of([row], timezone.now().date())[row.pk]).data)
