"""GET and POST /api/v1/series/, one series, its estimate, cancelling it, running what is missing again."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import generics, serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from benchsite.http.from_data import not_shared
from benchsite.http.pagination import KeysetPagination, Ordering
from benchsite.http.refusals import Refusal
from runners.api.representations import SeriesRowSerializer, SeriesSerializer
from runners.api.runs import MayRun, MayStart, content_of, user_of
from runners.models import Series
from runners.series import creation, progress
from runners.series.order import SeriesOrder
from runners.series.readers import MAY_NOT_CHANGE, NOTHING_MISSING, may_change
from submissions.records.unpublished import for_its_readers


@not_shared("a run that may be going on")
class SeriesList(generics.ListAPIView[Series]):
    """All series, newest first; POST starts a new one."""

    permission_classes = [MayRun, MayStart]
    write_scope = "upload"
    serializer_class = SeriesRowSerializer
    pagination_class = KeysetPagination
    orderings = {"-id": Ordering("id")}
    default_ordering = "-id"
    filter_backends = []

    def get_queryset(self) -> QuerySet[Series]:
        return Series.objects.visible_to(self.request.user).select_related("owner")

    @extend_schema(summary="List the series of runs")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(
        summary="Start a series of runs",
        description=(
            "The plan is run once for each combination of the values in `vary` and each repetition: each is a run "
            "of its own. `clusters`: shared (the default) lets the cells of a round that need the same machines in a "
            "cloud use them one after another, cleared in between; separate launches machines for each run. `max_usd` "
            "and `max_minutes` are of all runs together; `max_usd` is the confirmation. Every combination is validated "
            "first: a refusal names the value at fault. `visibility` and `embargo_until` are those of the "
            "series and of all its results."
        ),
        request=SeriesOrder,
        responses={201: SeriesSerializer},
    )
    def post(self, request: Request) -> Response:
        series = creation.create(content_of(request), user_of(request))
        content = SeriesSerializer(series, context={"request": request}).data
        return Response(content, status=201, headers={"Location": content["url"]})


class SeriesEstimate(APIView):
    """The cost of a series by cell; nothing is stored or started."""

    write_scope = "upload"
    permission_classes = [MayRun, MayStart]

    @extend_schema(summary="Estimate a series of runs", request=SeriesOrder, responses={200: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        return Response(creation.prepare(content_of(request), user_of(request)).estimate())


@not_shared("a run that may be going on")
class SeriesDetail(APIView):
    """One series with its cells."""

    @extend_schema(summary="One series of runs", responses=SeriesSerializer)
    def get(self, request: Request, pk: int) -> Response:
        series = _series(request, pk)
        return for_its_readers(Response(SeriesSerializer(series, context={"request": request}).data), series)


class SeriesCancel(APIView):
    """Ends a series: its open runs are cancelled, and no other starts."""

    permission_classes = [MayRun]
    write_scope = "upload"

    @extend_schema(summary="Cancel a series of runs", request=None, responses={202: SeriesSerializer})
    def post(self, request: Request, pk: int) -> Response:
        series = _own_series(request, pk)
        progress.request_cancel(series)
        series.refresh_from_db()
        return Response(SeriesSerializer(series, context={"request": request}).data, status=202)


class SeriesAgain(APIView):
    """Runs the cells without a result again."""

    permission_classes = [MayRun, MayStart]
    write_scope = "upload"

    @extend_schema(
        summary="Run the missing cells of a series again",
        description=(
            "A cell that is repeated alone was not measured in turns with any other: its verdicts are unpaired. "
            "`whole_rounds` measures every round again in which a cell is missing."
        ),
        request=inline_serializer("RunAgain", {"whole_rounds": serializers.BooleanField(default=False)}),
        responses={202: SeriesSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        series = _own_series(request, pk)
        content = content_of(request) if request.data else {}
        if set(content) - {"whole_rounds"} or not isinstance(content.get("whole_rounds", False), bool):
            raise Refusal.at("#/whole_rounds", "must be true or false, and the only field")
        if not progress.run_again(series, whole_rounds=content.get("whole_rounds", False)):
            raise Refusal.at("#", NOTHING_MISSING)
        return Response(SeriesSerializer(series, context={"request": request}).data, status=202)


def _series(request: Request, pk: int) -> Series:
    return get_object_or_404(Series.objects.visible_to(request.user).select_related("owner"), pk=pk)


def _own_series(request: Request, pk: int) -> Series:
    series = _series(request, pk)
    if not may_change(series, request.user):
        raise PermissionDenied(MAY_NOT_CHANGE)
    return series
