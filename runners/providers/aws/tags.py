"""The tags that everything created for a run has from the create call on, and the filters by these tags."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

SITE = "benchsite:site"
RUN = "benchsite:run"
OWNER = "benchsite:owner"
EXPIRES_AT = "benchsite:expires_at"
NAMES = "benchsite:names"  # of the machines in a group, packed

Filters = list[dict[str, Any]]
_NOT_ALLOWED = re.compile(r"[^\w +\-=.:/@]")


@dataclass(frozen=True, slots=True)
class Tags:
    """The tags of one run of one site."""

    site: str
    run: str
    owner: str = ""
    expires_at: datetime | None = None

    @property
    def name(self) -> str:
        """The name of the run's security group and key pair: unique in the account."""
        return f"benchsite-{self.site}-{self.run}"

    @property
    def of_run(self) -> Filters:
        return [*of_site(self.site), {"Name": f"tag:{RUN}", "Values": [self.run]}]

    def specifications(self, *resources: str, **more: str) -> list[dict[str, Any]]:
        """TagSpecifications of a create call; `more` becomes tags benchsite:<key>."""
        if self.expires_at is None:
            raise ValueError("nothing is created without the time at which the sweep deletes it")
        pairs = {
            "Name": f"{self.run} {more['role']}" if "role" in more else self.run,
            SITE: self.site,
            RUN: self.run,
            OWNER: _NOT_ALLOWED.sub("_", self.owner)[:256],
            EXPIRES_AT: self.expires_at.astimezone(UTC).isoformat(),
            **{f"benchsite:{key}": value for key, value in more.items()},
        }
        tags = [{"Key": key, "Value": value} for key, value in pairs.items()]
        return [{"ResourceType": resource, "Tags": tags} for resource in resources]


def of_site(site: str) -> Filters:
    return [{"Name": f"tag:{SITE}", "Values": [site]}]


def values(tagged: Mapping[str, Any]) -> dict[str, str]:
    """The tags of any resource in EC2's answers."""
    tags: Iterable[Mapping[str, str]] = tagged.get("Tags", ())
    return {tag["Key"]: tag["Value"] for tag in tags}


def expiry(tags: Mapping[str, str]) -> datetime | None:
    """When the sweep may delete the resource; None when the tag was removed or is invalid."""
    try:
        expires_at = datetime.fromisoformat(tags[EXPIRES_AT])
    except (KeyError, ValueError):
        return None
    return expires_at if expires_at.tzinfo else None
