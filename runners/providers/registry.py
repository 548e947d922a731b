"""Which providers this site offers; each is made anew for a run, so that credentials stay the SDK's business."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from django.conf import settings

from runners.hosts.hosts import Hosts
from runners.models import CloudAccess, Run
from runners.providers.base import Provider

# slug -> module with `provider(run) -> Provider`, `hosts(run) -> Hosts` and, where a user may bring an account,
# `provider_in(access) -> Provider`; imported when asked for,
# since a cloud's SDK takes a second to import and most processes need none.
MODULES: Mapping[str, str] = {
    "local": "runners.providers.local",
    "aws": "runners.providers.aws",
    "gce": "runners.providers.gce",
    "fake": "runners.providers.fake",
}


class UnknownProvider(Exception):
    """The site does not offer this provider."""


def offered() -> tuple[str, ...]:
    """The slugs that a plan may name on this site."""
    return tuple(slug for slug in MODULES if slug in settings.RUN_PROVIDERS)


def provider_for(slug: str, run: Run | None = None) -> Provider:
    """The provider, with the run owner's own role where there is one. Raises UnknownProvider."""
    made: Provider = _maker(slug, "provider")(run)
    return made


def provider_in(access: CloudAccess) -> Provider:
    """The provider in a user's own account, for the sweep. Raises UnknownProvider."""
    made: Provider = _maker(access.provider, "provider_in")(access)
    return made


def hosts_for(run: Run) -> Hosts:
    """The hosts of a run: how its machines take commands. Raises UnknownProvider."""
    made: Hosts = _maker(run.provider, "hosts")(run)
    return made


def _maker(slug: str, name: str) -> Callable[[Any], object]:
    if slug not in offered():
        raise UnknownProvider(f"this site has no provider {slug!r}; it has {', '.join(offered()) or 'none'}")
    maker: Callable[[Any], object] = getattr(import_module(MODULES[slug]), name)
    return maker
