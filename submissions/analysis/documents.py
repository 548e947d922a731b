"""The facts of submission documents side by side: what differs, what is the same."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

# measurements and comments, which are no facts of the system or the workload
_NO_FACTS = frozenset(
    {"title", "notes", "source", "source_url", "trials", "hosts", "disk_tests", "relative_base", "bill", "series"}
)
# The order for readers; jsonb does not preserve that of the document.
_SECTIONS = (
    "provider",
    "region",
    "zones",
    "nodes",
    "service",
    "jdk",
    "network",
    "client_placement",
    "deployment",
    "settings",
    "workload",
    "measured_at",
)


# JVM options, which some documents state as one text.
_OPTION_TEXTS = frozenset({"jvm_options", "jvm_opts", "java_opts", "java_options"})
_COMMAND = "workload.command"
_OPTION_STARTS = re.compile(r"\s+(?=-[A-Za-z-])")
# "-p hosts=10.0.0.1,10.0.0.2", "-node 10.0.0.1": addresses are others in each launch of the same cluster.
_HOST_LIST = re.compile(r"(-p\s+\S*hosts?=|--?(node|nodes|host|hosts)\b)")


@dataclass(frozen=True, slots=True)
class SetDifference:
    """A list in several documents, regardless of its order: an option is set or not."""

    common: tuple[str, ...]  # items in every document that states the list
    only: tuple[tuple[str, ...] | None, ...]  # the other items of each document; None where it states no list

    @property
    def is_order_only(self) -> bool:
        return not any(self.only)


@dataclass(frozen=True, slots=True)
class FactRow:
    """One fact in several documents; None where a document does not state it."""

    field: str
    values: tuple[Any, ...]

    @property
    def is_same(self) -> bool:
        first, *others = (_comparable(self.field, value) for value in self.values)
        return all(other == first for other in others)

    @property
    def as_sets(self) -> SetDifference | None:
        """The items that not all lists have; None for other facts, and where only one document states the list."""
        lists = [_items(self.field, value) for value in self.values]
        stated = [items for items, value in zip(lists, self.values, strict=True) if value is not None]
        known = [items for items in stated if items is not None]
        if len(known) < 2 or len(known) < len(stated):
            return None
        common = tuple(item for item in dict.fromkeys(known[0]) if all(item in items for items in known))
        return SetDifference(
            common,
            tuple(
                None if items is None else tuple(item for item in dict.fromkeys(items) if item not in common)
                for items in lists
            ),
        )


def facts(document: dict[str, Any]) -> dict[str, Any]:
    """A document as flat facts: "nodes.database.instance_type", "settings.jvm_options", ...

    Node groups are named by their role (and number, where a role has several). Empty values are omitted, so that
    "not stated" has one form.
    """
    plain = {key: value for key, value in document.items() if key not in _NO_FACTS | {"nodes"}}
    plain["nodes"] = _groups_by_role(document.get("nodes") or ())
    flat: dict[str, Any] = {}
    _flatten("", plain, flat)
    return flat


def fact_rows(documents: Sequence[dict[str, Any]]) -> list[FactRow]:
    """Every fact that any of the documents states: the system first, then its workload."""
    columns = [facts(document) for document in documents]
    groups = list(dict.fromkeys(_group(name) for column in columns for name in column))
    names = sorted(
        {name for column in columns for name in column},
        key=lambda name: (_section(name), groups.index(_group(name)), name),
    )
    return [FactRow(name, tuple(column.get(name) for column in columns)) for name in names]


def differs(document_a: dict[str, Any], document_b: dict[str, Any]) -> list[dict[str, Any]]:
    """What differs between two documents: [{"field", "a", "b"}], None for "not stated"."""
    return [
        {"field": row.field, "a": row.values[0], "b": row.values[1]}
        for row in fact_rows((document_a, document_b))
        if not row.is_same
    ]


def _comparable(field: str, value: Any) -> Any:
    return _command_options(value) if field == _COMMAND and isinstance(value, str) else value


def _command_options(command: str) -> tuple[str, ...]:
    """Each with its value, "-p fieldcount=10", without the addresses of hosts."""
    options = (" ".join(option.split()) for option in _OPTION_STARTS.split(command.strip()))
    return tuple(option for option in options if not _HOST_LIST.match(option))


def _items(field: str, value: Any) -> tuple[str, ...] | None:
    if field == _COMMAND and isinstance(value, str):
        return _command_options(value)
    if isinstance(value, str) and field.rpartition(".")[2].lower() in _OPTION_TEXTS:
        return tuple(value.split())
    if isinstance(value, list | tuple) and not any(isinstance(item, dict | list) for item in value):
        return tuple(str(item) for item in value)
    return None


def _section(name: str) -> int:
    section = name.partition(".")[0]
    return _SECTIONS.index(section) if section in _SECTIONS else len(_SECTIONS)


def _group(name: str) -> str:
    """ "nodes.database": node groups are a list, and keep the order of the document."""
    return ".".join(name.split(".")[:2]) if name.startswith("nodes.") else ""


def _groups_by_role(groups: Sequence[dict[str, Any]]) -> dict[str, Any]:
    sizes = Counter(group["role"] for group in groups)
    seen: Counter[str] = Counter()
    named = {}
    for group in groups:
        role = group["role"]
        seen[role] += 1
        name = role if sizes[role] == 1 else f"{role} {seen[role]}"
        named[name] = {key: value for key, value in group.items() if key != "role"}
    return named


def _flatten(prefix: str, value: Any, flat: dict[str, Any]) -> None:
    if isinstance(value, dict):
        for key, part in value.items():
            _flatten(f"{prefix}.{key}" if prefix else str(key), part, flat)
    elif value not in (None, "", [], ()):
        flat[prefix] = value
