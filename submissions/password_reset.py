"""The mail with the link to choose a new password: a worker sends it, so that the page does the same for everybody."""

import io
from urllib.parse import urlsplit

from allauth.account.forms import default_token_generator
from allauth.account.internal.flows.password_reset import request_password_reset
from allauth.account.internal.userkit import filter_users_by_email
from allauth.core import context
from django.core.handlers.wsgi import WSGIRequest


def mail_link(email: str, site: str) -> None:
    """To whoever has an active account with this address. `site` is the address by which the page was opened."""
    request = _request_to(site)
    users = filter_users_by_email(email, is_active=True, prefer_verified=True, for_login=True)
    with context.request_context(request):
        request_password_reset(request, email, users, default_token_generator)


def _request_to(site: str) -> WSGIRequest:
    """For the links of the mail."""
    parts = urlsplit(site)
    return WSGIRequest(
        {
            "REQUEST_METHOD": "GET",
            "PATH_INFO": "/",
            "HTTP_HOST": parts.netloc,
            "wsgi.url_scheme": parts.scheme,
            "wsgi.input": io.BytesIO(),
        }
    )
