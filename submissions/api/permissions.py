"""Who may do what: tokens and their scopes."""

import re
from typing import TYPE_CHECKING, Any

from knox.auth import TokenAuthentication
from knox.crypto import hash_token
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

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
        stored = ApiToken.by_digest(hash_token(token.decode()))
        if stored is None:  # refused, with what else knox does about tokens that have expired
            credentials: tuple[Any, ApiToken] = super().authenticate_credentials(token)
        else:
            credentials = self.validate_user(stored)
        credentials[1].note_use()
        return credentials


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


class HasToken(BasePermission):
    """Any token, whatever its scopes."""

    message = "send a token: `Authorization: Bearer ...`"

    def has_permission(self, request: Request, view: "APIView") -> bool:
        return isinstance(request.auth, ApiToken)
