"""Numbers as load tools print them: what is no finite number is None."""

import math
import re
from collections.abc import Mapping
from decimal import Decimal

_MAX_DIGITS = 18  # fits a signed 64-bit integer
_DURATION_PART = re.compile(r"(\d{1,9}(?:\.\d{1,12})?)(h|ms|m|s|us|µs|ns)")
_SECONDS = {"h": "3600", "m": "60", "s": "1", "ms": "1e-3", "us": "1e-6", "µs": "1e-6", "ns": "1e-9"}


def number(text: str | None) -> float | None:
    """A float of "1,5" or "1.5"; None for NaN, infinity and what is no number."""
    if not text:
        return None
    try:
        value = float(text if "," not in text else text.replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def finite(value: object) -> float | None:
    """The float of a number in a JSON document, None for anything else."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def count(value: object) -> int | None:
    """A whole number, not negative, of a JSON document."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value < 10**_MAX_DIGITS else None


def whole(text: str | None) -> int | None:
    """An int of at most 18 digits, else None."""
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS else None


def go_seconds(duration: str) -> float | None:
    """Go's way to write a duration: 1h2m3.4s, 748.350047ms."""
    parts = _DURATION_PART.findall(duration[:60])
    if not parts or "".join(value + unit for value, unit in parts) != duration:
        return None
    return float(sum(Decimal(value) * Decimal(_SECONDS[unit]) for value, unit in parts))


def ms_of_us(microseconds: float | None) -> float | None:
    return None if microseconds is None else microseconds / 1000


def observed_shares(counts: Mapping[str, int]) -> dict[str, float] | None:
    """Each type's share, to the per cent and summing to 1; a type that was done has 0.01 or more.

    For tools that do not print the mix that was asked for: two runs of the same mix differ by less
    than half a per cent from a few ten thousand operations on.
    """
    done = {name: count for name, count in counts.items() if count > 0}
    if not done or len(done) > 100:
        return None
    total = sum(done.values())
    percents = {name: max(1, count * 100 // total) for name, count in done.items()}
    # Largest remainders get the per cents that rounding down left over.
    by_remainder = sorted(done, key=lambda name: (-(done[name] * 100 % total), name))
    while (missing := 100 - sum(percents.values())) > 0:
        for name in by_remainder[:missing]:
            percents[name] += 1
    largest = max(percents, key=lambda name: percents[name])
    percents[largest] -= sum(percents.values()) - 100
    return {name: percent / 100 for name, percent in percents.items()}
