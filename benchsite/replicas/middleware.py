"""Each request reads from one database, by who asks; where that one is down, from another."""

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.core.signals import request_finished
from django.http import HttpRequest, HttpResponse

from benchsite.http import problems
from benchsite.http.outages import READ_ONLY
from benchsite.postgresql.databases import PRIMARY, replicas_of
from benchsite.replicas import marks
from benchsite.replicas.choice import choice
from benchsite.replicas.router import has_written, read_from

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
UNAVAILABLE = 503


class ReplicaMiddleware:
    """Used only where there are replicas."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        if not replicas_of(settings.DATABASES):
            raise MiddlewareNotUsed
        self._get_response = get_response
        self._choice = choice()
        # not when the view returns: a streamed answer reads on
        request_finished.connect(_read_from_primary, dispatch_uid="read_from_primary")

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_safe = request.method in SAFE_METHODS
        response = self._read(request) if is_safe else self._write(request)
        if (has_written() or not is_safe) and response.status_code < 500:
            marks.leave(request, response)
        return response

    def _write(self, request: HttpRequest) -> HttpResponse:
        read_from(PRIMARY)
        if self._choice.is_read_only():  # at once: to a machine that is gone each attempt would take seconds
            return problems.unavailable(request, READ_ONLY)
        return self._get_response(request)

    def _read(self, request: HttpRequest) -> HttpResponse:
        reader, wrote_at = marks.reader_of(request), marks.wrote_at(request)
        alias = self._choice.of(reader, wrote_at)
        read_from(alias)
        response = self._get_response(request)
        if response.status_code != UNAVAILABLE:
            return response
        self._choice.look()
        other = self._choice.of(reader, wrote_at)
        if other == alias:
            return response
        response.close()
        read_from(other)
        return self._get_response(request)


def _read_from_primary(**_: object) -> None:
    read_from(PRIMARY)
