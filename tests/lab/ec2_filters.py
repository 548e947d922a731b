"""EC2's filters on things that the lab keeps itself."""

import fnmatch
from collections.abc import Mapping, Sequence
from typing import Any

from tests.lab.ec2_wire import Refused


def select(
    things: Sequence[dict[str, Any]], filters: Sequence[Mapping[str, Any]], members: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Those that pass every filter; the values of one filter are alternatives, * and ? are wild. `members` says which
    member of a thing a filter reads; tag:<key> and tag-key work on all."""
    return [thing for thing in things if all(_passes(thing, one, members) for one in filters)]


def _passes(thing: Mapping[str, Any], one: Mapping[str, Any], members: Mapping[str, str]) -> bool:
    name = one["Name"]
    tags = {tag["Key"]: tag["Value"] for tag in thing.get("Tags", [])}
    if name.startswith("tag:"):
        found = [tags[name[4:]]] if name[4:] in tags else []
    elif name == "tag-key":
        found = list(tags)
    elif name in members:
        found = [str(thing.get(members[name]))]
    else:
        raise Refused("InvalidParameterValue", f"The filter '{name}' is invalid")
    return any(fnmatch.fnmatchcase(value, pattern) for value in found for pattern in one.get("Values", []))
