"""What a grid can vary, or put on its rows and columns: facts of the system and of the workload."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from submissions import facts
from submissions.facts import Fact
from submissions.formatting.names import provider_name

# The value of a parameter: those of its columns, ("oracle", "8u51") for the JDK, or of its one fact, (3,).
FactValue = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A fact that submissions differ in.

    It is read from columns of a submission or, where it is part of the workload's fingerprint, from the
    workload's canonical form. `pattern` makes the heading of a row or a column from a value.
    """

    fact: Fact
    pattern: str = "{}"
    is_of_workload: bool = False
    display: Callable[[str], str] | None = None  # the display name of a slug

    @property
    def key(self) -> str:
        return self.fact.key

    @property
    def columns(self) -> tuple[str, ...]:
        return () if self.is_of_workload else self.fact.columns

    def value_in(self, row: Mapping[str, Any], canonical: Mapping[str, Any]) -> FactValue | None:
        """None where it is unknown: for a pair such as vendor and version, where the first part is."""
        value = (
            (_as_text(canonical.get(self.key)),) if self.is_of_workload else tuple(row[name] for name in self.columns)
        )
        return None if value[0] is None else value

    def token(self, value: FactValue) -> str:
        """The value as an address has it."""
        return " ".join(str(part) for part in value if part is not None)

    def words(self, value: FactValue) -> str:
        """The value in a sentence."""
        if self.fact.choices:
            return self.fact.choices(value[0]).label
        if self.display:
            return self.display(value[0])
        return f"{value[0]:,}" if isinstance(value[0], int) else self.token(value)

    def heading(self, value: FactValue) -> str:
        return self.pattern.format(self.words(value))

    def sort_key(self, value: FactValue) -> tuple[Any, ...]:
        """Numbers by size, closed lists in their own order, words by the alphabet."""
        if self.fact.choices:
            return (list(self.fact.choices).index(self.fact.choices(value[0])),)
        return tuple((part is not None, isinstance(part, str), part) for part in value)


def _as_text(fact: Any) -> Any:
    """{"read": 0.5, "write": 0.5} -> "50 % read, 50 % write"; other facts are returned as they are."""
    if not isinstance(fact, dict):
        return fact
    if len(fact) == 1:
        return next(iter(fact))
    return ", ".join(f"{share * 100:g} % {name}" for name, share in sorted(fact.items()))


def _of_workload(fact: Fact, pattern: str = "{}") -> Parameter:
    return Parameter(fact, pattern, is_of_workload=True)


_OF_SYSTEM = (
    Parameter(facts.NETWORK_KIND, "{} network"),
    Parameter(facts.NETWORK_ENCRYPTION, "encryption: {}"),
    Parameter(facts.JDK),
    Parameter(facts.DISK_KIND),
    Parameter(facts.INSTANCE_TYPE),
    Parameter(facts.PROVIDER, display=provider_name),
    Parameter(facts.REGION),
    Parameter(facts.CPU_MODEL),
    Parameter(facts.ARCHITECTURE),
    Parameter(facts.SERVICE_VERSION, "version {}"),
    Parameter(facts.NODE_COUNT, "{} nodes"),
    Parameter(facts.CLIENT_COUNT, "{} clients"),
    Parameter(facts.THREADS, "{} threads"),
)
_OTHERS = tuple(
    Parameter(fact, f"{fact.noun}: {{}}")
    for fact in facts.FACTS.values()
    if fact.is_varied and fact not in {parameter.fact for parameter in _OF_SYSTEM}
)
_OF_WORKLOAD = (
    _of_workload(facts.REPLICATION_FACTOR, "RF {}"),
    _of_workload(facts.CONSISTENCY_LEVEL),
    _of_workload(facts.OPERATION_MIX),
    _of_workload(facts.VALUE_BYTES, "{} B"),
    _of_workload(facts.COLUMNS, "{} columns"),
    _of_workload(facts.KEY_COUNT, "{} keys"),
    _of_workload(facts.KEY_DISTRIBUTION),
    _of_workload(facts.PIPELINE, "pipeline {}"),
    _of_workload(facts.LOAD_MODE),
    _of_workload(facts.DURATION),
)
# What is part of the fingerprint must be the same on both sides of a cell: it cannot be varied.
VARIED = {parameter.key: parameter for parameter in (*_OF_SYSTEM, *_OTHERS)}
# It follows from the memory of the machines, so that it is never all that two sides differ in.
_OF_BOTH_SIDES = (Parameter(facts.DATA_FIT, "data to memory {}"),)
AXES = {parameter.key: parameter for parameter in (*_OF_WORKLOAD, *VARIED.values(), *_OF_BOTH_SIDES)}
# Facts that may differ between the two sides of a cell, which then reports them: these, and the rest of VARIED.
ALSO_REPORTED = (Parameter(facts.TOOL_VERSION),)


