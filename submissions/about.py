"""Pages about the site: the methodology, terms, privacy, and the files that robots and researchers look for."""

from datetime import timedelta

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data, not_shared
from submissions.accounts.sign_in_limits import BROWSER_IS_REMEMBERED
from submissions.formatting.charts import shareable
from submissions.formatting.markdown import read

SECURITY_TXT_HOLDS = timedelta(days=180)  # RFC 9116 asks for less than a year
METHODOLOGY = settings.BASE_DIR / "docs" / "methodology.md"

# Facets make countless addresses of the same rows: a robot reads the list itself and what it links to.
ROBOTS = """User-agent: *
Disallow: /account/
Disallow: /admin/
Disallow: /api/v1/
Disallow: /charts/
Disallow: /compare/
Disallow: /embed/
Disallow: /search/
Disallow: /submissions/new/
Disallow: /submissions/?*

# They read a page that somebody has linked to, and its picture, and follow no links.
User-agent: facebookexternalhit
User-agent: LinkedInBot
User-agent: Slackbot-LinkExpanding
User-agent: Twitterbot
Disallow: /account/
Disallow: /admin/
Disallow: /api/v1/
"""


@shareable("Methodology", parameters=())
@from_data()
@require_safe
def methodology(request: HttpRequest) -> HttpResponse:
    context = {"document": read(METHODOLOGY)}
    return render(request, "about/methodology.html", context)


@not_shared("by settings only")
@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    site_map = f"{settings.SITE_URL}{reverse('submissions:sitemap')}"
    return HttpResponse(f"{ROBOTS}\nSitemap: {site_map}\n", content_type="text/plain; charset=utf-8")


@not_shared("by settings only")
@require_safe
def terms(request: HttpRequest) -> HttpResponse:
    return render(request, "about/terms.html")


@not_shared("by settings only")
@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    day = 24 * 3600  # seconds
    context = {
        "session_days": settings.SESSION_COOKIE_AGE // day,
        "csrf_days": settings.CSRF_COOKIE_AGE // day,
        "browser_days": BROWSER_IS_REMEMBERED.days,
    }
    return render(request, "about/privacy.html", context)


@not_shared("names a day to come")
@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    """Whom to tell about a vulnerability (RFC 9116)."""
    if not settings.CONTACT_EMAIL:
        raise Http404("this site has not set CONTACT_EMAIL")
    expires = (timezone.now() + SECURITY_TXT_HOLDS).replace(hour=0, minute=0, second=0, microsecond=0)
    lines = [
        f"Contact: mailto:{settings.CONTACT_EMAIL}",
        f"Expires: {expires:%Y-%m-%dT%H:%M:%SZ}",
        "Preferred-Languages: en",
        f"Canonical: {settings.SITE_URL}{reverse('submissions:security_txt')}",
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
