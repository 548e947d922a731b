"""GET /api/v1/submissions/<id>/bundle/ and /api/v1/keys/; the keys as a file below /.well-known/."""

from typing import Any

from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from benchsite.http.from_data import not_shared
from benchsite.http.problems import gone
from submissions.api.bodies import StreamedFormats
from submissions.api.parameters import LINK_KEY_PARAMETER, known_parameters
from submissions.bundles.archive import zipped
from submissions.bundles.contents import contents_of
from submissions.bundles.file import BundleFile
from submissions.bundles.keys import PublicKey, published_keys
from submissions.bundles.sentences import file_name
from submissions.bundles.statement import statement_of
from submissions.models import LINK_KEY
from submissions.models.results.artifact import storage_name
from submissions.records.api.serializers import opened
from submissions.records.downloads import why_withheld
from submissions.records.unpublished import for_its_readers

ZIP = "application/zip"


class ZipRenderer(BaseRenderer):
    """Named for the negotiation; the view streams the archive itself."""

    media_type = ZIP
    format = "zip"
    charset = None

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        raise NotImplementedError("archives are streamed by submissions.bundles.archive")


@not_shared("a file is streamed, with an ETag of its content")
class Bundle(StreamedFormats, APIView):
    """Everything that is stored about a submission, as one archive that the site has signed."""

    streamed = {"GET": (ZipRenderer,)}

    @extend_schema(
        summary="A submission as a signed archive",
        description=(
            "Plan, raw logs, versions, configuration, hosts, prices and results, with `statement.intoto.jsonl`: an"
            " in-toto statement of the SHA-256 of every file, in a DSSE envelope that is signed with the site's Ed25519"
            " key. `benchsite verify` checks it without this site. The same state gives the same bytes. 410 if"
            " the submission is retracted, except for its owner."
        ),
        parameters=[LINK_KEY_PARAMETER],
        responses={(200, ZIP): OpenApiResponse(OpenApiTypes.BINARY, "the archive")},
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        known_parameters(request, LINK_KEY)
        submission = opened(pk, request)
        if reason := why_withheld(submission, request):
            return for_its_readers(gone(request, reason), submission)
        contents = contents_of(submission)
        statement = statement_of(contents)
        files = [statement, *contents.files]
        _require_stored(files)
        response = StreamingHttpResponse(zipped(files), content_type=ZIP)
        response["Content-Disposition"] = f'attachment; filename="{file_name(submission)}"'
        response["X-Content-Type-Options"] = "nosniff"
        response["ETag"] = f'"{statement.sha256}"'
        is_open = submission.is_public and not submission.retracted_at
        response["Cache-Control"] = "public, max-age=600" if is_open else "private, no-store"
        return for_its_readers(_unless_known(request, response), submission)


def _unless_known(request: Request, response: StreamingHttpResponse) -> HttpResponseBase:
    """304 where the caller has these bytes already."""
    plain: Any = response
    return get_conditional_response(request._request, etag=response["ETag"], response=plain) or response


def _require_stored(files: list[BundleFile]) -> None:
    """Raises Http404 before the answer begins, where bytes are missing in the storage."""
    for file in files:
        if file.content is None and not default_storage.exists(storage_name(file.sha256)):
            raise Http404("the bytes of a raw file are not in the storage")


class PublicKeySerializer(serializers.Serializer[PublicKey]):
    """An Ed25519 public key of the site."""

    key_id = serializers.CharField(help_text="SHA-256 of the key's DER form")
    public_key = serializers.CharField(help_text="PEM")
    created_at = serializers.DateTimeField(allow_null=True, help_text="The time of its first signature")
    revoked_at = serializers.DateTimeField(allow_null=True, help_text="From then on its signatures prove nothing")
    is_current = serializers.BooleanField(help_text="Whether the site signs with it today")


class KeysSerializer(serializers.Serializer[Any]):
    keys = PublicKeySerializer(many=True)


@not_shared("keys are stored beside the data")
class KeyList(APIView):
    """The keys with which this site signs, and has signed: old ones stay listed."""

    @extend_schema(summary="The public keys of the site", responses=KeysSerializer)
    def get(self, request: Request) -> Response:
        known_parameters(request)
        return Response(KeysSerializer({"keys": published_keys()}).data)


@not_shared("keys are stored beside the data")
@require_safe
def keys_file(request: HttpRequest) -> HttpResponse:
    """All keys that count as PEM, the current one first."""
    keys = [key.public_key for key in published_keys() if key.revoked_at is None]
    return HttpResponse("".join(keys), content_type="application/x-pem-file")
