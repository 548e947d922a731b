"""Amazon EC2 as a provider: what the registry asks for."""

from typing import TYPE_CHECKING

from django.conf import settings

from runners.providers.aws.provider import AwsProvider, Site
from runners.remote import SshHosts, hosts_of

if TYPE_CHECKING:
    from runners.models import Run


def provider(run: "Run | None") -> AwsProvider:
    """In the account that the SDK's own credentials open."""
    return AwsProvider(
        Site(
            id=settings.SITE_ID,
            image=settings.AWS_IMAGE,
            vpc_id=settings.RUN_VPC_ID,
            root_gib=settings.AWS_ROOT_GIB,
        )
    )


def hosts(run: "Run") -> SshHosts:
    return hosts_of(run)
