"""Making an API token."""

from collections.abc import Iterable
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction

from benchsite.http.refusals import Refusal
from submissions.models import ApiToken


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
