"""Puts price lists of several sources together: one history of each price, with the day when it was last seen."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta

from submissions.pricing.quotes import DatedPrice

Series = tuple[str, str, str, str, str]
_DAY = timedelta(days=1)


def merged(lists: Sequence[Iterable[DatedPrice]]) -> list[DatedPrice]:
    """The changes of every price, by series and day. Of two lists that cover the same days the earlier one counts.

    A list covers the days from the first to the last on which it has a price.
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
    covered: list[tuple[date, date]] = []
    for history in histories:
        for price in history:
            if not any(first <= price.valid_from <= last for first, last in covered):
                yield price
        covered.append((min(price.valid_from for price in history), max(price.last_seen for price in history)))
