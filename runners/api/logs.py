"""The logs and the configuration of a run's hosts, for its owner and the site operators."""

from typing import Any

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.functional import cached_property
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from benchsite.http.from_data import not_shared
from benchsite.http.pagination import KeysetPagination, Ordering
from runners.choices import OutputKind
from runners.creation import may_see_details
from runners.models import Run, RunOutput
from submissions.api.parameters import LINK_KEY_PARAMETER
from submissions.records.downloads import download
from submissions.records.unpublished import for_its_readers, link_keys

MAY_NOT_READ = "Only its owner and the site operators may read the logs of a run."


class RunLogSerializer(serializers.ModelSerializer[RunOutput]):
    """`url` and `size_bytes` are null where only the last lines were kept."""

    host = serializers.CharField(source="node.name")
    path = serializers.SerializerMethodField(help_text="On the host, in the folder of the run unless it is absolute")
    url = serializers.SerializerMethodField()

    class Meta:
        model = RunOutput
        fields = ("id", "host", "name", "path", "size_bytes", "url", "tail")

    def get_path(self, output: RunOutput) -> str:
        return output.path.removeprefix("diagnosis/")

    def get_url(self, output: RunOutput) -> str | None:
        if output.sha256 is None:
            return None
        request: Request = self.context["request"]
        return request.build_absolute_uri(
            reverse("runs_api:log", args=[output.run_id, output.pk]) + output.run.link_query
        )


@not_shared("a run that may be going on")
class RunLogs(generics.ListAPIView[RunOutput]):
    """The logs of the hosts from before they were deleted, of runs that failed or with `diagnosis: always`."""

    is_private = True
    serializer_class = RunLogSerializer
    pagination_class = KeysetPagination
    orderings = {"id": Ordering("id", descending=False)}
    default_ordering = "id"
    filter_backends = []

    @cached_property
    def run(self) -> Run:
        return _run(self.request, self.kwargs["pk"])

    def get_queryset(self) -> QuerySet[RunOutput]:
        if "pk" not in self.kwargs:  # the schema asks without a request
            return RunOutput.objects.none()
        rows = RunOutput.objects.filter(run=self.run, kind=OutputKind.DIAGNOSIS)
        return rows.select_related("node", "run__submission")

    @extend_schema(summary="List the logs of a run's hosts", parameters=[LINK_KEY_PARAMETER])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return for_its_readers(super().get(request, *args, **kwargs), self.run)


@not_shared("a file is streamed")
class RunLog(APIView):
    """One log, as a file."""

    is_private = True

    @extend_schema(
        summary="Download a log of a run's host",
        parameters=[LINK_KEY_PARAMETER],
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, pk: int, output: int) -> HttpResponseBase:
        run = _run(request, pk)
        row = get_object_or_404(RunOutput, pk=output, run=run, kind=OutputKind.DIAGNOSIS, sha256__isnull=False)
        return for_its_readers(download(row.sha256 or "", row.name, row.size_bytes or 0, is_open=False), run)


def _run(request: Request, pk: int) -> Run:
    run = get_object_or_404(Run.objects.by_link(request.user, link_keys(request.query_params)), pk=pk)
    if not may_see_details(run, request.user):
        raise PermissionDenied(MAY_NOT_READ)
    return run
