"""Pages as anybody sees them, kept for a moment: a crowd that reads the same page has it rendered once."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.cache import CacheMiddleware
from django.urls import Resolver404, resolve

from benchsite.problems import API_PREFIX


class PageCacheMiddleware(CacheMiddleware):
    """Django's cache of whole answers, for requests that bring neither a cookie nor a token.

    Who is signed in, or has a form's cookie, reads what is true now. So does a program that asks the API, whose
    requests REST framework counts. PAGE_CACHE_SECONDS is the age of an answer at most; 0: each is made anew.
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if not settings.PAGE_CACHE_SECONDS or not _is_from_anybody(request):
            return None
        self.cache_timeout = settings.PAGE_CACHE_SECONDS
        response = super().process_request(request)
        if response is not None:
            _name(request)
        return response


def _is_from_anybody(request: HttpRequest) -> bool:
    return not (request.COOKIES or "Authorization" in request.headers or request.path.startswith(API_PREFIX))


def _name(request: HttpRequest) -> None:
    """By its name the request is counted, though no view is called."""
    try:
        request.resolver_match = resolve(request.path_info)
    except Resolver404:
        return
