"""A user's own cloud accounts: which one a run goes to, and how the site knows that it is the user's.

An account that lets this site act in it would let it act for all users of the site. So the cloud checks an id that only
the owner's pages show; how, each provider says in its `UserAccounts`.
"""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from runners.choices import RunStatus
from runners.models import CloudAccess, Run
from runners.providers.base import UserAccounts
from runners.providers.registry import offered, traits_of


class NotUsable(Exception):
    """Why this account cannot be taken, or not be given up now; for the user."""


def external_id_of(owner: User) -> str:
    """The same for every account of a user, so that it can be written into a policy before anything is stored here."""
    return salted_hmac("runners.accounts.cloud_accounts", str(owner.pk), algorithm="sha256").hexdigest()[:20]


def offered_clouds() -> dict[str, UserAccounts]:
    """By slug, the clouds of this site in which users may have an account of their own."""
    accounts = {slug: traits_of(slug).user_accounts for slug in offered()}
    return {slug: own for slug, own in accounts.items() if own is not None}


def account_of(owner: User, provider: str) -> CloudAccess | None:
    """Where a run of this owner goes; None: the site's own account."""
    return CloudAccess.objects.active().filter(owner=owner, provider=provider).first()


def add(owner: User, provider: str, principal: str) -> CloudAccess:
    """Take a user's account into use for their next runs. Raises NotUsable."""
    own_id = external_id_of(owner)
    _check(provider, principal, own_id)
    made, is_new = CloudAccess.objects.get_or_create(
        owner=owner, provider=provider, removed_at=None, defaults={"principal": principal, "external_id": own_id}
    )
    if not is_new:
        raise NotUsable(f"there is one for {provider} already: remove it first")
    return made


def remove(access: CloudAccess) -> None:
    """Give it up. Raises NotUsable while a run may have machines there, which nobody could delete afterwards."""
    with transaction.atomic():
        # A run that is confirmed in this moment keeps the row, and the sweep goes on looking there until it has ended.
        if access.runs.exclude(status__in=RunStatus.FINAL).exclude(status=RunStatus.PLANNED).exists():
            raise NotUsable("a run is at work there: wait for its end, or cancel it")
        CloudAccess.objects.filter(pk=access.pk, removed_at=None).update(removed_at=timezone.now())


def is_given_up(run: Run) -> bool:
    """Whether the account that the run was planned for is no longer ours to use."""
    return run.cloud_access is not None and run.cloud_access.removed_at is not None


def _check(provider: str, principal: str, own_id: str) -> None:
    accounts = offered_clouds().get(provider)
    if accounts is None:
        raise NotUsable(f"this site does not run on {provider}")
    if problem := accounts.problem(principal, own_id):
        raise NotUsable(problem)
