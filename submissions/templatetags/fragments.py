"""Small parts of pages, rendered once a process for equal values."""

from collections.abc import Hashable
from functools import lru_cache

from django import template
from django.conf import settings
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

_FRAGMENTS = 1024
_LONGEST = 300  # characters of a value: what a reader makes up is not worth the memory

register = template.Library()


@register.simple_tag
def fragment(template_name: str, **values: Hashable) -> SafeString:
    """As {% include template_name with ... only %}, of a template that depends on nothing but these values."""
    if settings.DEBUG or any(len(str(value)) > _LONGEST for value in values.values()):
        return render_to_string(template_name, values)
    return _fragment(template_name, tuple((name, type(value), value) for name, value in values.items()))


@lru_cache(_FRAGMENTS)
def _fragment(template_name: str, values: tuple[tuple[str, type, Hashable], ...]) -> SafeString:
    return render_to_string(template_name, {name: value for name, _, value in values})
