"""GET and POST /api/v1/runs/, estimates, one run, its cancelling."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from benchsite.pagination import KeysetPagination, Ordering
from benchsite.refusals import Refusal
from runners import creation as placing
from runners import lifecycle
from runners.api.permissions import MayRun, MayStart
from runners.api.representations import RunRowSerializer, RunSerializer
from runners.models import Run
from runners.plan import RunPlan
from runners.plans.order import RunOrder


def _content(request: Request) -> Mapping[str, Any]:
    if not isinstance(request.data, Mapping):
        raise Refusal.at("#", "must be a JSON object")
    return request.data


class RunList(generics.ListAPIView[Run]):
    """All runs, newest first, and the door for a new one."""

    permission_classes: ClassVar[list[type[BasePermission]]] = [MayRun, MayStart]
    write_scope = "upload"
    serializer_class = RunRowSerializer
    pagination_class = KeysetPagination
    orderings: ClassVar[dict[str, Ordering]] = {"-id": Ordering("id")}
    default_ordering = "-id"
    filter_backends: ClassVar[list[Any]] = []

    def get_queryset(self) -> QuerySet[Run]:
        return Run.objects.select_related("owner")

    @extend_schema(summary="List the runs")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(
        summary="Start a run",
        description=(
            "The plan's `max_usd` is the confirmation: a run whose worst case is over it is refused. "
            "`notify` is not part of the plan: at the end it sends an e-mail to your address, or a POST to an "
            "https:// address with run, url, title, status, end_reason, ended_at, submission_url and total_usd."
        ),
        request=RunOrder,
        responses={201: RunSerializer},
    )
    def post(self, request: Request) -> Response:
        plan = dict(_content(request))
        notify = plan.pop("notify", None)
        run = placing.place_and_confirm(plan, request.user, notify)
        shown = RunSerializer(run, context={"request": request}).data
        return Response(shown, status=201, headers={"Location": shown["url"]})


class RunEstimate(APIView):
    """What a plan would cost; nothing is stored and nothing started."""

    write_scope = "upload"
    permission_classes: ClassVar[list[type[BasePermission]]] = []

    @extend_schema(summary="Estimate a run", request=RunPlan, responses={200: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        return Response(placing.estimated(placing.checked(_content(request))).as_json())


class RunDetail(APIView):
    """One run; its log, machines and history are for its owner and the operators."""

    @extend_schema(summary="One run", responses=RunSerializer)
    def get(self, request: Request, pk: int) -> Response:
        run = get_object_or_404(Run.objects.select_related("owner").prefetch_related("events", "nodes"), pk=pk)
        return Response(RunSerializer(run, context={"request": request}).data)


class RunCancel(APIView):
    """Ends a run at whatever it is doing."""

    permission_classes: ClassVar[list[type[BasePermission]]] = [MayRun]
    write_scope = "upload"

    @extend_schema(summary="Cancel a run", request=None, responses={202: RunSerializer})
    def post(self, request: Request, pk: int) -> Response:
        run = get_object_or_404(Run.objects.select_related("owner"), pk=pk)
        if not placing.may_see_all(run, request.user):
            raise PermissionDenied("only its owner and the operators may cancel a run")
        lifecycle.request_cancel(run)
        run.refresh_from_db()
        return Response(RunSerializer(run, context={"request": request}).data, status=202)
