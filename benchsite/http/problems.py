"""The only code that builds an error answer of the API: RFC 9457, application/problem+json."""

import logging
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.core import exceptions as django_errors
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import render
from django.template import loader
from django.views import defaults
from rest_framework import exceptions as errors
from rest_framework.views import set_rollback

from benchsite.http.outages import Outage, outage_of
from benchsite.http.refusals import Conflict, Fault, NotPermitted, RateExceeded, Refusal, UploadTooLarge
from benchsite.http.request_ids import current_request_id

log = logging.getLogger(__name__)

CONTENT_TYPE = "application/problem+json"
API_PREFIX = "/api/"
WHOLE = "#"

# status -> the last part of the type, and the title that RFC 9110 gives the status
_KINDS = {
    400: ("invalid", "Bad Request"),
    401: ("unauthenticated", "Unauthorized"),
    403: ("forbidden", "Forbidden"),
    404: ("not-found", "Not Found"),
    405: ("method-not-allowed", "Method Not Allowed"),
    406: ("not-acceptable", "Not Acceptable"),
    408: ("too-slow", "Request Timeout"),
    409: ("conflict", "Conflict"),
    410: ("gone", "Gone"),
    413: ("too-large", "Content Too Large"),
    415: ("unsupported-media-type", "Unsupported Media Type"),
    429: ("throttled", "Too Many Requests"),
    500: ("internal", "Internal Server Error"),
    503: ("unavailable", "Service Unavailable"),
    507: ("storage-full", "Insufficient Storage"),
}
_TOO_LARGE = (
    django_errors.RequestDataTooBig,
    django_errors.TooManyFilesSent,
    django_errors.TooManyFieldsSent,
)


def exception_handler(error: Exception, context: dict[str, Any]) -> HttpResponse | None:
    """REST framework's EXCEPTION_HANDLER. None for what is our bug: Django logs it."""
    answer = _answer(error)
    if answer is not None:
        set_rollback()
    return answer


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler404: a problem below /api/, a page elsewhere."""
    if request.path.startswith(API_PREFIX):
        return problem(404, [Fault(WHOLE, "no such address")])
    return defaults.page_not_found(request, exception)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler400, also for a foreign Host: a problem below /api/, a page elsewhere."""
    if request.path.startswith(API_PREFIX):
        return problem(400, [Fault(WHOLE, "the request is malformed, or its Host is not that of this site")])
    return defaults.bad_request(request, exception)


def method_not_allowed(request: HttpRequest, allowed: Sequence[str]) -> HttpResponse:
    """Of an address of the API whose view is Django's own."""
    answer = problem(405, [Fault(WHOLE, f"Method {str(request.method)[:20]!a} not allowed.")])
    answer["Allow"] = ", ".join(allowed)
    return answer


def gone(request: HttpRequest, reason: str) -> HttpResponse:
    """What was taken away on purpose, and why: a problem below /api/, a page elsewhere."""
    if request.path.startswith(API_PREFIX):
        return problem(410, [Fault(WHOLE, reason)])
    return render(request, "410.html", {"reason": reason}, status=410)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500: a problem below /api/, a page elsewhere; 503 or 507 where an outage is the cause."""
    if outage := outage_of(sys.exc_info()[1]):
        return unavailable(request, outage)
    if request.path.startswith(API_PREFIX):
        return problem(500, [Fault(WHOLE, "an error on our side: it was logged and will be investigated")])
    return defaults.server_error(request)


def unavailable(request: HttpRequest, outage: Outage) -> HttpResponse:
    """What cannot be done now and can be tried again: a problem below /api/, a page elsewhere."""
    if request.path.startswith(API_PREFIX):
        return _outage_problem(outage)
    page = loader.render_to_string("503.html", {"outage": outage})
    return HttpResponse(page, status=outage.status, headers={"Retry-After": str(outage.retry_seconds)})


class OutageMiddleware:
    """Answers 503 or 507 for a view that met an outage, with one line in the log and no traceback."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        outage = outage_of(exception)
        if outage is None:
            return None
        log.warning("%s: %s", request.path, exception)
        return unavailable(request, outage)


