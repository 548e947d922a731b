"""POST /api/v1/submissions/import/: raw logs with the facts that they do not contain."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    PolymorphicProxySerializer,
    extend_schema,
    inline_serializer,
)
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from benchsite.http.from_data import not_shared
from benchsite.http.refusals import Conflict, Fault, Refusal, UploadTooLarge
from benchsite.http.strict_json import MAX_DOCUMENT_BYTES, read_json
from submissions import tasks
from submissions.api.bodies import BoundedBody, has_waited_long
from submissions.api.parameters import flag_parameter, known_parameters
from submissions.api.permissions import MaySubmit
from submissions.api.schema import FaultSerializer
from submissions.ingest import uploads
from submissions.ingest.checks import quota
from submissions.ingest.checks.duplicates import ALLOW, with_parameter
from submissions.ingest.document.faults import pointer
from submissions.ingest.logs.read import StatedLoad
from submissions.ingest.pipeline import prepare_import
from submissions.ingest.store.store import store_all
from submissions.models import PUBLICATION_FIELDS, Upload
from submissions.records.api.nested import NextSerializer
from submissions.records.api.serializers import SubmissionSerializer, page_url, stored_json
from submissions.upload.api.dated_parts import DatedMultiPartParser
from submissions.upload.api.next_steps import next_steps
from submissions.upload.api.per_file import PER_FILE, PER_FILE_PARAMETER, field_of, per_file
from submissions.upload.api.submit import DRY_RUN, DryRunSerializer, dry_run_answers
from submissions.upload.loads import stated_loads

FIELDS = frozenset({"metadata", "log", "trial", "offered_ops_s", "threads", "result"})

_KNOWN = "log, metadata, trial, offered_ops_s, threads, result"

_FORM = {
    "type": "object",
    "additionalProperties": False,
    "required": ["metadata", "log"],
    "properties": {
        "metadata": {
            "type": "string",
            "contentMediaType": "application/json",
            "description": "The document of POST submissions/ without `trials`. Facts that the logs state may be"
            " omitted; facts that contradict the logs are refused",
        },
        "log": {
            "type": "array",
            "minItems": 1,
            "items": {"type": "string", "format": "binary"},
            "description": "Logs: plain, gzip, zip or tar. Without a date in metadata and log, that of the file counts:"
            " in an archive, in a gzip, or as the part's header (`Last-Modified`, or `modification-date` of"
            " `Content-Disposition`)",
        },
        "trial": {
            "type": "array",
            "items": {"type": "string"},
            "description": "The trial of each log; clients that ran together share one",
        },
        "offered_ops_s": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Where the log does not say it, the rate that its trial was offered, operations a second of"
            " all clients together; empty: not stated. Trials of different rates are a load curve",
        },
        "threads": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Where the log does not say it, its threads, of one client; empty: not stated. Trials of"
            " different threads are a load curve",
        },
        "result": {
            "type": "array",
            "items": {"type": "string"},
            "description": "With `per_file`: the result of each log; logs of one result share a name. Logs without one"
            " are grouped as the site proposes",
        },
    },
}
_DUPLICATE = OpenApiParameter(
    "duplicate",
    str,
    enum=[ALLOW],
    description="Publishes logs again that are part of another result, with other facts; without it they are refused"
    " with 409, which names that result if it is public or your own",
)
_IMPORTED = inline_serializer("Imported", {"submissions": SubmissionSerializer(many=True), "next": NextSerializer()})
_DRY_RUN = inline_serializer("ImportDryRun", {"submissions": DryRunSerializer(many=True)})
_RESPONSES = {
    201: OpenApiResponse(_IMPORTED, "stored"),
    200: OpenApiResponse(
        PolymorphicProxySerializer("ImportedBeforeOrDryRun", [_IMPORTED, _DRY_RUN], resource_type_field_name=None),
        "everything was uploaded before, or the outcome of a dry run",
    ),
    207: OpenApiResponse(PER_FILE, "with `per_file`: the outcome of each file"),
    202: OpenApiResponse(
        inline_serializer("Accepted", {"status_url": serializers.URLField()}),
        "large, or the site is busy: a worker reads it",
    ),
}
_STATUS = inline_serializer(
    "UploadStatus",
    {
        "status": serializers.CharField(help_text="queued, running, failed or done"),
        "submission": serializers.URLField(allow_null=True, help_text="The page of the first one"),
        "submissions": serializers.ListField(child=serializers.URLField()),
        "errors": FaultSerializer(many=True),
    },
)


@dataclass(frozen=True, slots=True)
class Sent:
    """The parts of the form: the facts, the files, and each file's trial ("" or missing: none)."""

    metadata: Mapping[str, Any]
    files: Sequence["UploadedFile[bytes]"]
    trials: Sequence[str]
    loads: Sequence[StatedLoad] = ()
    results: Sequence[str] = ()

    @property
    def size_bytes(self) -> int:
        return sum(file.size or 0 for file in self.files)


