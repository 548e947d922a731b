"""GET /api/v1/runs/<id>/receipt/."""

from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from benchsite.http.from_data import not_shared
from runners.creation import may_see_details
from runners.endings.signed import signed_receipt
from runners.models import Run
from submissions.api.parameters import LINK_KEY_PARAMETER, known_parameters
from submissions.models import LINK_KEY
from submissions.records.unpublished import for_its_readers, link_keys


class SignatureSerializer(serializers.Serializer[Any]):
    keyid = serializers.CharField(help_text="One of GET keys/")
    sig = serializers.CharField(help_text="base64")


class EnvelopeSerializer(serializers.Serializer[Any]):
    """A DSSE envelope."""

    payload = serializers.CharField(help_text="base64 of an in-toto statement; its predicate has the receipt")
    payloadType = serializers.CharField()  # noqa: N815  DSSE's own name
    signatures = SignatureSerializer(many=True)


@not_shared("a run that may be going on")
class RunReceipt(APIView):
    """What the machines of a run cost, and that none is left, signed by the site."""

    @extend_schema(
        summary="The signed receipt of a run",
        description=(
            "`benchsite verify` checks it. 404 as long as the run has no receipt. The ids of the"
            " machines in the cloud are included only for users who may see the machines of the run."
        ),
        parameters=[LINK_KEY_PARAMETER],
        responses=EnvelopeSerializer,
    )
    def get(self, request: Request, pk: int) -> Response:
        known_parameters(request, LINK_KEY)
        runs = Run.objects.by_link(request.user, link_keys(request.query_params)).select_related("submission", "owner")
        run = get_object_or_404(runs, pk=pk)
        if run.receipt is None:
            raise Http404("this run has no receipt")
        content = signed_receipt(run, with_details=may_see_details(run, request.user))
        return for_its_readers(Response(content), run)
