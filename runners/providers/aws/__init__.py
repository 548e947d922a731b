"""Amazon EC2 as a provider: what the registry asks for."""

from functools import lru_cache
from typing import TYPE_CHECKING

from django.conf import settings

from runners.hosts.remote import SshHosts, hosts_of
from runners.providers.aws.provider import AwsProvider, Site

if TYPE_CHECKING:
    from runners.models import CloudAccess, Run


def provider(run: "Run | None") -> AwsProvider:
    """In the account that the run was placed for, or in the one that the SDK's own credentials open."""
    if run is not None and run.cloud_access is not None:
        return provider_in(run.cloud_access)
    return AwsProvider(_site(vpc_id=settings.RUN_VPC_ID))


def provider_in(access: "CloudAccess") -> AwsProvider:
    """In a user's own account; its default VPC, since the site's setting names one of the site's."""
    return _in_role(_site(vpc_id=None), access.principal, access.external_id)


@lru_cache(maxsize=100)
def _in_role(site: Site, role_arn: str, external_id: str) -> AwsProvider:
    """Kept in a process: a role's credentials hold for an hour, and every step asks for its provider anew."""
    return AwsProvider(site, role_arn=role_arn, external_id=external_id)


def _site(vpc_id: str | None) -> Site:
    return Site(id=settings.SITE_ID, image=settings.AWS_IMAGE, vpc_id=vpc_id, root_gib=settings.AWS_ROOT_GIB)


def hosts(run: "Run") -> SshHosts:
    return hosts_of(run)
