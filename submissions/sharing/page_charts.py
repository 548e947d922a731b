"""The charts of a page: noted while it is rendered, so that each can be embedded and taken away as numbers."""

from dataclasses import dataclass
from io import BytesIO
from typing import Any
from urllib.parse import unquote_to_bytes, urljoin, urlsplit, urlunsplit

from django.contrib.auth.models import AnonymousUser
from django.core.handlers.wsgi import WSGIRequest
from django.http import Http404, HttpRequest

from submissions.formatting.charts import chart_of as by_key
from submissions.sharing.links import View
from submissions.sharing.registry import charts_of

# A visitor's own, which what everybody sees must not depend on.
_PERSONAL = ("HTTP_COOKIE", "HTTP_AUTHORIZATION", "CSRF_COOKIE", "CSRF_COOKIE_NEEDS_UPDATE", "REMOTE_USER")

_BESIDE = "; the table below has the same numbers"


@dataclass(frozen=True, slots=True)
class PageChart:
    """`key` is unique on its page; `label` says in words what the chart shows, `path` reproduces it."""

    key: str
    figure: dict[str, Any]
    label: str
    path: str  # of its page, with the choices that the page made where the address left them open

    @property
    def finding(self) -> str:
        """The label where the chart stands alone, without its table."""
        return self.label.removesuffix(_BESIDE)

    @property
    def caveats(self) -> tuple[str, ...]:
        return tuple(self.figure["layout"].get("meta", {}).get("caveats", ()))

    @property
    def height(self) -> int:
        """Of the drawing, in CSS pixels."""
        return int(self.figure["layout"].get("height", 450))


def note(request: HttpRequest, chart: PageChart) -> None:
    """Remember that the page of this request shows the chart."""
    request.page_charts = [*noted(request), chart]  # type: ignore[attr-defined]


def noted(request: HttpRequest) -> list[PageChart]:
    """What the page has shown so far."""
    return getattr(request, "page_charts", [])


def path_of(request: HttpRequest, link: str) -> str:
    """The path and query of a link on the page; of a link elsewhere, those of the page itself."""
    target = urlsplit(urljoin(request.get_full_path(), link))
    is_here = (target.netloc, target.path) == ("", request.path)
    return urlunsplit(("", "", target.path, target.query, "")) if is_here else request.get_full_path()


def chart_of(request: HttpRequest, view: View, key: str) -> PageChart:
    """A chart of another page, as a visitor without an account sees it. Raises Http404.

    The page's `charts` makes it; of a page that has no such function yet the whole page is rendered.
    """
    charts = charts_of(view)
    if charts is not None:
        chart = by_key(charts, key)
        if chart is None:
            raise Http404("This page has no such chart.")
        return PageChart(chart.key, chart.drawing, chart.label, view.path)
    inner = _request_for(request, view)
    answer = view.match.func(inner, *view.match.args, **view.match.kwargs)
    if hasattr(answer, "render"):
        answer.render()
    for chart in noted(inner):
        if chart.key == key:
            return chart
    raise Http404("This page has no such chart.")


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