class LogImport(BoundedBody, APIView):
    """Small logs are read in the request, large ones, and all while the site is busy, by a worker: the same code."""

    permission_classes = (MaySubmit,)
    parser_classes = (DatedMultiPartParser,)
    write_scope = "upload"
    max_body_bytes = settings.MAX_UPLOAD_BYTES

    @extend_schema(
        summary="Submit raw logs",
        description="One submission: trials at different rates or threads, as of a log of `-rate auto`, are its load"
        " curve. A file of several settings (a graph of revisions, several pipelines) becomes"
        " one for each. You publish it and its logs under CC BY 4.0.",
        parameters=[DRY_RUN, PER_FILE_PARAMETER, _DUPLICATE],
        request={"multipart/form-data": _FORM},
        responses=_RESPONSES,
    )
    def post(self, request: Request) -> Response:
        known_parameters(request, "dry_run", "per_file", _DUPLICATE.name)
        is_dry_run, may_repeat_logs = flag_parameter(request, "dry_run"), _may_repeat_logs(request)
        sent = _sent(request)
        owner: Any = request.user  # MaySubmit: an account
        if flag_parameter(request, "per_file"):
            with _pointing_at_fields():
                answer = per_file(
                    sent.files,
                    sent.metadata,
                    sent.trials,
                    sent.loads,
                    sent.results,
                    owner=owner,
                    is_dry_run=is_dry_run,
                    may_repeat_logs=may_repeat_logs,
                )
            return Response(answer.content(request), status=207)
        if sent.results:
            raise Refusal.at("#/result", "is only for per_file=true")
        if not is_dry_run:
            quota.check(owner, sent.size_bytes)
        is_large = sent.size_bytes > settings.IMPORT_IN_REQUEST_BYTES
        if not is_dry_run and (is_large or has_waited_long(request)):
            return self._accepted(sent, owner, request, may_repeat_logs=may_repeat_logs)
        with _pointing_at_fields():
            prepared = prepare_import(sent.metadata, uploads.offered(sent.files, sent.trials, sent.loads))
        if is_dry_run:
            return Response({"submissions": dry_run_answers(prepared, request)})
        quota.check(owner, sum(owned.file.member.size_bytes for each in prepared for owned in each.files))
        with _pointing_at_fields():
            stored = store_all(prepared, submitted_by=owner, may_repeat_logs=may_repeat_logs)
        submissions = [stored_json(result, request) for result in stored]
        status = 201 if any(result.created for result in stored) else 200
        content = {"submissions": submissions, "next": next_steps(submissions, request)}
        return Response(content, status, headers={"Location": submissions[0]["url"]})

    def _accepted(self, sent: Sent, owner: User, request: Request, *, may_repeat_logs: bool) -> Response:
        with _pointing_at_fields(), transaction.atomic():
            upload = uploads.stage(
                sent.files,
                sent.metadata,
                owner=owner,
                trials=sent.trials,
                loads=sent.loads,
                status=Upload.Status.QUEUED,
                may_repeat_logs=may_repeat_logs,
            )
            transaction.on_commit(lambda: tasks.deliver(upload.pk))
        status_url = request.build_absolute_uri(reverse("api:upload-status", args=[upload.pk]))
        return Response({"status_url": status_url}, status=202, headers={"Location": status_url})


