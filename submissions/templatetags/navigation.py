"""Links of the frame around every page."""

from django import template
from django.conf import settings
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.simple_tag(takes_context=True)
def nav_link(context: template.Context, url_name: str, label: str) -> SafeString:
    """A link, marked where it leads to the current page; an error page has no request."""
    address = reverse(url_name)
    path = getattr(context.get("request"), "path", None)
    current = mark_safe(' aria-current="page"') if path == address else ""
    return format_html('<a href="{}"{}>{}</a>', address, current, label)


@register.simple_tag
def source_code_url() -> str:
    """Where the code is published; empty where the setting is."""
    return settings.SOURCE_CODE_URL or ""
