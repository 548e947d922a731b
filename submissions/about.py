"""Pages about the site: the methodology, and robots.txt."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from submissions.formatting.charts import shareable
from submissions.formatting.markdown import read

METHODOLOGY = settings.BASE_DIR / "docs" / "methodology.md"

# Facets make countless addresses of the same rows: a robot reads the list itself and what it links to.
ROBOTS = """User-agent: *
Disallow: /account/
Disallow: /admin/
Disallow: /api/v1/
Disallow: /charts/
Disallow: /compare/
Disallow: /embed/
Disallow: /submissions/new/
Disallow: /submissions/?*
"""


@shareable("Methodology")
@require_safe
def methodology(request: HttpRequest) -> HttpResponse:
    context = {"document": read(METHODOLOGY)}
    return render(request, "about/methodology.html", context)


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    return HttpResponse(ROBOTS, content_type="text/plain; charset=utf-8")
