"""Making an API token, and revoking all of an account."""

import logging
from collections.abc import Iterable
from datetime import timedelta

from django.contrib.auth.models import AbstractBaseUser, User
from django.db import transaction

from benchsite.http.refusals import Refusal
from submissions.formatting.text import plural
from submissions.models import ApiToken

log = logging.getLogger(__name__)


@transaction.atomic
def make_token(
    user: User, *, scopes: Iterable[str], valid_for: timedelta | None, name: str = "token"
) -> tuple[ApiToken, str]:
    """The token and its text; only the digest of that is stored. Raises Refusal."""
    User.objects.select_for_update().get(pk=user.pk)  # or several requests at once would each make the last one allowed
    if ApiToken.objects.filter(user=user.pk).count() >= ApiToken.MAX_PER_ACCOUNT:
        most = f"An account can have at most {ApiToken.MAX_PER_ACCOUNT} tokens."
        raise Refusal.at("#", f"{most} Revoke one that you no longer use.")
    token, text = ApiToken.objects.create(user=user, name=name, scopes=sorted(scopes), expiry=valid_for)
    return token, text


class RevokesTokens:
    """A new password revokes every API token: who has read the old one may have made some.

    In AUTH_PASSWORD_VALIDATORS: Django calls `password_changed` whichever way a password is changed.
    """

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
