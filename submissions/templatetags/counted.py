"""How old the figures of a page are, where a worker is counting the changes since."""

from collections.abc import Collection
from typing import Any

from django import template
from django.utils import timezone

from submissions.aggregates.read import counted_at
from submissions.formatting.text import counted_sentence

register = template.Library()


@register.inclusion_tag("components/counted.html")
def counted_note(workloads: int | Collection[int] | None) -> dict[str, Any]:
    """Nothing where the figures of these workloads are those of now. One query."""
    ids = [workloads] if isinstance(workloads, int) else workloads or ()
    at = counted_at(ids) if ids else None
    return {"sentence": counted_sentence((timezone.now() - at).total_seconds())} if at else {}
