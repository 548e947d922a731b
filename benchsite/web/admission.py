"""Whose body may be large: decided by the headers alone, before it is read."""

from importlib import import_module
from io import BytesIO
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user
from django.core.handlers.wsgi import WSGIRequest
from django.db import DatabaseError
from django.http import HttpResponse
from django.urls import reverse
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.settings import api_settings

from benchsite.http import outages, problems
from benchsite.http.refusals import Fault
from benchsite.storage import disk
from benchsite.web.environ import Environ


def refusal(environ: Environ) -> HttpResponse | None:
    """The answer to a sender who may not send a large body now; None for one who may."""
    request = WSGIRequest({**environ, "wsgi.input": BytesIO(), "CONTENT_LENGTH": ""})
    is_api = request.path.startswith(problems.API_PREFIX)
    try:
        if not _is_known(request):
            return _to_unknown(request.path, is_api=is_api)
        disk.require_space()
    except (APIException, DatabaseError) as error:
        return problems.exception_handler(error, {})
    except disk.DiskFull:
        return problems.unavailable(request, outages.DISK_FULL)
    return None


def _is_known(request: WSGIRequest) -> bool:
    """Whether a session or a token is an active account's. Raises APIException for a wrong token."""
    store = import_module(settings.SESSION_ENGINE).SessionStore
    request.session = store(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    if get_user(request).is_authenticated:
        return True
    # a session's form is checked for its CSRF token when it was read
    classes: list[Any] = [*api_settings.DEFAULT_AUTHENTICATION_CLASSES]
    classes.remove(SessionAuthentication)
    return any(each().authenticate(Request(request)) for each in classes)


def _to_unknown(path: str, *, is_api: bool) -> HttpResponse:
    if is_api:
        answer = problems.problem(401, [Fault("#", "a body of this size is accepted from accounts only: send a token")])
        answer["WWW-Authenticate"] = "Bearer"
        return answer
    return HttpResponse(status=302, headers={"Location": f"{reverse(settings.LOGIN_URL)}?next={path}"})
