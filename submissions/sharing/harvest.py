"""The charts of a page that has no `charts` function yet: noted by the template tag while the page is rendered."""

from collections.abc import Sequence
from io import BytesIO
from urllib.parse import unquote_to_bytes, urlsplit

from django.contrib.auth.models import AnonymousUser
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest

from submissions.formatting.charts import Chart
from submissions.sharing.links import View

_PERSONAL = ("HTTP_COOKIE", "HTTP_AUTHORIZATION", "CSRF_COOKIE", "CSRF_COOKIE_NEEDS_UPDATE", "REMOTE_USER")


def note(request: HttpRequest, chart: Chart) -> None:
    request.page_charts = [*noted(request), chart]  # type: ignore[attr-defined]


def noted(request: HttpRequest) -> list[Chart]:
    return getattr(request, "page_charts", [])


def harvested(request: HttpRequest, view: View) -> Sequence[Chart]:
    """The charts of another page, as a visitor without an account sees it: the whole page is rendered."""
    inner = _request_for(request, view)
    answer = view.match.func(inner, *view.match.args, **view.match.kwargs)
    if hasattr(answer, "render"):
        answer.render()
    return noted(inner)


def _request_for(request: HttpRequest, view: View) -> WSGIRequest:
    parts = urlsplit(view.path)
    environ = {
        **{name: value for name, value in request.META.items() if name not in _PERSONAL},
        "REQUEST_METHOD": "GET",
        "CONTENT_LENGTH": "",
        "PATH_INFO": unquote_to_bytes(parts.path).decode("latin-1"),  # as WSGI has it
        "QUERY_STRING": parts.query,
        "wsgi.input": BytesIO(),
    }
    inner = WSGIRequest(environ)
    inner.user = AnonymousUser()
    inner.resolver_match = view.match
    return inner
