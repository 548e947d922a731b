"""The age of a result in words, for badges, pages and the API."""

from collections.abc import Sequence
from decimal import Decimal

from submissions.age.drift import Drift
from submissions.age.end_of_life import Kind
from submissions.age.marks import Age, Software
from submissions.choices import AgeMark
from submissions.formatting.names import provider_name, service_name
from submissions.formatting.numbers import hourly, signed_percent
from submissions.formatting.text import join_or, plural

NOT_KNOWN_TODAY = "not known today"
SAME = Decimal("0.00005")  # of a price: less is how its parts were rounded when it was stored


def words_of(age: Age, mark: AgeMark) -> str:
    """Why the result has the mark: "$5.40/h when measured, $4.90/h today: −9.26 %"."""
    match mark:
        case AgeMark.OLD_RESULT:
            return f"measured on {age.measured_on}, more than 12 months ago"
        case AgeMark.PRICE_DRIFT if age.drift:
            return drift_words(age.drift)
        case AgeMark.VERSION_EOL:
            return "; ".join(_ended(one) for one in age.past_support)
        case AgeMark.TYPE_RETIRED:
            return _gone(age)
    raise ValueError(f"no result has the mark {mark}")


def drift_words(drift: Drift) -> str:
    then = f"{hourly(drift.then_usd)} when measured"
    if drift.today_usd is None or drift.change is None:
        return f"{then}, {NOT_KNOWN_TODAY}: {drift.why_unknown.rstrip('.')}"
    if abs(drift.change) < SAME:
        return f"{then}, the same today"
    return f"{then}, {hourly(drift.today_usd)} today: {signed_percent(drift.change)}"


def short_words(age: Age) -> str:
    """Of a badge: the only mark, or how many there are; empty without any."""
    if len(age.marks) != 1:
        return plural(len(age.marks), "note on age", "notes on age") if age.marks else ""
    [mark] = age.marks
    if mark == AgeMark.PRICE_DRIFT and age.drift and age.drift.change is not None:
        return f"price {signed_percent(age.drift.change)}"
    return _SHORT[mark]


def all_words(age: Age) -> list[str]:
    return [words_of(age, mark) for mark in age.marks]


def not_known(age: Age) -> list[str]:
    """What no mark can be computed from: unknown is not fine."""
    unknown = [] if age.measured_on else ["when it was measured"]
    unknown += [words for one in age.software if (words := _unknown_support(one))]
    if age.drift is not None and age.drift.today_usd is None:
        unknown.append(f"the price today: {age.drift.why_unknown.rstrip('.')}")
    return unknown


def caveat(ages: Sequence[Age], shown: str = "best results") -> str:
    """How many rows of a board have a mark; empty where none has."""
    marked = sum(bool(age.marks) for age in ages)
    return f"{marked:,} of {len(ages):,} {shown} have a note on age." if marked else ""


def meaning() -> str:
    """What can make a result old: of badges with room for one word."""
    return join_or([AgeMark(mark).label for mark in AgeMark.MARKS])


def ordinal(rank: str) -> str:
    """ "3" -> "3rd", of a rank; "2-4" -> "2-4"."""
    if not rank.isdigit():
        return rank
    last_two, last = int(rank) % 100, int(rank) % 10
    ending = "th" if 10 <= last_two <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(last, "th")
    return f"{rank}{ending}"


def _name(one: Software) -> str:
    product = one.product or ""
    name = service_name(product) if one.kind == Kind.SERVICE else f"JDK {product}".rstrip()
    return f"{name} {one.version}" if one.version else name


def _ended(one: Software) -> str:
    if one.cycle is None:
        raise ValueError("nothing is known of its support")
    return f"support of {_name(one)} ended {'by' if one.cycle.is_bound else 'on'} {one.cycle.eol}"


def _unknown_support(one: Software) -> str:
    if one.version is None:
        return f"the version of {_name(one)}"
    if one.cycle is None:
        return f"until when {_name(one)} is supported"
    if one.cycle.eol is None:
        return f"whether {_name(one)} is still supported (it was on {one.cycle.as_of})"
    return ""


def _gone(age: Age) -> str:
    if age.place is None or age.gone is None:
        raise ValueError("the type is in the price list, or was in none")
    listed = f"{provider_name(age.place.provider)}'s price list of {age.gone.list_day} for {age.place.region}"
    return f"{age.place.instance_type} is not in {listed}; last seen there on {age.gone.last_seen}"


_SHORT = {
    AgeMark.OLD_RESULT: "old",  # beside the day and how long ago it was
    AgeMark.VERSION_EOL: "unsupported version",
    AgeMark.TYPE_RETIRED: "type delisted",
}
