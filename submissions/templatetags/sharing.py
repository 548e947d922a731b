"""Sharing a page: what links to it show elsewhere, its address for a short link, the HTML that embeds its charts."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import template
from django.http import HttpRequest
from django.template.base import Parser, Token
from django.utils.safestring import SafeString, mark_safe

from submissions.charts.png import HEIGHT, WIDTH
from submissions.formatting.charts import Chart
from submissions.models import Submission
from submissions.sharing.badge import BadgeSnippet, badge_snippet
from submissions.sharing.links import View, view_of
from submissions.sharing.oembed import frame, frame_height, frame_path
from submissions.sharing.previews import addresses
from submissions.templatetags.charts import page_path

register = template.Library()

_NO_MARKUP = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


@dataclass(frozen=True, slots=True)
class Snippet:
    """HTML that shows a chart of this page on another site."""

    chart: Chart
    address: str
    html: str


@register.simple_tag(takes_context=True)
def shared_view(context: template.Context) -> View | None:
    """This page with the choices that its charts show, so that a link to it keeps showing the same."""
    request = context["request"]
    charts = _charts(context)
    return view_of(page_path(request, charts[0]) if charts else request.get_full_path())


@register.simple_tag(takes_context=True)
def embed_snippets(context: template.Context) -> list[Snippet]:
    request = context["request"]
    with_views = [(chart, view_of(page_path(request, chart))) for chart in _charts(context)]
    return [_snippet(request, view, chart) for chart, view in with_views if view]


def _charts(context: template.Context) -> Sequence[Chart]:
    return context.get("charts") or ()


def _snippet(request: HttpRequest, view: View, chart: Chart) -> Snippet:
    address = request.build_absolute_uri(frame_path(view, chart))
    return Snippet(chart, address, frame(address, chart, "100%", frame_height(chart)))


@register.simple_tag
def badge_of(submission: Submission) -> BadgeSnippet:
    return badge_snippet(submission)


@register.simple_tag
def json_ld(described: Mapping[str, Any] | None) -> SafeString:
    """A data block, which no browser runs; nothing in it can end it."""
    if not described:
        return SafeString()
    text = json.dumps(described, ensure_ascii=False, default=str).translate(_NO_MARKUP)
    return mark_safe(f'<script type="application/ld+json">{text}</script>')  # noqa: S308 - without "<"


@register.tag("set")
def remember(parser: Parser, token: Token) -> "RememberNode":
    """{% set page_title %}...{% endset %}: what is between as a variable for the rest of the page, not yet written."""
    _, name = token.split_contents()
    nodes = parser.parse(("endset",))
    parser.delete_first_token()
    return RememberNode(nodes, name)


class RememberNode(template.Node):
    def __init__(self, nodelist: template.NodeList, name: str):
        self.nodelist = nodelist
        self.name = name

    def render(self, context: template.Context) -> SafeString:
        context[self.name] = self.nodelist.render(context)
        return SafeString()


@register.inclusion_tag("components/link_tags.html", takes_context=True)
def link_tags(context: template.Context) -> dict[str, Any]:
    """What the head of a public page says to search engines, and to sites that show a link to it."""
    view = _previewed(context)
    if view is None:
        return {}
    preview = context.get("preview") or view.preview_of(_charts(context))
    return {
        "addresses": addresses(view),
        "title": preview.title if preview else context["page_title"],
        "finding": preview.finding if preview else context["page_description"],
        "width": WIDTH,
        "height": HEIGHT,
    }


def _previewed(context: template.Context) -> View | None:
    """None for a page that is not public, and for one that could not be made."""
    request = context.get("request")
    is_broken = context.get("problems") or context.get("problem") or "exception" in context
    if request is None or is_broken or not context.get("is_shared", True):
        return None
    return view_of(request.get_full_path())
