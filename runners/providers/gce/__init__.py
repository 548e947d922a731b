"""Compute Engine as a provider, for the registry. The functions import the SDK, which takes a second."""

from typing import TYPE_CHECKING

from django.conf import settings

from runners.providers.gce.traits import TRAITS, Site, project_of

if TYPE_CHECKING:
    from runners.hosts.remote import SshHosts
    from runners.models import CloudAccess, Run
    from runners.providers.gce.provider import GceProvider

__all__ = ["TRAITS", "make_hosts", "make_provider", "make_provider_in"]


def make_provider(run: "Run | None") -> "GceProvider":
    """In the user's own project that the run was planned for, or in the site's project."""
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
    """In a user's own project, in its default network: the settings name a network of the site's project."""
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
