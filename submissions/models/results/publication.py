"""Who may see a submission: the columns that decide, as conditions of queries, and the keys of secret links."""

import secrets
from collections.abc import Sequence

from django.db.models import Q
from django.db.models.functions import Now

from submissions.choices import Visibility

LINK_KEY = "key"  # the parameter of addresses of unlisted submissions
# what decides who may see it
PUBLICATION_FIELDS = ("visibility", "embargo_until", "link_key", "retracted_at", "hidden_at")


def new_link_key() -> str:
    """Of an unlisted submission's address, which nobody guesses: 144 random bits."""
    return secrets.token_urlsafe(18)


def is_public(prefix: str = "") -> Q:
    """Whether everyone may find it: public, or its embargo is over. `prefix`: "submission__" from a related table."""
    return Q(**{f"{prefix}visibility": Visibility.PUBLIC, f"{prefix}embargo_until": None}) | Q(
        **{f"{prefix}embargo_until__lte": Now()}
    )


def is_linked(keys: Sequence[str], prefix: str = "") -> Q:
    """Unlisted, and one of the keys is that of its link."""
    return Q(
        **{
            f"{prefix}visibility": Visibility.UNLISTED,
            f"{prefix}hidden_at": None,
            f"{prefix}link_key__in": list(keys),
        }
    )
