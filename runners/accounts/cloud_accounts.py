"""A user's own cloud accounts: which one a run uses, and how the site knows that it belongs to the user.

A user who lets this site act in an account would let it act there for all users of the site. So the account must
contain an ID that only its owner sees, the external ID; each provider defines where (UserAccounts).
"""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from runners.choices import RunStatus
from runners.models import CloudAccess, Run
from runners.providers.base import UserAccounts
from runners.providers.registry import offered, traits_of
from submissions.formatting.names import provider_name


class NotUsable(Exception):
    """Why an account cannot be added, or not be removed now; for the user."""


def external_id_of(owner: User) -> str:
    """The same for all accounts of a user, who can write it into a policy before adding the account."""
    return salted_hmac("runners.accounts.cloud_accounts", str(owner.pk), algorithm="sha256").hexdigest()[:20]


def offered_clouds() -> dict[str, UserAccounts]:
    """The providers of this site that can run in users' own accounts, by slug."""
    return {slug: accounts for slug in offered() if (accounts := traits_of(slug).user_accounts) is not None}


def account_of(owner: User, provider: str) -> CloudAccess | None:
    """The account for new runs of this owner; None: the site's account."""
    return CloudAccess.objects.active().filter(owner=owner, provider=provider).first()


def add(owner: User, provider: str, principal: str) -> CloudAccess:
    """Use an account for the next runs of its owner. Raises NotUsable."""
    external_id = external_id_of(owner)
    accounts = offered_clouds().get(provider)
    if accounts is None:
        raise NotUsable(f"Runs of this site cannot use your own account on {provider_name(provider)}.")
    if fault := accounts.problem(principal, external_id):
        raise NotUsable(fault)
    access, is_new = CloudAccess.objects.get_or_create(
        owner=owner, provider=provider, removed_at=None, defaults={"principal": principal, "external_id": external_id}
    )
    if not is_new:
        raise NotUsable(f"You already have an account on {provider_name(provider)}: remove it first.")
    return access


def remove(access: CloudAccess) -> None:
    """Stop using an account. Raises NotUsable while a run may have machines there: nobody could delete them later."""
    with transaction.atomic():
        # If a run is confirmed at this moment, the sweep keeps looking there until it has ended.
        if access.runs.exclude(status__in=RunStatus.FINAL).exclude(status=RunStatus.PLANNED).exists():
            raise NotUsable("A run is using this account: wait until it ends, or cancel it.")
        CloudAccess.objects.filter(pk=access.pk, removed_at=None).update(removed_at=timezone.now())


def was_removed(run: Run) -> bool:
    """Whether the account that the run was planned for has been removed."""
    return run.cloud_access is not None and run.cloud_access.removed_at is not None
