"""Numbers as people type them in forms and parameters: 80k, 80,000, 1.5M, 10 ms, $5,000, 20k-60k, 2 TB."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import django_filters
from django import forms
from django.core import validators
from django.core.exceptions import ValidationError

_SCALES = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9}
_NUMBER = re.compile(
    r"""(?P<sign>[+-]?)(?P<dollar>\$?)\s*
    (?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d+\.?\d*|\.\d+)(?P<exponent>[eE][+-]?\d{1,3})?
    \s*(?P<scale>[kKMG]?)\s*(?P<unit>[^\d\s.,].*)?""",
    re.VERBOSE | re.ASCII,
)
_MOST_CHARACTERS = 60

# By the unit of a field: how people write it (any other unit is refused), and an example for the refusal.
_UNITS: dict[str, tuple[tuple[str, ...], str]] = {
    "": ((), "80000, 80,000, 80k or 1.5M"),
    "ops/s": (("ops/s", "op/s", "ops", "ops/sec"), "80000, 80,000, 80k or 1.5M, in ops/s"),
    "ms": (("ms",), "10, 2.5 or 10 ms"),
    "USD": (("usd", "$", "us$"), "5000, 5,000, 5k or $5,000, in US dollars"),
    "USD/h": (("usd", "$", "us$", "usd/h", "$/h", "/h"), "0.25 or $0.25, in US dollars an hour"),
    "USD/month": (
        ("usd", "$", "us$", "usd/month", "$/month", "/month", "a month"),
        "5000, 5,000, 5k or $5,000, in US dollars a month",
    ),
    "ops/USD": (("ops/$", "ops/usd"), "440M or 440,000,000, in operations per US dollar"),
    "%": (("%", "percent"), "5 or 2.5, in percent"),
    "s": (("s", "seconds"), "90 or 2.5, in seconds"),
    "min": (("min", "minutes"), "90, in minutes"),
    "days": (("d", "days"), "30, in days"),
    "GiB": (("gib",), "500, 1,000, 1.5 TiB or 2 TB, in GiB"),
    "bytes": (("b", "bytes"), "1000, 1,000, 1k or 1.5 GiB, in bytes"),
}
# In a field of these units multiples of bytes are read, too: 1 TB is 10^12 bytes, 1 TiB 2^40.
_SIZES = ("GiB", "bytes")
_MULTIPLES = {
    f"{prefix}{suffix}".lower(): base**power
    for base, suffix in ((1000, "B"), (1024, "iB"))
    for power, prefix in enumerate("KMGTP", start=1)
}
_BYTES = re.compile(r"(?P<number>.*?)\s*(?P<multiple>[KMGTP]i?B)", re.IGNORECASE)
# Between the ends of a range; the minus of 1e-3 is none
_TO = re.compile(r"(?<=[^\seE+\-–])\s*(?:-|–|\.\.|\bto\b)\s*(?=[\d.$])")
_PRACTICALLY_ZERO = 1e-3  # a lower bound below it means "above 0"


def parse_number(text: str, unit: str = "") -> Decimal:
    """The number that a person typed, in `unit`. A comma is read before groups of three digits only.

    Raises ValueError with the ways to write it.
    """
    spellings, example = _UNITS[unit]
    text = text.strip()
    if unit in _SIZES and len(text) <= _MOST_CHARACTERS and (sized := _BYTES.fullmatch(text)):
        size: Decimal = _parsed(sized["number"], (), example) * _MULTIPLES[sized["multiple"].lower()]
        return size / 2**30 if unit == "GiB" else size.to_integral_value()
    if unit == "GiB" and text[-1:] in ("M", "G"):  # of bytes to most people, of GiB to this field
        raise ValueError(f"Enter a number such as {example}.")
    return _parsed(text, spellings, example)


def _parsed(text: str, spellings: Sequence[str], example: str) -> Decimal:
    match = _NUMBER.fullmatch(text) if len(text) <= _MOST_CHARACTERS else None
    if match is None or not _has_unit(match, spellings) or (match["exponent"] and match["scale"]):
        raise ValueError(f"Enter a number such as {example}.")
    digits = f"{match['sign']}{match['digits'].replace(',', '')}{match['exponent'] or ''}"
    return Decimal(digits) * _SCALES[match["scale"]]


def _has_unit(match: re.Match[str], spellings: Sequence[str]) -> bool:
    written = (match["unit"] or "").strip().lower()
    return (not match["dollar"] or "$" in spellings) and (not written or written in spellings)


def typed(value: Any) -> str:
    """A number as a field shows it, thousands separated: 80000.0 -> 80,000. Text stays as it was typed."""
    if isinstance(value, str) or value is None:
        return value or ""
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    return f"{number.normalize():,f}" if number else "0"


class _PlainBounds(forms.IntegerField):
    """Bounds in plain words."""

    def __init__(self, *, min_value: Any = None, max_value: Any = None, **kwargs: Any):
        super().__init__(**kwargs, min_value=min_value, max_value=max_value)
        for validator in self.validators:
            if isinstance(validator, validators.MinValueValidator):
                is_zero = 0 < min_value < _PRACTICALLY_ZERO
                validator.message = f"Enter a number {'above 0' if is_zero else f'of at least {typed(min_value)}'}."
            elif isinstance(validator, validators.MaxValueValidator):
                validator.message = f"Enter a number of at most {typed(max_value)}."


class OrdinalField(_PlainBounds):
    """The number of something, such as a result or a page: digits only."""


class _Typed(_PlainBounds):
    """What the fields below share: a unit of _UNITS, a text input."""

    unit = ""

    def __init__(self, *, unit: str | None = None, **kwargs: Any):
        if unit is not None:
            self.unit = unit
        # a number input would drop the k of 80k without a word
        kwargs.setdefault("widget", forms.TextInput(attrs={"inputmode": "decimal"}))
        super().__init__(**kwargs)

    def _number(self, value: Any) -> Any:
        """A number as it is; text that a person typed as a Decimal."""
        if not isinstance(value, str) or value.strip() in self.empty_values:
            return value.strip() if isinstance(value, str) else value
        try:
            return parse_number(value, self.unit)
        except ValueError as error:
            raise ValidationError(str(error), code="invalid") from error


class NumberField(_Typed, forms.FloatField):
    def to_python(self, value: Any) -> Any:
        number = self._number(value)
        return super().to_python(str(number) if isinstance(number, Decimal) else number)


class WholeNumberField(_Typed, forms.IntegerField):
    def to_python(self, value: Any) -> Any:
        number = self._number(value)
        if not isinstance(number, Decimal):
            return super().to_python(number)
        if number != number.to_integral_value():
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        return int(number)


class AmountField(_Typed, forms.DecimalField):
    """Money."""

    unit = "USD"

    def to_python(self, value: Any) -> Any:
        number = self._number(value)
        return super().to_python(f"{number:f}" if isinstance(number, Decimal) else number)


@dataclass(frozen=True, slots=True)
class NumberRange:
    """Two different numbers that a field was given, the lower one first."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low:.12g}-{self.high:.12g}"


