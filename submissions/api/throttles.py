"""Who is counted: an account by all its tokens and sessions together, who is unknown by address."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest
from rest_framework.request import Request

from benchsite.http.limits.client_address import client_address
from benchsite.http.limits.throttles import Throttle
from submissions.api.permissions import SAFE_METHODS

if TYPE_CHECKING:  # REST framework's views load this module by their settings
    from rest_framework.views import APIView


class CallerThrottle(Throttle):
    """Every limit that counts for a request: of its caller, and of uploads, which cost more than reading."""

    def callers(self, request: Request, view: "APIView") -> Iterator[tuple[str, str]]:
        account = _account(request)
        yield ("user", account) if account else ("anon", client_address(request))
        scope = getattr(view, "write_scope", None)
        if scope is not None and request.method not in SAFE_METHODS:
            yield scope, caller_of(request)


class UploadThrottle(Throttle):
    """Of uploads alone: an upload by a form is no request to the API, and its page is charged for its time."""

    counts_time = False

    def callers(self, request: HttpRequest, view: Any) -> Iterator[tuple[str, str]]:
        yield "upload", caller_of(request)


def seconds_to_wait(request: HttpRequest) -> int:
    """Counts an upload by a form; how long its account must wait before the next one, 0 if it may go on."""
    throttle = UploadThrottle()
    return 0 if throttle.allow_request(request, None) else max(1, math.ceil(throttle.wait() or 1))


def caller_of(request: HttpRequest | Request) -> str:
    """The account of a token or of a session; else the address."""
    return _account(request) or client_address(request)


def _account(request: HttpRequest | Request) -> str | None:
    return f"user-{request.user.pk}" if request.user and request.user.is_authenticated else None
