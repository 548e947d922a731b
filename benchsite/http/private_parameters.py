"""Parameters that are the reader's own, such as what a reader pays: an answer to them is nobody else's.

The server stores no answer to a query with one of them (`PRIVATE_PARAMETERS`), neither in its caches nor in those
between it and the reader, and addresses that it stores, shows to others or logs are without them.
"""

from collections.abc import Callable
from contextvars import ContextVar
from urllib.parse import parse_qsl, urlencode

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from benchsite.http.streams import keep_context

_is_private: ContextVar[bool] = ContextVar("is_private", default=False)


def is_private() -> bool:
    """Whether the answer that is being made is to a query with a private parameter: caches leave it alone."""
    return _is_private.get()


def has_private(query: str) -> bool:
    """Of the query of an address."""
    return bool(query) and any(name in settings.PRIVATE_PARAMETERS and value for name, value in _pairs(query))


def without_private(query: str) -> str:
    """The query without its private parameters; as it is where it has none."""
    pairs = _pairs(query)
    shared = [(name, value) for name, value in pairs if name not in settings.PRIVATE_PARAMETERS]
    return query if len(shared) == len(pairs) else urlencode(shared)


def private_of(query: str) -> str:
    """The private parameters of a query, to be added to another one: "&discount=aws%3A25"; "" without any."""
    pairs = [(name, value) for name, value in _pairs(query) if name in settings.PRIVATE_PARAMETERS and value]
    return f"&{urlencode(pairs)}" if pairs else ""


class PrivateParametersMiddleware:
    """Outside of all that caches."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not has_private(request.META.get("QUERY_STRING", "")):
            return self.get_response(request)
        token = _is_private.set(True)
        try:
            response = self.get_response(request)
            keep_context(response)
        finally:
            _is_private.reset(token)
        return mark_private(response)


def mark_private(response: HttpResponseBase) -> HttpResponseBase:
    """No cache may keep it, and no search engine lists it."""
    response["Cache-Control"] = "private, no-store"
    response["X-Robots-Tag"] = "noindex"
    response["Referrer-Policy"] = "same-origin"  # no other site learns the address
    del response["ETag"]
    return response


def _pairs(query: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query, keep_blank_values=True, max_num_fields=settings.DATA_UPLOAD_MAX_NUMBER_FIELDS)
    except ValueError:
        return []  # so many that Django refuses the request
