"""The forms of requests and answers: strict JSON, multipart, lines of JSON, CSV."""

import json
import tempfile
import threading
from collections.abc import Iterator, Mapping
from typing import IO, Any, ClassVar

from django.http import HttpRequest, HttpResponse
from pydantic_core import to_json
from rest_framework import serializers
from rest_framework.exceptions import APIException, MethodNotAllowed, NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from benchsite.http.limits.body_size import announced_bytes
from benchsite.http.strict_json import MAX_LINE_BYTES, read_json
from benchsite.storage import disk

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
BUSY_SECONDS = 2.0
CHUNK_BYTES = 64 * 1024
SPOOL_BYTES = 2 * 1024 * 1024


class StrictJSONParser(BaseParser):
    """No NaN, no Infinity, UTF-8 only, nesting bounded; Refusal says what is wrong."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        return read_json(stream.read())


class LinesParser(BaseParser):
    """Lines of JSON, kept in a temporary file: answers begin when all of the body has arrived.

    A client that sends its whole body before it reads would otherwise wait for us, and we for it.
    """

    media_type = "application/x-ndjson"

    def parse(  # type: ignore[override]
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> "SpooledLines":
        spooled = tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES)  # noqa: SIM115 its reader closes it
        while chunk := stream.read(CHUNK_BYTES):
            spooled.write(chunk)
        spooled.seek(0)
        return SpooledLines(spooled)


class LinesParserByOtherName(LinesParser):
    media_type = "application/ndjson"


class JSONLinesParser(LinesParser):
    media_type = "application/jsonl"


class SpooledLines:
    """The lines of a body; of an overlong one only as much as shows that it is."""

    def __init__(self, spooled: IO[bytes]):
        self._spooled = spooled

    def __iter__(self) -> Iterator[bytes]:
        with self._spooled as lines:
            while line := lines.readline(MAX_LINE_BYTES + 1):
                rest = line
                while rest and not rest.endswith(b"\n"):
                    rest = lines.readline(CHUNK_BYTES)
                yield line


class CSVRenderer(BaseRenderer):
    """Named for the negotiation; the view streams the rows itself."""

    media_type = "text/csv"
    format = "csv"
    charset = "utf-8"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        raise NotImplementedError("rows are streamed by submissions.formatting.csv")


class LinesRenderer(BaseRenderer):
    """Named for the negotiation; the view streams the answers itself."""

    media_type = "application/x-ndjson"
    format = "ndjson"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        raise NotImplementedError("answers are streamed by submissions.upload.api.bulk")


class StreamedFormats:
    """Adds the formats that a view streams itself, each to the one method that has it."""

    streamed: ClassVar[dict[str, tuple[type[BaseRenderer], ...]]] = {}

    def get_renderers(self) -> list[BaseRenderer]:
        method = "GET" if self.request.method == "HEAD" else self.request.method  # type: ignore[attr-defined]
        renderers: tuple[type[BaseRenderer], ...] = (JSONRenderer, *self.streamed.get(method, ()))
        return [renderer() for renderer in renderers]


_of_thread = threading.local()


def represented(serializer_class: type[serializers.BaseSerializer[Any]], instance: Any, request: Request) -> Any:
    """`serializer_class(instance, context={"request": request}).data`.

    Each thread makes a serializer once: to build its hundred fields takes five times as long as what they answer.
    """
    made = vars(_of_thread).setdefault("serializers", {})
    if serializer_class not in made:
        made[serializer_class] = serializer_class(context={})
    serializer = made[serializer_class]
    serializer.context["request"] = request
    try:
        return serializer.to_representation(instance)
    finally:
        serializer.context.clear()


def json_response(
    request: Request, content: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """As `Response`, of JSON values only: in a tenth of the time, where the caller did not ask for a form of it."""
    if request.accepted_media_type != JSONRenderer.media_type:
        return Response(content, status=status, headers=headers)
    text = to_json(content)
    return HttpResponse(text, status=status, headers=headers, content_type=JSONRenderer.media_type)


def json_text_response(request: Request, text: bytes) -> HttpResponse:
    """As `Response`, of an answer that is JSON already."""
    if request.accepted_media_type != JSONRenderer.media_type:
        return Response(json.loads(text))
    return HttpResponse(text, content_type=JSONRenderer.media_type)


class FormatOrAccept(DefaultContentNegotiation):
    """?format=csv is what counts where it is given, else the Accept header.

    A method that the address does not have has no formats either: it is refused first.
    """

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> tuple[Any, str]:
        if request.method not in request.parser_context["view"].allowed_methods:
            raise MethodNotAllowed(str(request.method))
        wanted = request.query_params.get(self.settings.URL_FORMAT_OVERRIDE)
        if not wanted:
            renderer, media_type = super().select_renderer(request, renderers, format_suffix)
            return renderer, media_type
        for renderer in renderers:
            if renderer.format == wanted:
                return renderer, renderer.media_type
        known = ", ".join(renderer.format for renderer in renderers)
        raise NotAcceptable(f"format must be one of {known}")


class TooLarge(APIException):
    """A body over the limit of its door (HTTP 413)."""

    status_code = 413
    default_detail = "the body is too large"


def has_waited_long(request: HttpRequest | Request) -> bool:
    """Whether so many wait for a thread of the web server that a log is better left to a worker."""
    waited: float = request.META.get("benchsite.waited_seconds", 0.0)
    return waited > BUSY_SECONDS


class BoundedBody:
    """Refuses a body by its announced size, before any of it is read; more is never read."""

    max_body_bytes: int

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if request.method not in SAFE_METHODS:
            disk.require_space()
        if announced_bytes(request.META) > self.max_body_bytes:
            raise TooLarge(f"the body is over {self.max_body_bytes:,} bytes")
        super().initial(request, *args, **kwargs)  # type: ignore[misc]