@dataclass(frozen=True)
class Layout:
    """Which facts a grid is about; `rows` has one or two."""

    varied: Parameter
    rows: tuple[Parameter, ...]
    columns: Parameter

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return (self.varied, *self.rows, self.columns)

    @property
    def axes(self) -> tuple[Parameter, ...]:
        return (*self.rows, self.columns)

    @property
    def subrows_key(self) -> str:
        """The second parameter of the rows, as the address names it."""
        return self.rows[1].key if len(self.rows) > 1 else NO_SUBROWS

    @property
    def key(self) -> str:
        return " ".join(parameter.key for parameter in self.parameters)

    @cached_property
    def columns_read(self) -> frozenset[str]:
        """The columns of a submission that its parameters are read from."""
        return frozenset(column for parameter in self.parameters for column in parameter.columns)


NO_SUBROWS = "none"


def _layout(varied: Fact, rows: tuple[Fact, ...], columns: Fact) -> Layout:
    return Layout(VARIED[varied.key], tuple(AXES[fact.key] for fact in rows), AXES[columns.key])


# The rows and columns that suit what is varied.
DEFAULT_LAYOUTS = {
    layout.varied.key: layout
    for layout in (
        _layout(facts.NETWORK_KIND, (facts.REPLICATION_FACTOR, facts.NETWORK_ENCRYPTION), facts.VALUE_BYTES),
        _layout(facts.NETWORK_ENCRYPTION, (facts.REPLICATION_FACTOR, facts.NETWORK_KIND), facts.VALUE_BYTES),
        _layout(facts.JDK, (facts.INSTANCE_TYPE,), facts.OPERATION_MIX),
        _layout(facts.DISK_KIND, (facts.INSTANCE_TYPE,), facts.OPERATION_MIX),
        _layout(facts.INSTANCE_TYPE, (facts.OPERATION_MIX,), facts.CONSISTENCY_LEVEL),
        _layout(facts.PROVIDER, (facts.OPERATION_MIX,), facts.CONSISTENCY_LEVEL),
        _layout(facts.REGION, (facts.INSTANCE_TYPE,), facts.OPERATION_MIX),
        _layout(facts.CPU_MODEL, (facts.INSTANCE_TYPE,), facts.OPERATION_MIX),
        _layout(facts.ARCHITECTURE, (facts.OPERATION_MIX,), facts.CONSISTENCY_LEVEL),
        _layout(facts.SERVICE_VERSION, (facts.INSTANCE_TYPE,), facts.OPERATION_MIX),
        _layout(facts.NODE_COUNT, (facts.INSTANCE_TYPE,), facts.OPERATION_MIX),
        _layout(facts.CLIENT_COUNT, (facts.INSTANCE_TYPE,), facts.NODE_COUNT),
        _layout(facts.THREADS, (facts.INSTANCE_TYPE,), facts.OPERATION_MIX),
        *(_layout(parameter.fact, (facts.INSTANCE_TYPE,), facts.OPERATION_MIX) for parameter in _OTHERS),
    )
}
# Only these are tried where the address chooses nothing: each reads all submissions once.
TRIED = ("network_kind", "provider", "jdk", "disk_kind", "service_version", "node_count")
