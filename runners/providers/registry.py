"""Which providers this site offers; each is made anew for a run, so that credentials stay the SDK's business."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from django.conf import settings

from runners.hosts.hosts import Hosts
from runners.models import CloudAccess, Run
from runners.providers.base import Provider, Traits

# slug -> module with `TRAITS`, `make_provider(run)`, `make_hosts(run)` and, where users may have an account
# of their own, `make_provider_in(access)`. The module itself imports no SDK: that takes a second, and most
# processes need none.
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


def traits_of(slug: str) -> Traits:
    """What is known of a provider, offered or not, without its SDK."""
    traits: Traits = import_module(MODULES[slug]).TRAITS if slug in MODULES else Traits()
    return traits


def provider_for(slug: str, run: Run | None = None) -> Provider:
    """The provider, with the run owner's own role where there is one. Raises UnknownProvider."""
    made: Provider = _maker(slug, "make_provider")(run)
    return made


def provider_in(access: CloudAccess) -> Provider:
    """The provider in a user's own account, for the sweep. Raises UnknownProvider."""
    made: Provider = _maker(access.provider, "make_provider_in")(access)
    return made


def hosts_for(run: Run) -> Hosts:
    """The hosts of a run: how its machines take commands. Raises UnknownProvider."""
    made: Hosts = _maker(run.provider, "make_hosts")(run)
    return made


def _maker(slug: str, name: str) -> Callable[[Any], object]:
    if slug not in offered():
        raise UnknownProvider(f"this site has no provider {slug!r}; it has {', '.join(offered()) or 'none'}")
    maker: Callable[[Any], object] = getattr(import_module(MODULES[slug]), name)
    return maker
