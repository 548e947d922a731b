"""The admin behind the site's own sign-in, which locks out who guesses, and behind a second factor."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from benchsite.keys.second_factor import lacks_second_factor


class SecureAdminSite(AdminSite):
    site_header = site_title = "Benchsite administration"

    def has_permission(self, request: HttpRequest) -> bool:
        return super().has_permission(request) and not lacks_second_factor(request.user)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """No form of its own: leads to the site's sign-in, or to what is missing after it."""
        wanted = self._wanted(request)
        if not request.user.is_authenticated:
            return redirect_to_login(wanted, settings.LOGIN_URL)
        if not super().has_permission(request):
            raise PermissionDenied
        if lacks_second_factor(request.user):
            messages.warning(request, "Administration needs a second factor. Set one up to continue.")
            return redirect("mfa_activate_totp")
        return redirect(wanted)

    def _wanted(self, request: HttpRequest) -> str:
        address = request.GET.get(REDIRECT_FIELD_NAME, "")
        is_ours = url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure())
        return address if is_ours else reverse("admin:index", current_app=self.name)
