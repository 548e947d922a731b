"""What a grid of differences can vary, or put on its rows and columns: facts of the system and of the workload."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from submissions.choices import Choice, ConsistencyLevel, LoadMode, NetworkEncryption, NetworkKind

Value = tuple[Any, ...]  # of a parameter's columns, or of the one fact in the workload's canonical form


@dataclass(frozen=True, slots=True)
class Parameter:
    """A fact that submissions differ in.

    It is read from `columns` of a submission or, as part of the workload's fingerprint, from the fact
    `key` of its canonical form. `pattern` puts a value into the words that head a row or a column.
    """

    key: str
    label: str
    columns: tuple[str, ...] = ()
    pattern: str = "{}"
    choices: type[Choice] | None = None

    @property
    def is_of_workload(self) -> bool:
        return not self.columns

    def read(self, row: Mapping[str, Any], form: Mapping[str, Any]) -> Value | None:
        """None where it is unknown: of a pair (vendor, version) the first decides."""
        value = tuple(row[column] for column in self.columns) if self.columns else (_plain(form.get(self.key)),)
        return None if value[0] is None else value

    def token(self, value: Value) -> str:
        """As it stands in an address."""
        return " ".join(str(part) for part in value if part is not None)

    def words(self, value: Value) -> str:
        """In a sentence."""
        if self.choices:
            return self.choices(value[0]).label
        return f"{value[0]:,}" if isinstance(value[0], int) else self.token(value)

    def heading(self, value: Value) -> str:
        return self.pattern.format(self.words(value))

    def order(self, value: Value) -> tuple[Any, ...]:
        """Numbers by size, closed lists in their own order, words by the alphabet."""
        if self.choices:
            return (list(self.choices).index(self.choices(value[0])),)
        return tuple((part is not None, isinstance(part, str), part) for part in value)


def _plain(fact: Any) -> Any:
    """{"read": 0.5, "write": 0.5} -> "50 % read, 50 % write"; other facts are plain already."""
    if not isinstance(fact, dict):
        return fact
    if len(fact) == 1:
        return next(iter(fact))
    return ", ".join(f"{share * 100:g} % {name}" for name, share in sorted(fact.items()))


_SYSTEM = (
    Parameter("network_kind", "network", ("network_kind",), "{} network", NetworkKind),
    Parameter("network_encryption", "network encryption", ("network_encryption",), "encryption: {}", NetworkEncryption),
    Parameter("jdk", "JDK", ("jdk_vendor", "jdk_version")),
    Parameter("disk_kind", "disk", ("disk_kind",)),
    Parameter("instance_type", "instance type", ("instance_type",)),
    Parameter("provider", "provider", ("provider",)),
    Parameter("region", "region", ("region",)),
    Parameter("cpu_model", "CPU model", ("cpu_model",)),
    Parameter("service_version", "service version", ("service_version",), "version {}"),
    Parameter("node_count", "database nodes", ("node_count",), "{} nodes"),
    Parameter("client_count", "clients", ("client_count",), "{} clients"),
    Parameter("threads", "threads of a client", ("threads",), "{} threads"),
)
_WORKLOAD = (
    Parameter("replication_factor", "replication factor", pattern="RF {}"),
    Parameter("consistency_level", "consistency level", choices=ConsistencyLevel),
    Parameter("operations", "operations"),
    Parameter("value_bytes", "column size", pattern="{} B"),
    Parameter("columns", "columns", pattern="{} columns"),
    Parameter("key_count", "keys", pattern="{} keys"),
    Parameter("key_distribution", "key distribution"),
    Parameter("load_mode", "load mode", choices=LoadMode),
    Parameter("duration", "duration"),
)
# What is part of the fingerprint must be the same on both sides of a cell: it cannot be varied.
VARIED = {parameter.key: parameter for parameter in _SYSTEM}
AXES = {parameter.key: parameter for parameter in (*_WORKLOAD, *_SYSTEM)}


@dataclass(frozen=True, slots=True)
class Layout:
    """Which facts a grid is about; `rows` has one or two."""

    varied: Parameter
    rows: tuple[Parameter, ...]
    columns: Parameter

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return (self.varied, *self.rows, self.columns)

    @property
    def key(self) -> str:
        return " ".join(parameter.key for parameter in self.parameters)


def _layout(varied: str, rows: tuple[str, ...], columns: str) -> Layout:
    return Layout(VARIED[varied], tuple(AXES[key] for key in rows), AXES[columns])


# Rows and columns that are usual for what is varied; a page without a choice shows the fullest of them.
USUAL = {
    layout.varied.key: layout
    for layout in (
        _layout("network_kind", ("replication_factor", "network_encryption"), "value_bytes"),
        _layout("network_encryption", ("replication_factor", "network_kind"), "value_bytes"),
        _layout("jdk", ("instance_type",), "operations"),
        _layout("disk_kind", ("instance_type",), "operations"),
        _layout("instance_type", ("operations",), "consistency_level"),
        _layout("provider", ("operations",), "consistency_level"),
        _layout("region", ("instance_type",), "operations"),
        _layout("cpu_model", ("instance_type",), "operations"),
        _layout("service_version", ("instance_type",), "operations"),
        _layout("node_count", ("instance_type",), "operations"),
        _layout("client_count", ("instance_type",), "node_count"),
        _layout("threads", ("instance_type",), "operations"),
    )
}
# Only these are tried where the address chooses nothing: each costs a look at all submissions.
TRIED = ("network_kind", "provider", "jdk", "disk_kind", "service_version")