def refused_early(path: str, status: int, detail: str) -> HttpResponse:
    """An answer to a request that no view has seen: a problem below /api/, a line of text elsewhere."""
    if path.startswith(API_PREFIX):
        return problem(status, [Fault(WHOLE, detail)])
    return HttpResponse(f"{detail}\n", status=status, content_type="text/plain; charset=utf-8")


def problem(status: int, faults: Sequence[Fault]) -> JsonResponse:
    """With the id of the request, by which an operator finds it in the log."""
    content = body(status, faults)
    if request_id := current_request_id():
        content["request_id"] = request_id
    return JsonResponse(content, status=status, content_type=CONTENT_TYPE)


def body(status: int, faults: Sequence[Fault]) -> dict[str, Any]:
    """The members of a problem; also what a line of a bulk answer holds."""
    kind, title = _KINDS[status]
    return {
        "type": f"/problems/{kind}",
        "title": title,
        "status": status,
        "errors": [{"pointer": fault.pointer, "detail": fault.detail} for fault in faults],
    }


def status_of(refusal: Refusal) -> int:
    """The status of a refusal, on pages as in the API."""
    match refusal:
        case NotPermitted():
            return 403
        case Conflict():
            return 409
        case UploadTooLarge():
            return 413
        case RateExceeded():
            return 429
    return 400


def faults_of_detail(detail: Any, pointer: str = WHOLE) -> list[Fault]:
    """REST framework's nested error details as faults."""
    return list(_faults(detail, pointer))


def _answer(error: Exception) -> HttpResponse | None:
    match error:
        case Refusal():
            answer = problem(status_of(error), error.faults)
            if isinstance(error, RateExceeded) and error.retry_seconds is not None:
                answer["Retry-After"] = str(error.retry_seconds)
            return answer
        case errors.APIException():
            return _from_rest_framework(error)
        case Http404():
            return problem(404, [Fault(WHOLE, "no such thing")])
        case django_errors.PermissionDenied():
            return problem(403, [Fault(WHOLE, "you may not do this")])
        case _ if isinstance(error, _TOO_LARGE):
            return problem(413, [Fault(WHOLE, "the body is larger than this site accepts")])
        case MultiPartParserError() | UnreadablePostError() | django_errors.BadRequest():
            return problem(400, [Fault(WHOLE, "the body could not be read")])
    outage = outage_of(error)
    return _outage_problem(outage) if outage else None


def _outage_problem(outage: Outage) -> HttpResponse:
    answer = problem(outage.status, [Fault(WHOLE, outage.detail)])
    answer["Retry-After"] = str(outage.retry_seconds)
    return answer


def _from_rest_framework(error: errors.APIException) -> HttpResponse:
    answer = problem(error.status_code, faults_of_detail(error.detail))
    if header := getattr(error, "auth_header", None):
        answer["WWW-Authenticate"] = header
    wait: float | None = getattr(error, "wait", None)  # of Throttled
    if wait is not None:
        answer["Retry-After"] = str(max(1, math.ceil(wait)))
    return answer


def _faults(detail: Any, pointer: str) -> Iterator[Fault]:
    if isinstance(detail, dict):
        for name, inner in detail.items():
            is_whole = name in ("non_field_errors", "__all__")
            yield from _faults(inner, pointer if is_whole else f"{pointer}/{_escaped(name)}")
    elif isinstance(detail, list | tuple):
        for index, inner in enumerate(detail):
            # a list of texts is about one place, a list of objects about its entries
            yield from _faults(inner, f"{pointer}/{index}" if isinstance(inner, dict) else pointer)
    else:
        yield Fault(pointer, str(detail))


def _escaped(name: object) -> str:
    return str(name).replace("~", "~0").replace("/", "~1")[:100]
