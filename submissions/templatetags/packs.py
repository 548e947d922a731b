"""How far the packs that come with the site are loaded."""

from django import template

from submissions.packs.slices import unfinished

register = template.Library()


@register.inclusion_tag("components/packs_progress.html")
def packs_progress() -> dict[str, object]:
    return {"progress": unfinished()}
