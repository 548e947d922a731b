"""The kinds of value that a submission document is made of, each with its limits."""

import math
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field, StringConstraints

MAX_SETTINGS_DEPTH = 6
MAX_SETTINGS_VALUES = 2_000

# Far above anything ever measured, far below what breaks a column: absurd is a typing error.
MIN_OPS_S = 1e-6
MAX_OPS_S = 1e10
MAX_LATENCY_MS = 3_600_000.0
MAX_DURATION_S = 31 * 24 * 3600.0
MAX_OPERATIONS = 10**15
MAX_HOURLY_USD = Decimal(100_000)


_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def _no_control_characters(value: str) -> str:
    if _CONTROL.search(value):
        raise ValueError("must not contain control characters")
    if _SURROGATE.search(value):
        raise ValueError("must be valid Unicode")
    return value


def _length(max_length: int, min_length: int = 0) -> StringConstraints:
    return StringConstraints(min_length=min_length, max_length=max_length, strip_whitespace=True, strict=True)


CLEAN = AfterValidator(_no_control_characters)


def _number(value: object) -> object:
    # JSON knows no NaN; Python's reader takes it, and True is an int to Python
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("must be a number")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("must be a finite number")
    return value


def money(value: object) -> object:
    if not isinstance(value, str | Decimal):
        raise ValueError('must be a string such as "0.532": money is decimal')
    return value


def _string(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return value


STRING = BeforeValidator(_string)  # before a closed list: nothing but its value is coerced
NUMBER = BeforeValidator(_number)

Short = Annotated[str, _length(100, 1), CLEAN]
Name = Annotated[str, _length(200, 1), CLEAN]
PriceSource = Annotated[str, _length(200), CLEAN]
Line = Annotated[str, _length(300), CLEAN]
Paragraph = Annotated[str, _length(500), CLEAN]
Notes = Annotated[str, _length(20_000), CLEAN]
Command = Annotated[str, _length(4_000, 1), CLEAN]
Version = Annotated[str, _length(50, 1), CLEAN]
Url = Annotated[str, StringConstraints(max_length=2_000, strict=True, pattern=r"^https?://[^\s<>\"']+$"), CLEAN]
Count = Annotated[int, NUMBER, Field(ge=1, le=1_000_000, strict=True)]
Small = Annotated[int, NUMBER, Field(ge=1, le=10_000, strict=True)]
Repetitions = Annotated[int, NUMBER, Field(ge=2, le=10_000, strict=True)]
Operations = Annotated[int, NUMBER, Field(ge=0, le=MAX_OPERATIONS, strict=True)]
ValueBytes = Annotated[int, NUMBER, Field(ge=0, le=10**9, strict=True)]
DataBytes = Annotated[int, NUMBER, Field(ge=1, le=10**18, strict=True)]
OpsPerSecond = Annotated[float, NUMBER, Field(ge=MIN_OPS_S, le=MAX_OPS_S)]
Milliseconds = Annotated[float, NUMBER, Field(ge=0, le=MAX_LATENCY_MS)]
Seconds = Annotated[float, NUMBER, Field(gt=0, le=MAX_DURATION_S)]
Share = Annotated[float, NUMBER, Field(gt=0, le=1)]
GiB = Annotated[float, NUMBER, Field(gt=0, le=10_000_000)]
HourlyUsd = Annotated[
    Decimal,
    BeforeValidator(money),
    Field(gt=0, le=MAX_HOURLY_USD, max_digits=14, decimal_places=8),
]


def _iso_time(value: object) -> object:
    if not isinstance(value, str | datetime):
        raise ValueError('must be a time such as "2015-09-01T12:00:00Z"')
    return value


def _utc(value: datetime) -> datetime:
    """A day of grace for clocks and time zones; only then, since the end of the year 9999 has no time in UTC."""
    if value.year < 2000:
        raise ValueError("must not be before the year 2000")
    if value > datetime.now(UTC) + timedelta(days=1):
        raise ValueError("must not be in the future")
    return value.astimezone(UTC)


Moment = Annotated[
    AwareDatetime,
    BeforeValidator(_iso_time),
    AfterValidator(_utc),
]


def _day_as_time(value: object) -> object:
    """ "2027-01-31" is its first moment, UTC."""
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        return f"{value}T00:00:00Z"
    return _iso_time(value)


def _before_2100(value: datetime) -> datetime:
    """Unlike a measurement an embargo may end in the future; the end of the year 9999 has no time in UTC."""
    if not 2000 <= value.year < 2100:
        raise ValueError("must be between the years 2000 and 2100")
    return value.astimezone(UTC)


Embargo = Annotated[
    AwareDatetime,
    BeforeValidator(_day_as_time),
    AfterValidator(_before_2100),
]


def _bounded(value: dict[str, Any]) -> dict[str, Any]:
    """Settings are free-form but small: strings, numbers, booleans, null, lists and objects."""
    waiting: list[tuple[object, int]] = [(value, 0)]
    seen = 0
    while waiting:
        item, depth = waiting.pop()
        seen += 1
        if seen > MAX_SETTINGS_VALUES:
            raise ValueError(f"must not have more than {MAX_SETTINGS_VALUES} values")
        if depth > MAX_SETTINGS_DEPTH:
            raise ValueError(f"must not be nested deeper than {MAX_SETTINGS_DEPTH} levels")
        if isinstance(item, dict):
            waiting += [(part, depth + 1) for pair in item.items() for part in pair]
        elif isinstance(item, list | tuple):
            waiting += [(part, depth + 1) for part in item]
        else:
            _check_scalar(item)
    return value


def _check_scalar(item: object) -> None:
    if isinstance(item, str):
        if len(item) > 2_000:
            raise ValueError("must not have a text of more than 2,000 characters")
        _no_control_characters(item)
    elif isinstance(item, float) and not math.isfinite(item):
        raise ValueError("must not have NaN or Infinity")
    elif isinstance(item, int) and abs(item) > 2**63:
        raise ValueError("must not have an integer beyond 64 bits")


Settings = Annotated[dict[str, Any], AfterValidator(_bounded)]
