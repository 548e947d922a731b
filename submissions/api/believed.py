"""Tokens that this process has read lately: an upload's own statement looks whether they are still what they were.

A view that believes a token does nothing for it until its statement has found it true (`at_once.Believed`), or
`confirm` has read it: also not to say what is wrong with an upload.
"""

import time
from typing import Any

from rest_framework.exceptions import APIException
from rest_framework.request import Request

from submissions.api.permissions import BearerAuthentication
from submissions.models import ApiToken

BELIEVED_SECONDS = 60.0  # its use is noted when it is read
_MOST = 1_000

_rows: dict[str, tuple[float, tuple[Any, ...]]] = {}  # by digest: when it was read, and what


class BelievesTokens:
    """A view of whose POSTs without parameters the token is believed. What refuses one refuses it to a true token."""

    _believed = ""  # the digest; a view is made for each request

    def token_of(self, request: Request, digest: str) -> ApiToken | None:
        if request.method != "POST" or request.META.get("QUERY_STRING"):
            return ApiToken.by_digest(digest)
        read_at, row = _rows.get(digest, (0.0, None))
        if row is not None and time.monotonic() - read_at < BELIEVED_SECONDS:
            token = ApiToken.of_row(row)
            token.is_believed, self._believed = True, digest
            return token
        return _read(digest)

    def confirm(self, request: Request) -> None:
        """Read the token where it was believed. Raises as authentication and permissions do."""
        view: Any = self
        if self._believed:
            _rows.pop(self._believed, None)
            self._believed = ""
            request.user, request.auth = BearerAuthentication().authenticate(request)
            view.check_permissions(request)

    def handle_exception(self, exc: Exception) -> Any:
        view: Any = self
        try:
            self.confirm(view.request)
        except APIException as refused:
            exc = refused
        return super().handle_exception(exc)  # type: ignore[misc]


def _read(digest: str) -> ApiToken | None:
    row = ApiToken.row_of(digest)
    if row is None:
        return None
    if len(_rows) >= _MOST:
        _rows.clear()
    _rows[digest] = time.monotonic(), row
    return ApiToken.of_row(row)
