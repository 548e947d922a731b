"""How many pages an address may ask for: a page that costs the server much counts as several."""

from collections.abc import Callable
from time import monotonic
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from redis import RedisError
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from benchsite.problems import API_PREFIX  # below it REST framework counts

SECONDS_A_UNIT = 0.25


class PageThrottle(SimpleRateThrottle):
    """By address, as the API's: X-Forwarded-For counts only behind PROXIES of ours. A rate of 0 is none."""

    scope = "pages"
    num_requests: int | None
    duration: int

    def parse_rate(self, rate: str | None) -> tuple[Any, Any]:
        number, seconds = super().parse_rate(rate)
        return (None, None) if not number else (number, seconds)

    def allow_request(self, request: Request, view: Any) -> bool:
        return self.num_requests is None or super().allow_request(request, view)

    def get_cache_key(self, request: Request, view: Any) -> str:
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}

    def charge(self, units: int) -> None:
        """Count the page that was just allowed `units` times more."""
        if self.num_requests is not None and units > 0:
            moments = self.cache.get(self.key, [])
            self.cache.set(self.key, [self.now] * units + moments, self.duration)


class PageThrottleMiddleware:
    """Stands last, so that static files and probes are not counted."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith(API_PREFIX):
            return self.get_response(request)
        throttle = PageThrottle()
        if not _allows(throttle, request):
            return _too_many(request, throttle)
        began = monotonic()
        response = self.get_response(request)
        _charge(throttle, int((monotonic() - began) / SECONDS_A_UNIT))
        return response


def _allows(throttle: PageThrottle, request: HttpRequest) -> bool:
    try:
        return throttle.allow_request(cast(Request, request), None)
    except RedisError:  # reading goes on without it
        return True


def _charge(throttle: PageThrottle, units: int) -> None:
    try:
        throttle.charge(units)
    except RedisError:
        return


def _too_many(request: HttpRequest, throttle: PageThrottle) -> HttpResponse:
    seconds = max(1, round(throttle.wait() or throttle.duration))
    response = render(request, "429.html", {"wait_seconds": seconds}, status=429)
    response["Retry-After"] = str(seconds)
    return response