@not_shared("an upload on its way")
class UploadStatus(APIView):
    """The status of a large import; only its sender knows the address."""

    @extend_schema(summary="The status of a large import", responses=_STATUS)
    def get(self, request: Request, pk: str) -> Response:
        known_parameters(request)
        waiting = Upload.objects.exclude(status=Upload.Status.STAGED)
        upload = get_object_or_404(waiting, pk=pk)
        stored = upload.submissions.visible_to(request.user).only(*PUBLICATION_FIELDS).order_by("pk")
        urls = [page_url(submission, request) for submission in stored]
        return Response(
            {
                "status": upload.status,
                "submission": urls[0] if urls else None,
                "submissions": urls,
                "errors": [{**error, "pointer": field_of(error["pointer"])} for error in upload.errors],
            }
        )


def _may_repeat_logs(request: Request) -> bool:
    """Raises ValidationError."""
    stated = request.query_params.get(_DUPLICATE.name)
    if stated not in (None, ALLOW):
        raise ValidationError({_DUPLICATE.name: [f"must be {ALLOW}, or left out"]})
    return stated == ALLOW


@contextmanager
def _pointing_at_fields() -> Iterator[None]:
    """The pipeline counts files; the sender knows them as the form's field `log`."""
    try:
        yield
    except Refusal as error:
        faults = with_parameter(error).faults if isinstance(error, Conflict) else error.faults
        error.faults = tuple(Fault(field_of(fault.pointer), fault.detail) for fault in faults)
        raise


def _sent(request: Request) -> Sent:
    """The parts of the form. Raises Refusal."""
    unknown = sorted({*request.data} - FIELDS)
    if unknown:
        raise Refusal([Fault(f"#/{name[:100]}", f"unknown field; known are {_KNOWN}") for name in unknown])
    files = request.FILES.getlist("log")
    if not files:
        raise Refusal.at("#/log", "no file was sent")
    trials, results = request.POST.getlist("trial"), request.POST.getlist("result")
    metadata = _metadata(request)
    faults = [*_unstorable(trials, "#/trial"), *_unstorable(results, "#/result"), *_unstorable(metadata, "#")]
    if faults:
        raise Refusal(faults)
    return Sent(metadata, files, trials, stated_loads(request.POST, len(files)), results)


def _metadata(request: Request) -> Mapping[str, Any]:
    """The JSON of the field `metadata`, sent as text or as a file."""
    sent = [*request.POST.getlist("metadata"), *request.FILES.getlist("metadata")]
    if len(sent) != 1:
        raise Refusal.at("#/metadata", "is required, exactly once")
    raw = sent[0]
    if isinstance(raw, UploadedFile):
        if (raw.size or 0) > MAX_DOCUMENT_BYTES:
            raise UploadTooLarge.at("#/metadata", f"is over {MAX_DOCUMENT_BYTES:,} bytes")
        raw = raw.read()
    else:
        raw = raw.encode()
    try:
        content = read_json(raw)
    except Refusal as error:
        raise Refusal.at("#/metadata", error.faults[0].detail) from error
    if not isinstance(content, dict):
        raise Refusal.at("#/metadata", "must be a JSON object")
    return content


def _unstorable(value: Any, place: str) -> Iterator[Fault]:
    """What neither a text nor a JSON column can hold; a large upload is stored before it is checked."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _unstorable(key, place)
            yield from _unstorable(item, pointer((key,), place))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unstorable(item, f"{place}/{index}")
    elif isinstance(value, str) and ("\x00" in value or not _is_unicode(value)):
        yield Fault(place, "must not contain NUL or broken characters")
    elif isinstance(value, int) and abs(value) > 2**63:
        yield Fault(place, "must not be beyond 64 bits")


def _is_unicode(text: str) -> bool:
    return not any(0xD800 <= ord(char) <= 0xDFFF for char in text)
