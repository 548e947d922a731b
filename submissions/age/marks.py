"""The age of a result on a day: which marks it has, from what, and what cannot be known. No query."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Protocol

from submissions.age.drift import Drift
from submissions.age.end_of_life import Cycle, Kind, cycle_of
from submissions.age.retired import LastList, Retired, Sold
from submissions.choices import AgeMark


class Aging(Protocol):
    """The columns of a submission that its age is read from."""

    pk: int
    measured_at: datetime | None
    service: str
    service_version: str | None
    jdk_vendor: str | None
    jdk_version: str | None
    provider: str
    region: str | None
    instance_type: str


@dataclass(frozen=True, slots=True)
class Software:
    """A database or a JDK as it was measured; `cycle` None: nothing is known of its support."""

    kind: Kind
    product: str | None
    version: str | None
    cycle: Cycle | None


@dataclass(frozen=True, slots=True)
class Age:
    """On `today`. What is not known has no mark, and is told apart by None."""

    today: date
    measured_on: date | None
    software: tuple[Software, ...]  # the database, and the JDK where one is stated
    place: Sold | None  # where the instance type was bought; None without a region
    gone: LastList | None  # None: in the newest list, or never in any
    drift: Drift | None  # None: it had no price when it was measured

    @property
    def marks(self) -> tuple[AgeMark, ...]:
        """In the order of AgeMark."""
        applies = {
            AgeMark.OLD_RESULT: self.is_old,
            AgeMark.PRICE_DRIFT: self.drift is not None and self.drift.is_marked,
            AgeMark.VERSION_EOL: bool(self.past_support),
            AgeMark.TYPE_RETIRED: self.gone is not None,
        }
        return tuple(mark for mark, has in applies.items() if has)

    @property
    def marks_text(self) -> str:
        """ "old_result,version_eol"; empty without any."""
        return ",".join(self.marks)

    @property
    def is_old(self) -> bool:
        return self.measured_on is not None and self.measured_on < twelve_months_before(self.today)

    @property
    def past_support(self) -> tuple[Software, ...]:
        return tuple(one for one in self.software if one.cycle is not None and one.cycle.is_past(self.today))


def twelve_months_before(today: date) -> date:
    """The first day that is not more than 12 months ago: the same day of the year before, of 29 February the 28th."""
    is_leap_day = (today.month, today.day) == (2, 29)
    return today.replace(year=today.year - 1, day=28 if is_leap_day else today.day)


def old_before(today: date) -> datetime:
    """A result that was measured before this moment is old."""
    first = twelve_months_before(today)
    return datetime(first.year, first.month, first.day, tzinfo=UTC)


def age_of(row: Aging, today: date, retired: Retired, drifts: Mapping[int, Drift]) -> Age:
    place = Sold(row.provider, row.region, row.instance_type) if row.region else None
    return Age(
        today,
        measured_on=row.measured_at.astimezone(UTC).date() if row.measured_at else None,
        software=_software(row),
        place=place,
        gone=retired.get(place) if place else None,
        drift=drifts.get(row.pk),
    )


def _software(row: Aging) -> tuple[Software, ...]:
    database = _one(Kind.SERVICE, row.service, row.service_version)
    if not (row.jdk_vendor or row.jdk_version):
        return (database,)
    return database, _one(Kind.JDK, row.jdk_vendor, row.jdk_version)


def _one(kind: Kind, product: str | None, version: str | None) -> Software:
    return Software(kind, product, version, cycle_of(kind, product, version))
