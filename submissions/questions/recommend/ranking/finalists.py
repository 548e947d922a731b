"""Of the candidates that answer a question the cheapest, the best value and the fastest."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from submissions.choices import Choice
from submissions.questions.recommend.candidates import Candidate
from submissions.questions.recommend.outlook import Likelihood

FINALISTS = 5  # of each kind; the first whose runs hold on average is the answer


class Kind(Choice):
    CHEAPEST = "cheapest"
    BEST_VALUE = "best_value"
    FASTEST = "fastest"


Finalists = Mapping[Kind, Sequence[Candidate]]
Outlook = Callable[[Candidate], Likelihood | None]  # None: the result is gone


def finalists(able: Sequence[Candidate]) -> Finalists:
    """The best first; of equal ones the cheaper, then the newer.

    A result that the load tool held to a rate has neither a value nor a capacity: it is the fastest only where nothing
    else can be named. One of unknown amount of data is an answer only where no other one is. The value is that of
    nodes and disks.
    """
    able = [one for one in able if not one.capacity.is_unknown] or able
    with_price = [one for one in able if one.usd_per_month]
    unheld = [one for one in able if not one.point.is_throttled]
    if not with_price and not unheld:
        return {Kind.FASTEST: _fastest(able)[:FINALISTS]}
    ranked = {
        Kind.CHEAPEST: sorted(with_price, key=lambda one: (one.usd_per_month or 0, -one.point.rate, *_newest(one))),
        Kind.BEST_VALUE: sorted(
            (one for one in unheld if one.hourly_usd),
            key=lambda one: (-_value(one), one.hourly_usd or 0, *_newest(one)),
        ),
        Kind.FASTEST: _fastest(unheld),
    }
    return {kind: ranking[:FINALISTS] for kind, ranking in ranked.items()}


def _fastest(able: Sequence[Candidate]) -> Sequence[Candidate]:
    def order(one: Candidate) -> tuple[Any, ...]:
        return -one.point.rate, one.usd_per_month is None, one.usd_per_month or 0, *_newest(one)

    return sorted(able, key=order)


def chosen(ranked: Finalists, outlook: Outlook) -> dict[Candidate, tuple[Kind, ...]]:
    """One of each kind, the cheapest first; one may be of several kinds."""
    kinds: dict[Candidate, list[Kind]] = {}
    for kind, ranking in ranked.items():
        readable = [(one, likelihood) for one in ranking if (likelihood := outlook(one)) is not None]
        holding = [pair for pair in readable if pair[1].holds_on_average] or readable
        if holding:
            kinds.setdefault(_first(kind, holding), []).append(kind)
    return {one: tuple(own) for one, own in kinds.items()}


def _first(kind: Kind, ranking: Sequence[tuple[Candidate, Likelihood]]) -> Candidate:
    """The first; of the cheapest ones that cost the same, the one most likely to hold."""
    first = ranking[0][0]
    if kind != Kind.CHEAPEST:
        return first
    equal = [pair for pair in ranking if pair[0].usd_per_month == first.usd_per_month]
    return max(equal, key=lambda pair: pair[1].share or pair[1].assumed or 0.0)[0]


def _value(candidate: Candidate) -> Decimal:
    return Decimal(candidate.point.rate) / candidate.hourly_usd if candidate.hourly_usd else Decimal(0)


def _newest(candidate: Candidate) -> tuple[int, int]:
    """The id only makes the order of results of one moment the same each time."""
    return -candidate.point.measured, -candidate.point.pk
