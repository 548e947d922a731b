"""Numbers as cassandra-stress prints them: Java's formatter writes them in the locale of its machine."""

import math
import re

_SEPARATORS = ".,'\u2019\u066b\u066c\u00a0\u202f "
_DROP_SEPARATORS = {ord(char): None for char in _SEPARATORS}
_NUMBER = re.compile(r"-?\d[\d.,'\u2019\u066b\u066c\u00a0\u202f ]*(?:[eE]-\d{1,3})?")
_MAX_CHARACTERS = 40
_MAX_DIGITS = 18
_DIGITS = re.compile(r"-?\d{1,18}")


def leading(text: str) -> str:
    """The number at the start of `text`, as written: "1,069" of "  1,069 op/s  [WRITE: ...]"."""
    match = _NUMBER.match(text.strip())
    written = match[0].strip(_SEPARATORS) if match else ""
    return written if len(written) <= _MAX_CHARACTERS else ""


def integer(text: str) -> int | None:
    """A count. The tool prints counts without decimals, so every separator groups thousands."""
    plain = text.strip()
    if plain.isascii() and plain.isdigit() and len(plain) <= _MAX_DIGITS:
        return int(plain)  # most cells of a row; the rest of this function reads everything else
    digits = leading(text).translate(_DROP_SEPARATORS)
    return int(digits) if _DIGITS.fullmatch(digits) else None


def decimal(text: str) -> float | None:
    """A figure printed with decimals (latencies: one): its last separator is the decimal mark.

    NaN, which the tool prints for a mean of nothing, is None.
    """
    plain = text.strip()
    if plain.isascii() and plain.replace(".", "", 1).isdigit() and len(plain) <= _MAX_CHARACTERS:
        return float(plain)
    written = leading(text)
    mark = max((written.rfind(char) for char in ".,\u066b"), default=-1)
    if mark < 0:
        return _finite(written.translate(_DROP_SEPARATORS))
    whole = written[:mark].translate(_DROP_SEPARATORS)
    return _finite(f"{whole}.{written[mark + 1 :]}")


def rate(text: str, expected: float | None) -> float | None:
    """An operation rate; `expected` (operations / seconds) tells what a lone separator means.

    cassandra-stress prints rates without decimals, so "255.886" is 255,886 written in a locale whose
    thousands separator is the dot. Tools that imitate it do print decimals. With one separator before
    exactly three digits both readings are possible: the one nearer to `expected` is taken, and
    without `expected` the tool's own format, thousands.
    """
    written = leading(text)
    grouped = integer(written)
    marks = [index for index, char in enumerate(written) if char in _SEPARATORS]
    if grouped is None or len(marks) != 1:
        return decimal(written) if grouped is None else float(grouped)
    fraction = decimal(written) if written[marks[0]] in ".,\u066b" else None
    if fraction is None:
        return float(grouped)
    if len(written) - marks[0] - 1 != 3:
        return fraction
    if not expected or not fraction or not grouped:
        return float(grouped)
    nearer = abs(math.log(fraction / expected)) < abs(math.log(grouped / expected))
    return fraction if nearer else float(grouped)


def _finite(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
