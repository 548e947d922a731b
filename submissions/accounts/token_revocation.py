"""A new password revokes every API token: who has read the old one may have made some."""

import logging

from django.contrib.auth.models import AbstractBaseUser

from submissions.formatting.text import plural
from submissions.models import ApiToken

log = logging.getLogger(__name__)


class RevokesTokens:
    """In AUTH_PASSWORD_VALIDATORS: Django calls `password_changed` whichever way a password is changed."""

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        """Every password is good to us."""

    def password_changed(self, password: str, user: AbstractBaseUser | None = None) -> None:
        if user is None or user.pk is None or user.last_login is None:
            return  # nobody has signed in: an operator's command has made the tokens, if there are any
        revoked, _ = ApiToken.objects.filter(user=user.pk).delete()
        if revoked:
            log.info("the new password of %s has revoked %s", user.get_username(), plural(revoked, "API token"))

    def get_help_text(self) -> str:
        return "A new password signs you out elsewhere and revokes your API tokens."
