"""Which accounts count for a reproduction: verified, old enough, and of which organisations."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.utils import timezone

from submissions.analysis.organisations import organisation_of

Organisations = Mapping[int, frozenset[str]]


def organisations_of(accounts: Iterable[int]) -> Organisations:
    """Of those accounts that count, by their verified addresses. One query.

    An operator verifies an address by hand in the admin, where the site cannot send email.
    """
    joined_before = timezone.now() - timedelta(days=settings.REPRODUCTION_ACCOUNT_DAYS)
    addresses = EmailAddress.objects.filter(
        user__in=set(accounts), verified=True, user__is_active=True, user__date_joined__lte=joined_before
    )
    found: dict[int, set[str]] = defaultdict(set)
    for account, address in addresses.values_list("user", "email"):
        found[account].add(organisation_of(address))
    return {account: frozenset(organisations) for account, organisations in found.items()}


def distinct(groups: Iterable[frozenset[str]]) -> int:
    """How many accounts with these organisations are independent: each organisation counts once."""
    seen: set[str] = set()
    number = 0
    for organisations in groups:
        if seen.isdisjoint(organisations):
            number += 1
        seen |= organisations
    return number
