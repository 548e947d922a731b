"""A user's own cloud accounts: which one a run goes to, and how the site knows that it is the user's.

Whoever lets this site act in an account lets it act for all its users. So the cloud is asked with an id that only the
owner's pages show: AWS compares it with the condition of the role's trust policy (the external id), and on GCE, which
has nothing like it, it must be in the service account's own name.
"""

import re

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from runners.choices import RunStatus
from runners.models import CloudAccess, Run

PROVIDERS = ("aws", "gce")
GCE_NAME = "benchsite-"  # a service account's name has at most 30 characters: 20 are left for the id
_ROLE = re.compile(r"arn:aws(?:-cn|-us-gov)?:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]{1,500}")
_SERVICE_ACCOUNT = re.compile(r"(?P<name>[a-z0-9-]{6,30})@[a-z][a-z0-9-]{4,28}[a-z0-9]\.iam\.gserviceaccount\.com")


class NotUsable(Exception):
    """Why this account cannot be taken, or not be given up now; for the user."""


def external_id_of(owner: User) -> str:
    """The same for every account of a user, so that it can be written into a policy before anything is stored here."""
    return salted_hmac("runners.accounts.cloud_accounts", str(owner.pk), algorithm="sha256").hexdigest()[:20]


def offered_clouds() -> tuple[str, ...]:
    return tuple(provider for provider in PROVIDERS if provider in settings.RUN_PROVIDERS)


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
    if provider not in offered_clouds():
        raise NotUsable(f"this site does not run on {provider}")
    if provider == "aws" and not _ROLE.fullmatch(principal):
        raise NotUsable("must be the ARN of a role: arn:aws:iam::<account>:role/<name>")
    if provider == "gce":
        found = _SERVICE_ACCOUNT.fullmatch(principal)
        if found is None or found["name"] != GCE_NAME + own_id:
            raise NotUsable(
                f"must be {GCE_NAME}{own_id}@<project>.iam.gserviceaccount.com: the name shows that it is yours"
            )
