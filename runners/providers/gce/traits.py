"""Compute Engine without its SDK: the boot disk, and how users let the site act in their project."""

import re
from collections.abc import Mapping

from django.conf import settings

from runners.providers.base import DiskOrder, Traits, UserAccounts

# https://cloud.google.com/compute/docs/disks/hyperdisks: series that boot from Hyperdisk alone
_HYPERDISK_ONLY = frozenset({"c4", "c4a", "c4d", "h4d", "m4", "n4", "n4a", "n4d", "x4"})
_NAME = "benchsite-"  # a service account's name has at most 30 characters: 20 are left for the id
_SERVICE_ACCOUNT = re.compile(r"(?P<name>[a-z0-9-]{6,30})@[a-z][a-z0-9-]{4,28}[a-z0-9]\.iam\.gserviceaccount\.com")


class GceUserAccounts(UserAccounts):
    """A service account of the user's. GCE has no external id: the account's own name must have the user's."""

    label = "Google Cloud"
    template = "runners/accounts/gce.html"
    principal_help = "Google Cloud: the address of the service account"

    def problem(self, principal: str, external_id: str) -> str | None:
        parts = _SERVICE_ACCOUNT.fullmatch(principal)
        if parts and parts["name"] == _NAME + external_id:
            return None
        return f"must be {_NAME}{external_id}@<project>.iam.gserviceaccount.com: the name shows that it is yours"

    def instructions(self, external_id: str) -> Mapping[str, str]:
        identity = settings.RUN_GCE_IDENTITY or "ask the operators of this site"
        return {"name": _NAME + external_id, "identity": identity}


def series_of(instance_type: str) -> str:
    """ "n2" of "n2-standard-8"."""
    return instance_type.partition("-")[0]


def boot_disk_kind(instance_type: str) -> str:
    return "hyperdisk-balanced" if series_of(instance_type) in _HYPERDISK_ONLY else "pd-balanced"


def _root_disk(instance_type: str) -> DiskOrder:
    return DiskOrder(boot_disk_kind(instance_type), 1, settings.GCE_ROOT_GIB)


TRAITS = Traits(root_disk=_root_disk, user_accounts=GceUserAccounts())
