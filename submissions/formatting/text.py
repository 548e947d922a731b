"""Counts and lists inside a sentence: "1,024 results", "a, b and c", "2 of 5 results were"."""

import re
from collections.abc import Collection, Sequence
from datetime import UTC, date, datetime

# (singular, plural) of the verbs that follow a count
IS = ("is", "are")
WAS = ("was", "were")
HAS = ("has", "have")

AVERAGED = "averaged by the source"

# The space between a number and its unit: "18.5 %", "440 M ops/$".
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:%|ms|s|h|B|[KMGT]i?B|[kMG]|ops/s)(?![\w/]))|(?<=\d [kMG]) (?=ops/)")
NO_BREAK_SPACE = "\u00a0"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def unbroken(text: str) -> str:
    """With no line break between a number and its unit; for pages only, as data keeps the plain space."""
    return _BEFORE_UNIT.sub(NO_BREAK_SPACE, text)


def plural(count: int, noun: str, many: str = "") -> str:
    """1 -> "1 result", 2 -> "2 results"; `many` is the plural where it is not the noun with an s."""
    return f"{count:,} {noun if count == 1 else many or f'{noun}s'}"


def lines_not_read_words(count: int, first: Sequence[str]) -> str:
    """ "3 lines were not read: ..."; "" where all were."""
    if not count:
        return ""
    shown = "; ".join(f'"{line}"' for line in first)
    more = ", ..." if count > len(first) else ""
    return f"{plural(count, 'line')} {'was' if count == 1 else 'were'} not read: {shown}{more}"


def trials_words(trials: int, averaged_over: int | None) -> str:
    """ "3 trials"; "10 trials, averaged by the source", which repeated them itself and gives their mean."""
    return f"{plural(averaged_over, 'trial')}, {AVERAGED}" if averaged_over else plural(trials, "trial")


def in_sentence(label: str) -> str:
    """A label inside a sentence: "Region" -> "region"; "JDK version" stays."""
    return label if label[:2].isupper() else label[:1].lower() + label[1:]


def join_and(parts: Sequence[str]) -> str:
    """["a", "b", "c"] -> "a, b and c"; empty without parts."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def join_or(parts: Sequence[str]) -> str:
    """ "a", "a or b", "a, b or c"."""
    return " or ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


def share_of(count: int, total: int, noun: str, verb: tuple[str, str]) -> str:
    """Subject and verb of a sentence about a part: (2, 5, "result", WAS) -> "2 of 5 results were".

    All of them: "All 5 results were", "Both results were"; the only one: "The result was".
    """
    singular, many = verb
    if total == 1:
        return f"The {noun} {singular}"
    if count == total:
        return f"{'Both' if total == 2 else f'All {total:,}'} {noun}s {many}"
    return f"{count:,} of {plural(total, noun)} {singular if count == 1 else many}"


def counted_sentence(seconds: float) -> str:
    """ "Counted 12 s ago. Changes since then are being counted."; in minutes from two of them on."""
    age = f"{seconds:.0f} s" if seconds < 120 else f"{seconds // 60:,.0f} min"
    return f"Counted {age} ago. Changes since then are being counted."


def credits_line(credits: Sequence[str]) -> str:
    """Whom to name: "Includes results of Spare Cores (sparecores.com), CC BY-SA 4.0."; empty without any."""
    return f"Includes results of {'; '.join(credits)}." if credits else ""


def moment(at: datetime) -> str:
    """ "2027-01-31", or "2027-01-31 14:00 UTC" where it is not the start of the day."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC").removesuffix(" 00:00 UTC")


def month(day: date) -> str:
    """ "Sep 2015"."""
    return f"{_MONTHS[day.month - 1]} {day.year}"


def day_range(days: Collection[date]) -> str:
    """ "2015-09-01", or "2015-09-01 to 2020-08-30"; empty without days."""
    if not days:
        return ""
    first, last = min(days), max(days)
    return str(first) if first == last else f"{first} to {last}"
