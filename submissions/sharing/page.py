"""Short links: creating one, following it, and the page about it."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST, require_safe

from benchsite.http.from_data import not_shared
from benchsite.http.limits.throttles import Throttle
from submissions.api.throttles import caller_of
from submissions.models import ShortLink
from submissions.models.short_link import UNUSED_DAYS
from submissions.records.detail.citation import bibtex_of_view, citation_of_view
from submissions.sharing.links import NotShareableError, known_view
from submissions.sharing.links import shorten as short_link_of

LEFT_OUT = "left_out"  # of the address of a page about a link: the view's own had a discount


class ShareThrottle(Throttle):
    """How often an account, or the address of a visitor, may create a short link."""

    counts_time = False

    def callers(self, request: HttpRequest, view: Any) -> Iterator[tuple[str, str]]:
        yield "share", caller_of(request)
        yield "share_day", caller_of(request)


@csrf_exempt
@require_POST
def shorten(request: HttpRequest) -> HttpResponse:
    """A link in the name of an account is made by our own forms only; one in nobody's name needs no token."""
    return (_shorten_for_account if request.user.is_authenticated else _shorten)(request)


def _shorten(request: HttpRequest) -> HttpResponse:
    throttle = ShareThrottle()
    if not throttle.allow_request(request, None):
        seconds = int(throttle.wait() or 0) + 1
        response = render(request, "429.html", {"wait_seconds": seconds}, status=429)
        response["Retry-After"] = str(seconds)
        return response
    owner = request.user if request.user.is_authenticated else None
    path = request.POST.get("path", "")
    try:
        link = short_link_of(path, created_by=owner)
    except NotShareableError as error:
        return render(request, "submissions/sharing/page.html", {"problem": str(error)}, status=400)
    address = reverse("submissions:about_short_link", args=[link.key])
    is_shorter = LEFT_OUT in request.POST or known_view(path).has_left_out
    return redirect(f"{address}?{LEFT_OUT}=1" if is_shorter else address)


_shorten_for_account = csrf_protect(_shorten)


@not_shared("a redirect")
@require_safe
def short_link(request: HttpRequest, key: str) -> HttpResponseRedirect:
    link = get_object_or_404(ShortLink, key=key)
    link.note_use()
    # 302, not 301: the page may move, so browsers must not cache where it leads
    return HttpResponseRedirect(link.path)


@not_shared("short links are stored beside the data")
@require_safe
def about_short_link(request: HttpRequest, key: str) -> HttpResponse:
    link = get_object_or_404(ShortLink, key=key)
    try:
        title = known_view(link.path).title
    except NotShareableError:  # a page of an earlier version of the site
        title = "A view of an earlier version of this site"
    address = request.build_absolute_uri(link.get_absolute_url())
    context = {
        "link": link,
        "unused_days": None if link.created_by_id else UNUSED_DAYS,
        "title": title,
        "address": address,
        "has_left_out": LEFT_OUT in request.GET,
        "bibtex": bibtex_of_view(link, title, address),
        "citation": citation_of_view(link, title, address),
    }
    return render(request, "submissions/sharing/page.html", context)
