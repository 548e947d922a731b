"""What the tables of the dataset are made of: columns with their type, unit and meaning."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any

from django.db.models import QuerySet

from submissions.facts import Fact
from submissions.models import has_several_values, is_number, is_whole

if TYPE_CHECKING:
    import pyarrow as pa  # 25 MB, imported where a dump is written


class Kind(StrEnum):
    """What a value is; Parquet and CSV follow from it."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    USD = "decimal"  # exact
    BOOLEAN = "boolean"
    TIMESTAMP = "timestamp"  # UTC
    DATE = "date"  # of UTC
    TEXTS = "list of texts"
    JSON = "json"  # as text


# The scale of the finest money column; as many digits before the point as the type holds.
USD_DIGITS, USD_SCALE = 38, 10


@cache
def arrow_types() -> "dict[Kind, pa.DataType]":
    import pyarrow as pa

    return {
        Kind.TEXT: pa.string(),
        Kind.INTEGER: pa.int64(),
        Kind.NUMBER: pa.float64(),
        Kind.USD: pa.decimal128(USD_DIGITS, USD_SCALE),
        Kind.BOOLEAN: pa.bool_(),
        Kind.TIMESTAMP: pa.timestamp("us", tz="UTC"),
        Kind.DATE: pa.date32(),
        Kind.TEXTS: pa.list_(pa.field("element", pa.string())),  # as Parquet itself names it
        Kind.JSON: pa.string(),
    }


@dataclass(frozen=True, slots=True)
class Column:
    """`source` is the field of the row that holds it, where that has another name."""

    name: str
    kind: Kind
    unit: str | None
    meaning: str
    source: str = ""

    @property
    def field(self) -> str:
        return self.source or self.name


@dataclass(frozen=True, slots=True)
class Table:
    """`rows` is the query of what is public, in the order of the file."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    rows: Callable[[], QuerySet[Any]]

    @property
    def arrow_schema(self) -> "pa.Schema":
        """With unit and meaning as metadata of each column."""
        import pyarrow as pa

        return pa.schema(
            [
                pa.field(
                    column.name,
                    arrow_types()[column.kind],
                    metadata={"meaning": column.meaning, **({"unit": column.unit} if column.unit else {})},
                )
                for column in self.columns
            ],
            metadata={"meaning": self.meaning},
        )


def text(name: str, meaning: str, source: str = "") -> Column:
    return Column(name, Kind.TEXT, None, meaning, source)


def whole(name: str, meaning: str, unit: str | None = None, source: str = "") -> Column:
    return Column(name, Kind.INTEGER, unit, meaning, source)


def number(name: str, unit: str, meaning: str) -> Column:
    return Column(name, Kind.NUMBER, unit, meaning)


def usd(name: str, unit: str, meaning: str) -> Column:
    return Column(name, Kind.USD, unit, meaning)


def of_fact(fact: Fact) -> Column:
    """A column of a fact in the words of facts.py: "trust level: historical, uploaded, ...; lowest first"."""
    values = ", ".join(fact.choices) if fact.choices else ""
    details = "; ".join(part for part in (values, fact.meaning) if part)
    meaning = f"{fact.noun}: {details}" if details else fact.noun
    return Column(fact.column, _kind_of(fact), fact.unit or None, meaning)


def _kind_of(fact: Fact) -> Kind:
    if has_several_values(fact):
        return Kind.TEXTS
    if is_whole(fact):
        return Kind.INTEGER
    return Kind.NUMBER if is_number(fact) else Kind.TEXT
