"""Short links: making one, following it, and the page that tells what it is."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe
from rest_framework.throttling import SimpleRateThrottle

from submissions.models import ShortLink
from submissions.records.detail.citation import bibtex_of_view
from submissions.sharing import links as sharing


class ShareThrottle(SimpleRateThrottle):
    """How often an account, or an address without one, may ask for a short link."""

    scope = "share"
    rate = "30/min"

    def get_cache_key(self, request: HttpRequest, view: Any) -> str:
        ident = request.user.pk if request.user.is_authenticated else self.get_ident(request)
        return self.cache_format % {"scope": self.scope, "ident": ident}


@require_POST
def shorten(request: HttpRequest) -> HttpResponse:
    throttle = ShareThrottle()
    if not throttle.allow_request(request, None):
        response = render(request, "429.html", status=429)
        response["Retry-After"] = str(int(throttle.wait() or 0) + 1)
        return response
    owner = request.user if request.user.is_authenticated else None
    try:
        link = sharing.shorten(request.POST.get("path", ""), created_by=owner)
    except sharing.NotShareableError as error:
        return render(request, "submissions/sharing/page.html", {"problem": str(error)}, status=400)
    return redirect("submissions:about_short_link", key=link.key)


@require_safe
def short_link(request: HttpRequest, key: str) -> HttpResponseRedirect:
    # 302, not 301: browsers must go on asking, the page may move
    return HttpResponseRedirect(get_object_or_404(ShortLink, key=key).path)


@require_safe
def about_short_link(request: HttpRequest, key: str) -> HttpResponse:
    link = get_object_or_404(ShortLink, key=key)
    try:
        title = sharing.known_view(link.path).title
    except sharing.NotShareableError:  # a page of an earlier version of the site
        title = "A view of an earlier version of this site"
    address = request.build_absolute_uri(link.get_absolute_url())
    context = {
        "link": link,
        "title": title,
        "address": address,
        "bibtex": bibtex_of_view(link, title, address),
    }
    return render(request, "submissions/sharing/page.html", context)
