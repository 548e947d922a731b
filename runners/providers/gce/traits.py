"""Compute Engine without its SDK: the site's settings, the boot disk, and how the site acts in users' projects."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings

from runners.providers.base import DiskOrder, Traits, UserAccounts, ssh_fault

# https://cloud.google.com/compute/docs/disks/hyperdisks: series that boot only from Hyperdisk
_HYPERDISK_ONLY = frozenset({"c4", "c4a", "c4d", "h4d", "m4", "n4", "n4a", "n4d", "x4"})
_ARM = frozenset({"a4x", "c4a", "n4a", "t2a"})
LOCAL_KINDS = frozenset({"local-ssd", "nvme"})
# Each look is a list of all zones: a heavy read, of which a project has 750 a minute for all runs and sweeps.
_LOOK_PAUSE = timedelta(seconds=8)
LOCAL_SSD_GIB = 375
BY_ID = "/dev/disk/by-id/google-"
_NAME = "benchsite-"  # Google allows 30 characters in the name: 20 are left for the external ID
_SERVICE_ACCOUNT = re.compile(r"(?P<name>[a-z0-9-]{6,30})@[a-z][a-z0-9-]{4,28}[a-z0-9]\.iam\.gserviceaccount\.com")


@dataclass(frozen=True, slots=True)
class Site:
    """The site's settings for GCE."""

    id: str  # separates the sites that share a project
    project: str
    image: str = "ubuntu-2404-lts-amd64"  # see shapes.find_image; it must contain cloud-init
    network: str = "default"
    subnetwork: str | None = None  # required only by a network in custom mode
    root_gib: int = 40
    impersonate: str | None = None  # the service account to act as
    endpoint: str | None = None  # of a lab; requests are not signed then


def project_of(service_account: str) -> str:
    """The project of `<name>@<project>.iam.gserviceaccount.com`, where its machines run."""
    return service_account.partition("@")[2].removesuffix(".iam.gserviceaccount.com")


class GceUserAccounts(UserAccounts):
    """A service account that the site impersonates. GCE has no external ID, so the account's name must contain it."""

    template = "runners/accounts/gce.html"
    principal_help = "the address of the service account"

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


def _local_disk_link(number: int) -> str:
    """All local SSDs of a machine are alike; Google's images number them."""
    return f"{BY_ID}local-nvme-ssd-*:{BY_ID}local-ssd-*"


def _ssh_fault(cidr: str) -> str | None:
    """Each machine has a public address; the machines of a lab are on this machine."""
    return None if settings.GCE_ENDPOINT else ssh_fault(cidr, has_private_route=False)


def _missing_settings() -> Sequence[str]:
    return () if settings.GCE_PROJECT else ("GCE_PROJECT must name the project of the machines",)


def _image() -> str:
    return str(settings.GCE_IMAGE)


def family_of(instance_type: str) -> str:
    """ "n-standard" of n2-standard-8 and n2d-standard-8, "c-standard-arm" of c4a-standard-8."""
    series, _, rest = instance_type.partition("-")
    size = rest.partition("-")[0]
    return f"{series[:1]}-{size}{'-arm' if series in _ARM else ''}"


TRAITS = Traits(
    family=family_of,
    root_disk=_root_disk,
    user_accounts=GceUserAccounts(),
    usual_region="us-central1",
    usual_zones=("us-central1-a", "us-central1-b", "us-central1-c"),
    look_pause=_LOOK_PAUSE,
    ssh_fault=_ssh_fault,
    missing_settings=_missing_settings,
    image=_image,
    image_setting="GCE_IMAGE",
    local_disks=LOCAL_KINDS,
    local_disk_link=_local_disk_link,
)
