"""POST /api/v1/submissions/bulk/: one submission per line, one answer per line, in order."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, ClassVar

from django.conf import settings
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from pydantic_core import to_json
from rest_framework.request import Request
from rest_framework.views import APIView

from benchsite.http.problems import status_of
from benchsite.http.refusals import Refusal
from submissions.api.bodies import (
    BoundedBody,
    JSONLinesParser,
    LinesParser,
    LinesParserByOtherName,
    LinesRenderer,
    StreamedFormats,
)
from submissions.api.fields import absolute_url
from submissions.api.parameters import known_parameters
from submissions.api.permissions import MaySubmit
from submissions.ingest.bulk import LineOutcome, submit_lines
from submissions.models import Submission
from submissions.records.missing import missing_facts


class BulkImport(BoundedBody, StreamedFormats, APIView):
    """A refused line gives its reasons and does not stop the others."""

    permission_classes = (MaySubmit,)
    parser_classes = (LinesParser, LinesParserByOtherName, JSONLinesParser)
    streamed: ClassVar[dict[str, Any]] = {"POST": (LinesRenderer,)}
    write_scope = "upload"
    max_body_bytes = settings.MAX_BULK_BYTES

    @extend_schema(
        summary="Submit many results",
        description=(
            "NDJSON: a submission document per line. The answer has a line for each, in order:"
            ' {"line", "status": 201 | 200 | 400 | 413 | 429, "id", "url", "errors", "missing"}; a'
            " refused line does not stop the others; 413 and 429: over a limit of the account. You publish them"
            " under CC BY 4.0."
        ),
        request={"application/x-ndjson": OpenApiTypes.STR},
        responses={(200, "application/x-ndjson"): OpenApiTypes.STR},
    )
    def post(self, request: Request) -> StreamingHttpResponse:
        known_parameters(request)
        lines: Any = request.data
        owner: Any = request.user  # MaySubmit: an account
        if not lines:
            raise Refusal.at("#", "the body is empty: send one JSON document per line")
        outcomes = submit_lines(lines, submitted_by=owner)
        return StreamingHttpResponse(_answers(outcomes, request), content_type="application/x-ndjson")


def _answers(outcomes: Iterator[LineOutcome], request: Request) -> Iterator[bytes]:
    for outcome in outcomes:
        yield to_json(_answer(outcome, request)) + b"\n"


def _answer(outcome: LineOutcome, request: Request) -> dict[str, Any]:
    submission = outcome.submission
    if submission is None:
        errors = [{"pointer": fault.pointer, "detail": fault.detail} for fault in outcome.faults]
        status = status_of(outcome.refusal) if outcome.refusal else 400
        return {"line": outcome.line, "status": status, "id": None, "url": None, "errors": errors, "missing": []}
    return {
        "line": outcome.line,
        "status": 201 if outcome.created else 200,
        "id": submission.pk,
        "url": f"{absolute_url(request, 'submissions:detail', submission.pk)}{submission.link_query}",
        "errors": [],
        "missing": _missing(submission) if outcome.created else [],
    }


def _missing(submission: Submission) -> list[dict[str, str]]:
    return [asdict(fact) for fact in missing_facts(submission)]
