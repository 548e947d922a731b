"""How often a password may be guessed: by name and address, by name alone, by a browser that signed in before."""

import secrets
from contextlib import suppress
from datetime import timedelta

from allauth.core.internal import ratelimit
from allauth.core.internal.ratelimit import RateLimitUsage
from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from benchsite.http.limits.client_address import client_address

_APP = "allauth.account"  # whose ACCOUNT_RATE_LIMITS these are
# Of a name from an address, and of an address; of a name from anywhere; of an account by a browser of its owner's
FROM_ADDRESS, FROM_ANYWHERE, BY_BROWSER = "login_failed", "login_failed_anywhere", "login_failed_browser"
BROWSER_IS_REMEMBERED = timedelta(days=365)


def count_attempt(request: HttpRequest, username: str) -> RateLimitUsage | None:
    """Before a password is checked: what was counted, to be taken back when it is right; None where it is one too many.

    What strangers guess does not count for a browser of the owner's, nor for other addresses until there are very many.
    """
    name = username.lower()
    browser = _browser_of_owner(request, username)
    if browser:
        return ratelimit.consume(request, app=_APP, action=BY_BROWSER, key=f"{name} {browser}")
    here = ratelimit.consume(request, app=_APP, action=FROM_ADDRESS, key=f"{name} {client_address(request)}")
    anywhere = here and ratelimit.consume(request, app=_APP, action=FROM_ANYWHERE, key=name)
    return RateLimitUsage([*here.usage, *anywhere.usage]) if here and anywhere else None


def remember_browser(response: HttpResponse, user: User) -> None:
    """After a sign-in: a cookie for the pages of accounts alone, so that other pages are still answered from caches."""
    response.set_cookie(
        _cookie_of(user),
        signing.dumps(secrets.token_urlsafe(9), salt=_salt_of(user)),
        max_age=BROWSER_IS_REMEMBERED,
        path=reverse("submissions:account"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _browser_of_owner(request: HttpRequest, username: str) -> str | None:
    """What names the browser where it has signed in to this account with the password that it still has."""
    if request.user.is_authenticated and request.user.get_username() == username:  # and is asked for it once more
        return "signed in"
    user = User.objects.filter(username=username).first()
    if user is None:
        return None
    with suppress(signing.BadSignature):
        browser: str = signing.loads(
            request.COOKIES.get(_cookie_of(user), ""), salt=_salt_of(user), max_age=BROWSER_IS_REMEMBERED
        )
        return browser
    return None


def _cookie_of(user: User) -> str:
    return f"signed_in_{user.pk}"


def _salt_of(user: User) -> str:
    """With the hash of the password: a new password forgets every browser."""
    return f"submissions.accounts.browser {user.pk} {user.password}"
