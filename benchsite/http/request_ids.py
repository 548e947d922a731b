"""An id for each request: in its answer, in a problem, and in each line that web and workers log because of it."""

import re
import uuid
from collections.abc import Callable
from typing import Any

from celery.signals import before_task_publish, task_postrun, task_prerun
from django.core.signals import request_finished
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from structlog.contextvars import bind_contextvars, clear_contextvars, get_contextvars

HEADER = "X-Request-ID"
_GIVEN = re.compile(r"[A-Za-z0-9._-]{8,64}")  # what a proxy or a client may choose; else we do


class RequestIdMiddleware:
    """The first one: what the others log has the id too."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        request_id = given if _GIVEN.fullmatch(given) else uuid.uuid4().hex
        clear_contextvars()
        bind_contextvars(request_id=request_id)
        response = self.get_response(request)
        response[HEADER] = request_id
        return response


def current_request_id() -> str | None:
    """Of the request, or of the task that a request has caused; None outside of both."""
    request_id: str | None = get_contextvars().get("request_id")
    return request_id


@receiver(request_finished, dispatch_uid="request_id_ends_with_its_request")
def _finish(**_: Any) -> None:
    """Not in the middleware: Django logs an answer of 4xx or 5xx after it."""
    clear_contextvars()


@before_task_publish.connect(dispatch_uid="request_id_travels_with_a_task")
def _send(headers: dict[str, Any] | None = None, **_: Any) -> None:
    if headers is not None and (request_id := current_request_id()):
        headers["request_id"] = request_id


@task_prerun.connect(dispatch_uid="request_id_of_a_task")
def _receive(task_id: str, task: Any, **_: Any) -> None:
    """What nobody asked for (beat's tasks) has the id of the task."""
    clear_contextvars()
    bind_contextvars(request_id=getattr(task.request, "request_id", None) or task_id, task=task.name)


@task_postrun.connect(dispatch_uid="request_id_ends_with_a_task")
def _end(**_: Any) -> None:
    clear_contextvars()
