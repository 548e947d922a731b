"""Which providers this site offers; none is kept for long, so that credentials stay the SDK's business."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, cast

from django.conf import settings

from runners.hosts.hosts import Hosts
from runners.models import CloudAccess, Run
from runners.providers.base import Provider, Traits

# slug -> module with `TRAITS`, `make_provider(run)`, `make_hosts(run)` and, where users may have accounts of their own,
# `make_provider_in(access)`. The module itself imports no SDK: that takes a second, and most processes need none.
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
    """The provider, in the owner's own account where the run uses one. Raises UnknownProvider."""
    return cast(Provider, _factory(slug, "make_provider")(run))


def provider_in(access: CloudAccess) -> Provider:
    """The provider in a user's own account, for the sweep. Raises UnknownProvider."""
    return cast(Provider, _factory(access.provider, "make_provider_in")(access))


def hosts_for(run: Run) -> Hosts:
    """How the machines of a run accept commands. Raises UnknownProvider."""
    return cast(Hosts, _factory(run.provider, "make_hosts")(run))


def _factory(slug: str, name: str) -> Callable[[Any], object]:
    if slug not in offered():
        raise UnknownProvider(f"this site has no provider {slug!r}; it has {', '.join(offered()) or 'none'}")
    return cast(Callable[[Any], object], getattr(import_module(MODULES[slug]), name))
