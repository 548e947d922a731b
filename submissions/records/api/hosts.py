"""GET /api/v1/submissions/<id>/hosts/."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from submissions.api.parameters import LINK_KEY_PARAMETER, api_from_data, known_parameters
from submissions.models import LINK_KEY
from submissions.models.versions.data_version import Subject
from submissions.records.api.records import HostRecordsSerializer
from submissions.records.api.submissions import OfSubmission
from submissions.records.hosts import host_records, host_summary


@api_from_data(*Subject)
class HostList(OfSubmission, APIView):
    """CPU, disks, network and server-side latency of each host, and what its disks can do."""

    @extend_schema(
        summary="The hosts of a submission", parameters=[LINK_KEY_PARAMETER], responses=HostRecordsSerializer
    )
    def get(self, request: Request, pk: int) -> Response:
        known_parameters(request, LINK_KEY)
        submission = self.submission
        records = host_records(submission, host_summary(submission.artifacts.all()))
        return Response(HostRecordsSerializer(records).data)
