"""Who may sign up and sign in, in the words of django-allauth."""

import re
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.account.stages import EmailVerificationStage
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from benchsite.http.limits.client_address import client_address
from submissions.accounts import invitations
from submissions.accounts.closing import CLOSED_NAME
from submissions.accounts.sign_in_limits import count_attempt, remember_browser
from submissions.formatting.text import plural
from submissions.models import ApiToken


class AccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """As SIGNUP says: everybody, who was invited, or nobody."""
        return bool(settings.SIGNUP == "open" or (settings.SIGNUP == "invite" and invitations.is_invited(request)))

    def save_user(self, request: HttpRequest, user: Any, form: Any, commit: bool = True) -> Any:
        """An invitation opens one account: of two at the same moment the slower one finds sign-up closed."""
        with transaction.atomic():
            saved = super().save_user(request, user, form, commit)
            if settings.SIGNUP == "invite" and not invitations.use(request, saved):
                raise ImmediateHttpResponse(redirect("account_signup"))
        return saved

    def clean_username(self, username: str, shallow: bool = False) -> str:
        if re.fullmatch(CLOSED_NAME.format(r"\d+"), username, re.IGNORECASE):
            raise self.validation_error("username_blacklisted")
        name: str = super().clean_username(username, shallow)
        return name

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Counts the attempt; allauth takes it back when the password is right."""
        self._login_failed_rl_usage = count_attempt(request, credentials.get("username", ""))
        if self._login_failed_rl_usage is None:
            raise self.validation_error("too_many_login_attempts")

    def post_login(self, request: HttpRequest, user: Any, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().post_login(request, user, **kwargs)
        remember_browser(response, user)
        return response

    def set_password(self, user: Any, password: str) -> None:
        tokens = ApiToken.objects.filter(user=user.pk)
        before = tokens.count()
        super().set_password(user, password)
        if revoked := before - tokens.count():
            words = f"The new password has revoked {plural(revoked, 'API token')}."
            self.add_message(context.request, messages.WARNING, message=words)

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request)

    def get_login_stages(self) -> list[str]:
        own = f"{VerifyAddress.__module__}.{VerifyAddress.__qualname__}"
        stages = super().get_login_stages()
        return [own if stage.endswith(".EmailVerificationStage") else stage for stage in stages]


class VerifyAddress(EmailVerificationStage):
    """Holds back who has an address that is not verified. Who has none was given the account by an operator."""

    def handle(self) -> tuple[HttpResponse | None, bool]:
        user = self.login.user
        if user is not None and not user.email and not EmailAddress.objects.filter(user=user).exists():
            return None, True
        answer: tuple[HttpResponse | None, bool] = super().handle()
        return answer
