"""A row that was just written, as a SELECT would give it: answers need not read it back."""

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from functools import cache, lru_cache
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db.models import DecimalField, JSONField, Model


def as_stored(*rows: Model) -> None:
    """Change the values of unread rows to what the database makes of them."""
    for row in rows:
        values = vars(row)
        for name, convert in _conversions(type(row)):
            if values[name] is not None:
                values[name] = convert(values[name])


def as_jsonb(value: Any) -> Any:
    """A JSON value as PostgreSQL keeps it: keys by length and then by bytes, numbers without exponents."""
    if isinstance(value, dict):
        return {
            name: item if type(item := value[name]) in _AS_IT_IS else as_jsonb(item)
            for name in _key_order(tuple(value))
        }
    if isinstance(value, list | tuple):
        return [item if type(item) in _AS_IT_IS else as_jsonb(item) for item in value]
    return _as_numeric(value) if isinstance(value, float) else value


_AS_IT_IS = frozenset((str, int, bool, type(None)))


@lru_cache(maxsize=1000)
def _key_order(names: tuple[str, ...]) -> tuple[str, ...]:
    """Documents share their few orders of keys."""
    return tuple(sorted(names, key=lambda name: (len(name.encode()), name.encode())))


def _as_numeric(value: float) -> float | int:
    if value == 0:
        return 0.0  # there is no -0
    return int(Decimal(repr(value))) if abs(value) >= 1e16 else value  # 1e+16 is read as 10000000000000000


@cache
def _conversions(model: type[Model]) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    converted: list[tuple[str, Callable[[Any], Any]]] = []
    for field in model._meta.concrete_fields:
        if isinstance(field, JSONField):
            converted.append((field.attname, as_jsonb))
        elif isinstance(field, ArrayField):
            converted.append((field.attname, list))
        elif isinstance(field, DecimalField):
            converted.append((field.attname, _rounding(field.decimal_places)))
    return tuple(converted)


def _rounding(places: int) -> Callable[[Decimal], Decimal]:
    last = Decimal(1).scaleb(-places)
    return lambda value: value.quantize(last, ROUND_HALF_UP)
