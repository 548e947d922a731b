"""The labels that everything made for a run carries from its create call on, and the names that follow from the run.

Firewall rules take no labels: theirs are in the description, as JSON, and their names begin with the run's.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from runners.providers.base import ProviderError

SITE = "benchsite_site"
RUN = "benchsite_run"
OWNER = "benchsite_owner"
EXPIRES_AT = "benchsite_expires_at"  # seconds since 1970
ROLE = "benchsite_role"
REGION = "benchsite_region"  # of firewall rules, which themselves are global

MAX_NAME = 63  # RFC 1035
MAX_PREFIX = 50  # so that "-client-9999" and "-internal" find room behind it
_HASH = 12
_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_VALUE = re.compile(r"[a-z0-9_-]{0,63}")
_NOT_ALLOWED = re.compile(r"[^a-z0-9_-]")


@dataclass(frozen=True, slots=True)
class Labels:
    """Of one run of one site."""

    site: str
    run: str
    owner: str = ""
    expires_at: datetime | None = None

    @property
    def prefix(self) -> str:
        """How the names of all that the run makes begin; also its network tag. Raises ProviderError."""
        whole = f"{self.run}-{self.site}"
        if not _NAME.fullmatch(whole):
            raise ProviderError(f"GCE takes no names that begin with {whole!r}")
        if len(whole) <= MAX_PREFIX:
            return whole
        return f"{whole[: MAX_PREFIX - _HASH - 1].rstrip('-')}-{hashlib.sha256(whole.encode()).hexdigest()[:_HASH]}"

    @property
    def of_run(self) -> str:
        """The filter of a list call."""
        return f'{of_site(self.site)} (labels.{RUN} = "{_checked(self.run)}")'

    def name_of(self, node: str) -> str:
        """The instance's name of a node. Raises ProviderError when it cannot be one."""
        name = f"{self.prefix}-{node}"
        if len(name) > MAX_NAME or not _NAME.fullmatch(name):
            raise ProviderError(f"a machine of GCE cannot be named {name!r}")
        return name

    def node_of(self, name: str) -> str:
        """The node's name of an instance; another's whole name."""
        return name.removeprefix(f"{self.prefix}-")

    def values(self, **more: str) -> dict[str, str]:
        """What a create call is given."""
        if self.expires_at is None:
            raise ValueError("nothing is made without the time at which the sweep deletes it")
        return {
            SITE: _checked(self.site),
            RUN: _checked(self.run),
            OWNER: _NOT_ALLOWED.sub("_", self.owner.lower())[:MAX_NAME],
            EXPIRES_AT: str(int(self.expires_at.timestamp())),
            **more,
        }


def of_site(site: str) -> str:
    """The filter of a list call."""
    return f'(labels.{SITE} = "{_checked(site)}")'


def described(values: Mapping[str, str]) -> str:
    """Labels as the description of something that takes none."""
    return json.dumps(dict(values), sort_keys=True)


def from_description(text: str) -> dict[str, str]:
    """The labels in a description; none in anybody else's."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}


def expiry(values: Mapping[str, str]) -> datetime | None:
    """When the sweep may delete it; None when someone has removed or broken the label."""
    try:
        return datetime.fromtimestamp(int(values[EXPIRES_AT]), tz=UTC)
    except (KeyError, ValueError, OverflowError, OSError):
        return None


def _checked(value: str) -> str:
    if not _VALUE.fullmatch(value):
        raise ProviderError(f"GCE takes no label {value!r}")
    return value
