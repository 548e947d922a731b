"""How often a caller may ask."""

import math
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import AnonRateThrottle, ScopedRateThrottle, UserRateThrottle

from submissions.api.permissions import SAFE_METHODS
from submissions.models import ApiToken

if TYPE_CHECKING:  # REST framework's views load this module by their settings
    from rest_framework.views import APIView


def _caller(request: Request) -> str | None:
    """The token, or the account of a session; None for an unknown caller."""
    token = getattr(request, "auth", None)  # a request of a page has none
    if isinstance(token, ApiToken):
        return f"token-{token.digest[:32]}"
    if request.user and request.user.is_authenticated:
        return f"user-{request.user.pk}"
    return None


class AddressThrottle(AnonRateThrottle):
    """Unknown callers, by address; X-Forwarded-For counts only behind PROXIES of ours."""


class CallerThrottle(UserRateThrottle):
    """Known callers, by token or account."""

    def get_cache_key(self, request: Request, view: "APIView") -> str | None:
        ident = _caller(request)
        return ident and self.cache_format % {"scope": self.scope, "ident": ident}


class UploadThrottle(ScopedRateThrottle):
    """What costs more than reading: writing to a view with a `write_scope`, by token or account."""

    def allow_request(self, request: Request, view: "APIView") -> bool:
        self.scope = getattr(view, "write_scope", None)
        if self.scope is None or request.method in SAFE_METHODS:
            return True
        self.rate = self.get_rate()
        self.num_requests, self.duration = self.parse_rate(self.rate)
        return super(ScopedRateThrottle, self).allow_request(request, view)

    def get_cache_key(self, request: Request, view: "APIView") -> str | None:
        ident = _caller(request) or self.get_ident(request)
        return self.cache_format % {"scope": self.scope, "ident": ident}


def seconds_to_wait(request: HttpRequest) -> int:
    """Counts an upload by a form; how long its account must wait before the next one, 0 if it may go on."""
    asked: Any = request
    view: Any = SimpleNamespace(write_scope="upload")
    throttle = UploadThrottle()
    return 0 if throttle.allow_request(asked, view) else max(1, math.ceil(throttle.wait() or 1))
