"""Google Compute Engine as a provider: what the registry asks for."""

from typing import TYPE_CHECKING

from django.conf import settings

from runners.hosts.remote import SshHosts, hosts_of
from runners.providers.gce.provider import GceProvider
from runners.providers.gce.site import Site, project_of

if TYPE_CHECKING:
    from runners.models import CloudAccess, Run


def provider(run: "Run | None") -> GceProvider:
    """In the project that the run was placed for, or in the site's."""
    if run is not None and run.cloud_access is not None:
        return provider_in(run.cloud_access)
    return GceProvider(
        Site(
            id=settings.SITE_ID,
            project=settings.GCE_PROJECT,
            image=settings.GCE_IMAGE,
            network=settings.GCE_NETWORK,
            subnetwork=settings.GCE_SUBNETWORK,
            root_gib=settings.GCE_ROOT_GIB,
            impersonate=settings.GCE_IMPERSONATE,
            endpoint=settings.GCE_ENDPOINT,
        )
    )


def provider_in(access: "CloudAccess") -> GceProvider:
    """In the project of a user's own service account; its default network, since the settings name the site's."""
    return GceProvider(
        Site(
            id=settings.SITE_ID,
            project=project_of(access.principal),
            image=settings.GCE_IMAGE,
            root_gib=settings.GCE_ROOT_GIB,
            impersonate=access.principal,
            endpoint=settings.GCE_ENDPOINT,
        )
    )


def hosts(run: "Run") -> SshHosts:
    return hosts_of(run)
