"""Google Compute Engine as a provider: what the registry asks for."""

from typing import TYPE_CHECKING

from django.conf import settings

from runners.providers.gce.provider import GceProvider
from runners.providers.gce.site import Site
from runners.remote import SshHosts, hosts_of

if TYPE_CHECKING:
    from runners.models import Run


def provider(run: "Run | None") -> GceProvider:
    """In the site's project."""
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


def hosts(run: "Run") -> SshHosts:
    return hosts_of(run)
