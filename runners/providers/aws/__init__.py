"""Amazon EC2 as a provider, for the registry. The functions import the SDK, which takes a second."""

import os
import time
from functools import lru_cache
from typing import TYPE_CHECKING

from django.conf import settings

from runners.providers.aws.traits import TRAITS

if TYPE_CHECKING:
    from runners.hosts.remote import SshHosts
    from runners.models import CloudAccess, Run
    from runners.providers.aws.provider import AwsProvider

__all__ = ["TRAITS", "make_hosts", "make_provider", "make_provider_in"]

KEPT_SECONDS = 60  # credentials that an operator replaces are used from the next minute on


def make_provider(run: "Run | None") -> "AwsProvider":
    """In the user's own account that the run was planned for, or in the account of the SDK's credentials."""
    from runners.providers.aws import session

    if run is not None and run.cloud_access is not None:
        return make_provider_in(run.cloud_access)
    environment = tuple(sorted(item for item in os.environ.items() if item[0].startswith("AWS_")))
    # a connection must not be shared with a process that was forked
    made_with = (os.getpid(), session.CONFIG, environment, int(time.monotonic() // KEPT_SECONDS))
    return _of_site(settings.SITE_ID, settings.AWS_IMAGE, settings.RUN_VPC_ID, settings.AWS_ROOT_GIB, made_with)


@lru_cache(maxsize=8)
def _of_site(
    site_id: str, image: str, vpc_id: str | None, root_gib: int, _made_with: tuple[object, ...]
) -> "AwsProvider":
    """Cached: every step makes its provider anew, and the client of EC2 takes a seventh of a second."""
    from runners.providers.aws.provider import AwsProvider, Site

    return AwsProvider(Site(id=site_id, image=image, vpc_id=vpc_id, root_gib=root_gib))


def make_provider_in(access: "CloudAccess") -> "AwsProvider":
    """In a user's own account, in its default VPC: the setting names a VPC of the site's account."""
    return in_role(access.principal, access.external_id, settings.SITE_ID, settings.AWS_IMAGE, settings.AWS_ROOT_GIB)


@lru_cache(maxsize=100)
def in_role(role_arn: str, external_id: str, site_id: str, image: str, root_gib: int) -> "AwsProvider":
    """Cached: a role's credentials are valid for an hour, and every step makes its provider anew."""
    from runners.providers.aws.provider import AwsProvider, Site

    site = Site(id=site_id, image=image, vpc_id=None, root_gib=root_gib)
    return AwsProvider(site, role_arn=role_arn, external_id=external_id)


def make_hosts(run: "Run") -> "SshHosts":
    from runners.hosts.remote import hosts_of

    return hosts_of(run)
