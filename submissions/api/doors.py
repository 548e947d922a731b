"""Who may come in, how often, and with how much: tokens, scopes, rates, sizes, parameters."""

import re
from typing import TYPE_CHECKING, Any

from knox.auth import TokenAuthentication
from rest_framework.exceptions import APIException, AuthenticationFailed, ValidationError
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.throttling import AnonRateThrottle, ScopedRateThrottle, UserRateThrottle

from submissions.models import ApiToken

if TYPE_CHECKING:  # REST framework's views load this module by their settings
    from rest_framework.views import APIView

_TOKEN = re.compile(rb"[0-9a-f]{64}")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class BearerAuthentication(TokenAuthentication):
    """`Authorization: Bearer <token>`, by the digest of the token."""

    def authenticate_credentials(self, token: bytes) -> tuple[Any, ApiToken]:
        if not _TOKEN.fullmatch(token):  # knox decodes what it gets; a header may hold any byte
            raise AuthenticationFailed("Invalid token.")
        return super().authenticate_credentials(token)


class Scoped(BasePermission):
    """Reading is open; writing needs a session, or a token with the scope."""

    scope: ApiToken.Scope

    def has_permission(self, request: Request, view: "APIView") -> bool:
        if request.method in SAFE_METHODS:
            return True
        if not (request.user and request.user.is_authenticated):
            return False
        if isinstance(request.auth, ApiToken):
            self.message = f"this token lacks the scope `{self.scope}`"
            return self.scope in request.auth.scopes
        return True


class MaySubmit(Scoped):
    scope = ApiToken.Scope.SUBMIT


class IsSignedIn(BasePermission):
    """A session: what a token must not do, such as making tokens."""

    message = "sign in on the site: a token cannot do this"

    def has_permission(self, request: Request, view: "APIView") -> bool:
        return bool(request.user and request.user.is_authenticated and request.auth is None)


def _caller(request: Request) -> str | None:
    """The token, or the account of a session; None for an unknown caller."""
    if isinstance(request.auth, ApiToken):
        return f"token-{request.auth.digest[:32]}"
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


class TooLarge(APIException):
    """A body over the limit of its door (HTTP 413)."""

    status_code = 413
    default_detail = "the body is too large"


class BoundedBody:
    """Refuses a body by its announced size, before any of it is read; more is never read."""

    max_body_bytes: int

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        announced = request.META.get("CONTENT_LENGTH") or "0"
        if announced.isdigit() and int(announced) > self.max_body_bytes:
            raise TooLarge(f"the body is over {self.max_body_bytes:,} bytes")
        super().initial(request, *args, **kwargs)  # type: ignore[misc]


def flag_parameter(request: Request, name: str) -> bool:
    """?name=true or false; missing is false. Raises ValidationError."""
    text = request.query_params.get(name, "false").lower()
    if text not in ("true", "false", "1", "0"):
        raise ValidationError({name: ["must be true or false"]})
    return text in ("true", "1")


def known_parameters(request: Request, *names: str) -> None:
    """A misspelt parameter must not silently do something else. Raises ValidationError."""
    unknown = [name for name in request.query_params if name not in (*names, "format")]
    if unknown:
        allowed = f"known are {', '.join(sorted(names))}" if names else "there are none here"
        raise ValidationError({name: [f"unknown parameter; {allowed}"] for name in unknown})
