"""Puts price lists of several sources together: one history of each price, with the day when it was last seen."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

from submissions.pricing.book.quotes import DatedPrice

Series = tuple[str, str, str, str, str]
_DAY = timedelta(days=1)


def merged(lists: Sequence[Iterable[DatedPrice]]) -> list[DatedPrice]:
    """The changes of every price, by series and day. Of two lists that cover the same days the earlier one counts.

    A list covers the days from the first to the last on which it has a price. A later list that has the same price
    confirms it, for as long as it saw it.
    """
    by_series: dict[Series, list[list[DatedPrice]]] = defaultdict(list)
    for prices in lists:
        own: dict[Series, list[DatedPrice]] = defaultdict(list)
        for price in prices:
            own[price.series].append(price)
        for series, history in own.items():
            by_series[series].append(history)
    return [price for series in sorted(by_series) for price in changes(_preferred(by_series[series]))]


def changes(history: Iterable[DatedPrice]) -> list[DatedPrice]:
    """Prices of one series without repetitions: one that is seen again was only confirmed."""
    kept: list[DatedPrice] = []
    for price in sorted(history, key=lambda price: price.valid_from):
        if kept and kept[-1].usd == price.usd:
            kept[-1] = replace(kept[-1], last_seen=max(kept[-1].last_seen, price.last_seen))
            continue
        if kept and kept[-1].last_seen >= price.valid_from:
            kept[-1] = replace(kept[-1], last_seen=max(kept[-1].valid_from, price.valid_from - _DAY))
        kept.append(price)
    return kept


def _preferred(histories: Sequence[Sequence[DatedPrice]]) -> Iterator[DatedPrice]:
    """Of days that two lists cover the earlier list, and what confirms its price: it may have been seen later."""
    covered: list[tuple[date, date, Sequence[DatedPrice]]] = []
    for history in histories:
        for price in history:
            covering = [known for first, last, known in covered if first <= price.valid_from <= last]
            if not covering or _in_force(covering[0], price.valid_from) == price.usd:
                yield price
        first, last = min(price.valid_from for price in history), max(price.last_seen for price in history)
        covered.append((first, last, history))


def _in_force(history: Sequence[DatedPrice], day: date) -> Decimal:
    begun = [price for price in history if price.valid_from <= day]
    return max(begun, key=lambda price: price.valid_from).usd
