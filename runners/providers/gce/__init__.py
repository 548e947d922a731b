"""Compute Engine as a provider: what the registry calls. The SDK is imported by the functions, as registry.py asks."""

from typing import TYPE_CHECKING

from django.conf import settings

from runners.providers.gce.site import Site, project_of
from runners.providers.gce.traits import TRAITS

if TYPE_CHECKING:
    from runners.hosts.remote import SshHosts
    from runners.models import CloudAccess, Run
    from runners.providers.gce.provider import GceProvider

__all__ = ["TRAITS", "make_hosts", "make_provider", "make_provider_in"]


def make_provider(run: "Run | None") -> "GceProvider":
    """In the project that the run was created for, or in the site's."""
    from runners.providers.gce.provider import GceProvider

    if run is not None and run.cloud_access is not None:
        return make_provider_in(run.cloud_access)
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


def make_provider_in(access: "CloudAccess") -> "GceProvider":
    """In the project of a user's own service account; its default network, since the settings name the site's."""
    from runners.providers.gce.provider import GceProvider

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


def make_hosts(run: "Run") -> "SshHosts":
    from runners.hosts.remote import hosts_of

    return hosts_of(run)
