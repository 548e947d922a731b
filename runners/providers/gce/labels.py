"""The labels that everything created for a run has from the create call on, and the names derived from the run.

Firewall rules have no labels: theirs are in the description, as JSON, and their names start with that of the run.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from runners.providers.base import InvalidPlan

SITE = "benchsite_site"
RUN = "benchsite_run"
OWNER = "benchsite_owner"
EXPIRES_AT = "benchsite_expires_at"  # seconds since 1970
ROLE = "benchsite_role"
REGION = "benchsite_region"  # of firewall rules, which themselves are global

MAX_NAME = 63  # RFC 1035
MAX_PREFIX = 50  # leaves room for "-client-9999" and "-internal"
_HASH = 12
_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_VALUE = re.compile(r"[a-z0-9_-]{0,63}")
_NOT_ALLOWED = re.compile(r"[^a-z0-9_-]")


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of one run of one site."""

    site: str
    run: str
    owner: str = ""
    expires_at: datetime | None = None

    @property
    def prefix(self) -> str:
        """The prefix of all names of the run, and its network tag. Raises InvalidPlan."""
        whole = f"{self.run}-{self.site}"
        if not _NAME.fullmatch(whole):
            raise InvalidPlan(f"GCE does not allow names that start with {whole!r}")
        if len(whole) <= MAX_PREFIX:
            return whole
        return f"{whole[: MAX_PREFIX - _HASH - 1].rstrip('-')}-{hashlib.sha256(whole.encode()).hexdigest()[:_HASH]}"

    @property
    def of_run(self) -> str:
        """The filter of a list call."""
        return f'{of_site(self.site)} (labels.{RUN} = "{_checked(self.run)}")'

    def name_of(self, node: str) -> str:
        """The instance name of a node. Raises InvalidPlan when it is not valid."""
        name = f"{self.prefix}-{node}"
        if len(name) > MAX_NAME or not _NAME.fullmatch(name):
            raise InvalidPlan(f"a GCE machine cannot be named {name!r}")
        return name

    def node_of(self, name: str) -> str:
        """The node name of an instance; for instances of others, the whole name."""
        return name.removeprefix(f"{self.prefix}-")

    def values(self, **more: str) -> dict[str, str]:
        """The labels for a create call."""
        if self.expires_at is None:
            raise ValueError("nothing is created without the time at which the sweep deletes it")
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
    """Labels as the description of a resource that has none."""
    return json.dumps(dict(values), sort_keys=True)


def from_description(text: str) -> dict[str, str]:
    """The labels in a description; empty for resources of others."""
    try:
        labels = json.loads(text)
    except ValueError:
        return {}
    return {str(key): str(value) for key, value in labels.items()} if isinstance(labels, dict) else {}


def expiry(values: Mapping[str, str]) -> datetime | None:
    """When the sweep may delete the resource; None when the label was removed or is invalid."""
    try:
        return datetime.fromtimestamp(int(values[EXPIRES_AT]), tz=UTC)
    except (KeyError, ValueError, OverflowError, OSError):
        return None


def _checked(value: str) -> str:
    if not _VALUE.fullmatch(value):
        raise InvalidPlan(f"GCE does not allow the label {value!r}")
    return value
