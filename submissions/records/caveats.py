"""What the reader of a chart of submissions must know: how old its prices are, how often was measured, by whom."""

from collections.abc import Sequence

from submissions.choices import Trust
from submissions.models import Submission


def of_rows(rows: Sequence[Submission]) -> list[str]:
    """Of what a chart of costs draws, as sentences; nothing is said of no rows. No query."""
    return [*of_prices(rows), *of_measuring(rows)]


def of_prices(rows: Sequence[Submission]) -> list[str]:
    """Of the prices that each row was stored with."""
    return [sentence for sentence in (_prices(rows), _stated(rows)) if sentence]


def of_measuring(rows: Sequence[Submission]) -> list[str]:
    return [sentence for sentence in (_once(rows), _historical(rows)) if sentence]


def _prices(rows: Sequence[Submission]) -> str:
    days = sorted({row.price_date for row in rows if row.price_date})
    if not days:
        return ""
    if len(days) == 1:
        return f"Prices of {days[0]:%Y-%m-%d}."
    return f"Prices of {days[0]:%Y-%m-%d} to {days[-1]:%Y-%m-%d}: each system at those of its own time."


def _stated(rows: Sequence[Submission]) -> str:
    return _share(rows, sum(row.is_price_stated for row in rows), "a cost that the submitter stated", verb="has,have")


def _once(rows: Sequence[Submission]) -> str:
    once = sum(row.trials_count == 1 for row in rows)
    return _share(rows, once, "measured once: how much the rate varies is unknown", verb="was,were")


def _historical(rows: Sequence[Submission]) -> str:
    return _share(
        rows, sum(row.trust == Trust.HISTORICAL for row in rows), "from articles, without a raw log", verb="is,are"
    )


def _share(rows: Sequence[Submission], count: int, words: str, *, verb: str) -> str:
    """ "2 of 5 were measured once"; nothing where it is none of them."""
    if not count:
        return ""
    one, many = verb.split(",")
    if len(rows) == 1:
        return f"The system {one} {words}."
    if count == len(rows):
        return f"All {count:,} systems {many} {words}."
    return f"{count:,} of {len(rows):,} systems {one if count == 1 else many} {words}."
