"""Facts of a plan by their dotted path: "workload.threads", "settings.postgresql.conf.shared_buffers"."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from runners.databases import cassandra_yaml, postgresql_conf

_NAMES_WITH_DOTS = (postgresql_conf.FILE, cassandra_yaml.KEY)
_SHORT = {"instance": "database.instance_type", "instance_type": "database.instance_type", "nodes": "database.count"}
_NOUNS = {
    "database.count": "nodes",
    "database.instance_type": "instance type",
    "client.count": "clients",
    "settings.jvm_options": "JVM options",
}
_MOST_WORDS = 60


def full_path(path: str) -> str:
    """ "instance" -> "database.instance_type"."""
    return _SHORT.get(path, path)


def keys_of(path: str) -> list[str]:
    """The keys on the way to a fact, where the names of two files have a dot of their own."""
    for name in _NAMES_WITH_DOTS:
        before, name_in_path, after = path.partition(name)
        if name_in_path and before.endswith(".") and after[:1] in ("", "."):
            return [*before[:-1].split("."), name, *filter(None, after.split("."))]
    return path.split(".")


def with_value(plan: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy of the plan in which this fact has this value; None: its default.

    Raises ValueError where a fact on the way is no object.
    """
    changed = deepcopy(dict(plan))
    *way, last = keys_of(path)
    place = changed
    for key in way:
        inner = place.get(key)
        if inner is None:
            inner = place[key] = {}
        if not isinstance(inner, dict):
            raise ValueError(f"{key} is no object")
        place = inner
    if value is None:
        place.pop(last, None)
    else:
        place[last] = value
    return changed


def covers(path: str, pointer: str) -> bool:
    """Whether a fault at "#/workload/threads" is about this fact, a part of it or what holds it."""
    own, other = keys_of(path), [part for part in pointer.removeprefix("#").split("/") if part]
    shared = min(len(own), len(other))
    return bool(shared) and own[:shared] == other[:shared]


def noun_of(path: str) -> str:
    """ "workload.replication_factor" -> "replication factor"."""
    return _NOUNS.get(path) or keys_of(path)[-1].replace("_", " ")


def value_words(value: Any) -> str:
    """A value as a reader sees it: {"vendor": "openjdk", "version": "17"} -> "openjdk 17"."""
    if value is None:
        return "default"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        parts = [value_words(each) for each in value.values() if each is not None]
    elif isinstance(value, Sequence) and not isinstance(value, str):
        parts = [value_words(each) for each in value]
    else:
        parts = [str(value)]
    words = " ".join(parts) or "none"
    return words if len(words) <= _MOST_WORDS else f"{words[: _MOST_WORDS - 1]}…"


def cell_words(values: Mapping[str, Any]) -> str:
    """ "threads 8, shared buffers 64MB": the facts by which a cell differs from the others."""
    return ", ".join(f"{noun_of(path)} {value_words(value)}" for path, value in values.items())
