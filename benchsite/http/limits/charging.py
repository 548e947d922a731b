"""What each request costs the server, charged to who asks: pages by address, the API by its own throttles.

`settings.THROTTLE_PAGES` limits pages, the other THROTTLE_* the API; benchsite/http/limits/throttles.py counts.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render

from benchsite.http import exports
from benchsite.http.from_data import match_of
from benchsite.http.limits import costs
from benchsite.http.limits.client_address import client_address
from benchsite.http.limits.throttles import PREPAID, Throttle, settle
from benchsite.http.problems import API_PREFIX

SAFE_METHODS = ("GET", "HEAD")


class PageThrottle(Throttle):
    def callers(self, request: HttpRequest, view: Any) -> Iterator[tuple[str, str]]:
        yield "pages", client_address(request)


class ChargeMiddleware:
    """Stands last, so that static files and probes are not counted, nor what was kept."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
        match = match_of(request)
        name = match.view_name if match else ""
        request.META[PREPAID] = costs.last_cost(name).units
        if not request.path.startswith(API_PREFIX):
            throttle = PageThrottle()
            if not throttle.allow_request(request, None):
                return _too_many(request, throttle)
        stopwatch = costs.Stopwatch()
        response: HttpResponse | StreamingHttpResponse = self.get_response(request)
        is_file = isinstance(response, FileResponse)  # the event loop sends it
        if isinstance(response, StreamingHttpResponse) and not is_file and request.method in SAFE_METHODS:
            return exports.in_a_place(request, response, partial(_charge_export, request, stopwatch))
        cost = stopwatch.cost()
        if response.status_code == 200:
            costs.note(name, cost)
        settle(request, cost.units)
        return response


def _charge_export(request: HttpRequest, stopwatch: costs.Stopwatch) -> None:
    """By the time in which it was written. Others of its address may be short, and are charged for nothing before."""
    settle(request, stopwatch.cost().units)


def _too_many(request: HttpRequest, throttle: PageThrottle) -> HttpResponse:
    seconds = max(1, round(throttle.wait() or 1))
    response = render(request, "429.html", {"wait_seconds": seconds}, status=429)
    response["Retry-After"] = str(seconds)
    return response
