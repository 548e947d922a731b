"""The marks as conditions of the database: a row has a mark exactly if its condition holds."""

from collections.abc import Collection, Iterable, Mapping
from datetime import date

from django.db.models import Case, Func, Q, TextField, Value, When

from submissions.age.end_of_life import Kind, past_patterns
from submissions.age.marks import old_before
from submissions.age.retired import Retired
from submissions.choices import AgeMark

# no row: a condition that the database knows to be false
NEVER = Q(pk__in=[])


def mark_conditions(today: date, retired: Retired, drifted: Collection[int] | None) -> Mapping[AgeMark, Q]:
    """`drifted`: ids of the rows with another price today; None where it was not looked up, and is no condition."""
    conditions = {
        AgeMark.OLD_RESULT: Q(measured_at__isnull=False, measured_at__lt=old_before(today)),
        AgeMark.VERSION_EOL: _past_support(today),
        AgeMark.TYPE_RETIRED: _retired(retired),
    }
    if drifted is not None:
        conditions[AgeMark.PRICE_DRIFT] = Q(pk__in=list(drifted)) if drifted else NEVER
    return conditions


def has_any(conditions: Mapping[AgeMark, Q], marks: Iterable[AgeMark]) -> Q:
    """Rows with any of the marks; MARKED and UNMARKED: with and without any but the price's."""
    marked = _any(condition for mark, condition in conditions.items() if mark != AgeMark.PRICE_DRIFT)
    known = {**conditions, AgeMark.MARKED: marked, AgeMark.UNMARKED: ~marked}
    return _any(known[AgeMark(mark)] for mark in marks)


def marks_text(conditions: Mapping[AgeMark, Q]) -> Func:
    """The marks of a row, parted by commas, as an annotation: "old_result,version_eol"; see `marks_in`."""
    parts = [Case(When(condition, then=Value(str(mark)))) for mark, condition in conditions.items()]
    return Func(Value(","), *parts, function="concat_ws", output_field=TextField())


def marks_in(text: str) -> list[AgeMark]:
    """Of `marks_text`, with MARKED or UNMARKED."""
    marks = [AgeMark(mark) for mark in text.split(",") if mark]
    is_marked = bool(set(marks) - {AgeMark.PRICE_DRIFT})
    return [*marks, AgeMark.MARKED if is_marked else AgeMark.UNMARKED]


def _any(conditions: Iterable[Q]) -> Q:
    wanted = NEVER
    for condition in conditions:
        wanted |= condition
    return wanted


def _past_support(today: date) -> Q:
    wanted = NEVER
    for service, pattern in past_patterns(Kind.SERVICE, today).items():
        wanted |= Q(service=service, service_version__isnull=False, service_version__regex=pattern)
    for vendor, pattern in past_patterns(Kind.JDK, today).items():
        wanted |= Q(jdk_vendor=vendor, jdk_version__isnull=False, jdk_version__regex=pattern)
    return wanted


def _retired(retired: Retired) -> Q:
    """By type, as few of them are gone."""
    places: dict[tuple[str, str], list[str]] = {}
    for sold in retired:
        places.setdefault((sold.provider, sold.instance_type), []).append(sold.region)
    by_regions: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (provider, instance_type), regions in places.items():
        by_regions.setdefault((provider, tuple(sorted(regions))), []).append(instance_type)
    wanted = NEVER
    for (provider, together), types in by_regions.items():
        wanted |= Q(provider=provider, region__isnull=False, region__in=together, instance_type__in=types)
    return wanted
