"""How far the published runs that come with the site are loaded."""

from django import template

from submissions.packs.slices import unfinished

register = template.Library()


@register.inclusion_tag("components/public_runs_progress.html")
def public_runs_progress() -> dict[str, object]:
    return {"progress": unfinished()}
