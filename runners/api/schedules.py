"""GET and POST /api/v1/schedules/: one's own; pausing, resuming and deleting them."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from runners.api.runs import MayRun, MayStart, content_of, user_of
from runners.models import Schedule, ScheduleTurn
from runners.schedules import creation
from runners.schedules.creation import ScheduleOrder
from submissions.api.parameters import known_parameters

_LATEST = 10  # turns of a schedule


class ScheduleTurnSerializer(serializers.ModelSerializer[ScheduleTurn]):
    class Meta:
        model = ScheduleTurn
        fields = ("due_at", "run", "series", "has_result", "outcome")


class ScheduleSerializer(serializers.ModelSerializer[Schedule]):
    """A schedule with its latest turns, the newest first; `series` is the body of POST series/."""

    series = serializers.DictField(source="order", allow_null=True, read_only=True)
    plan = serializers.DictField(allow_null=True, read_only=True)
    turns = serializers.SerializerMethodField()

    class Meta:
        model = Schedule
        fields = (
            *("id", "title", "every", "hour", "weekday", "max_usd_month", "due_at", "paused_at", "paused_because"),
            *("failures", "created_at", "plan", "series", "turns"),
        )

    def get_turns(self, schedule: Schedule) -> list[dict[str, Any]]:
        return list(ScheduleTurnSerializer(schedule.turns.all()[:_LATEST], many=True).data)


_SCHEDULE_PAGE = inline_serializer(
    "SchedulePage", {"next": serializers.URLField(allow_null=True), "results": ScheduleSerializer(many=True)}
)


class ScheduleList(APIView):
    """Your schedules, newest first; POST makes one."""

    is_private = True
    permission_classes = (IsAuthenticated, MayRun, MayStart)
    write_scope = "upload"

    @extend_schema(summary="List your schedules", operation_id="schedules_list", responses=_SCHEDULE_PAGE)
    def get(self, request: Request) -> Response:
        known_parameters(request)
        rows = Schedule.objects.filter(owner=user_of(request))
        return Response({"next": None, "results": ScheduleSerializer(rows, many=True).data})

    @extend_schema(
        summary="Start a plan or a series every day or week",
        description=(
            "A turn starts only while the month's spending and its own `max_usd` stay within `max_usd_month` and "
            "within your quota. An email reports a missing result; two missing results in a row pause the schedule."
        ),
        request=ScheduleOrder,
        responses={201: ScheduleSerializer},
    )
    def post(self, request: Request) -> Response:
        known_parameters(request)
        schedule = creation.create(content_of(request), user_of(request))
        return Response(ScheduleSerializer(schedule).data, status=201)


class ScheduleDetail(APIView):
    """One of your schedules."""

    is_private = True
    permission_classes = (IsAuthenticated, MayRun)
    write_scope = "upload"

    @extend_schema(summary="One of your schedules", responses=ScheduleSerializer)
    def get(self, request: Request, pk: int) -> Response:
        return Response(ScheduleSerializer(_own(request, pk)).data)

    @extend_schema(summary="Delete a schedule; runs and series that it has started continue", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        _own(request, pk).delete()
        return Response(status=204)


class SchedulePause(APIView):
    """Nothing starts until it is resumed."""

    is_private = True
    permission_classes = (IsAuthenticated, MayRun)
    write_scope = "upload"

    @extend_schema(summary="Pause a schedule", request=None, responses=ScheduleSerializer)
    def post(self, request: Request, pk: int) -> Response:
        schedule = _own(request, pk)
        creation.pause(schedule)
        schedule.refresh_from_db()
        return Response(ScheduleSerializer(schedule).data)


class ScheduleResume(APIView):
    """It continues with its next turn."""

    is_private = True
    permission_classes = (IsAuthenticated, MayRun, MayStart)
    write_scope = "upload"

    @extend_schema(summary="Resume a schedule", request=None, responses=ScheduleSerializer)
    def post(self, request: Request, pk: int) -> Response:
        schedule = _own(request, pk)
        creation.resume(schedule)
        schedule.refresh_from_db()
        return Response(ScheduleSerializer(schedule).data)


def _own(request: Request, pk: int) -> Schedule:
    known_parameters(request)
    return get_object_or_404(Schedule, pk=pk, owner=user_of(request))