class RangeField(NumberField):
    """A number, or a NumberRange of two that are typed as 20k-60k, 1 TB - 5 TB or 1000 to 2000."""

    default_error_messages = {
        "whole": "Enter a whole number.",
        "order": "Enter the lower end of the range first, such as 20k-60k.",
        "suffix": "Write the suffix at both ends of the range, such as 20k-60k or 1TB-5TB.",
    }

    def __init__(self, *, is_whole: bool = False, **kwargs: Any):
        self.is_whole = is_whole
        super().__init__(**kwargs)

    def to_python(self, value: Any) -> Any:
        ends = _TO.split(value.strip(), maxsplit=1) if isinstance(value, str) else []
        if len(ends) != 2:
            return self._end(value)
        low, high = map(self._end, ends)
        if low > high:
            raise ValidationError(self.error_messages["order"], code="order")
        if _suffix(ends[1]) and not _suffix(ends[0]):
            raise ValidationError(self.error_messages["suffix"], code="suffix")
        return low if low == high else NumberRange(low, high)

    def _end(self, value: Any) -> Any:
        number = super().to_python(value)
        if not self.is_whole or number is None:
            return number
        if number != int(number):
            raise ValidationError(self.error_messages["whole"], code="whole")
        return int(number)

    def validate(self, value: Any) -> None:
        for end in ends_of(value):
            super().validate(end)

    def run_validators(self, value: Any) -> None:
        for end in ends_of(value):
            super().run_validators(end)


def ends_of(value: Any) -> tuple[Any, Any]:
    """The lower and the upper end; those of a single number are itself."""
    return (value.low, value.high) if isinstance(value, NumberRange) else (value, value)


def _suffix(text: str) -> str:
    """What multiplies a number: k, M, TB."""
    text = text.strip()
    if sized := _BYTES.fullmatch(text):
        return sized["multiple"]
    match = _NUMBER.fullmatch(text)
    return match["scale"] if match else ""


class NumberFilter(django_filters.NumberFilter):
    """A limit of a list."""

    field_class = AmountField


class WholeNumberFilter(django_filters.NumberFilter):
    """Of a count: 0.5 is no limit of it."""

    field_class = WholeNumberField
