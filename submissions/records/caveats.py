"""What the reader of a chart must know: how old its prices are, which were stated, which results were measured once."""

from collections.abc import Sequence

from submissions.choices import ClientPlacement, Trust
from submissions.formatting.text import HAS, IS, WAS, join_and, share_of
from submissions.models import Submission
from submissions.pricing.book.dating import price_words
from submissions.pricing.providers import billing_of
from submissions.pricing.reprice import confirmed, price_dates

MOST_NAMES = 3


def of_rows(rows: Sequence[Submission]) -> list[str]:
    """Of what a chart of costs draws, as sentences; none about no rows. No query."""
    return [*of_prices(rows), *of_measuring(rows)]


def of_prices(rows: Sequence[Submission]) -> list[str]:
    """Of the prices that the rows have."""
    dated = price_words(price_dates(row for row in rows if not row.is_price_stated))
    sentences = [f"{dated}." if dated else "", _old_prices(rows)]
    if stated := sum(row.is_price_stated for row in rows):
        sentences.append(f"{_share(stated, rows, HAS)} a cost that the submitter stated.")
    return [sentence for sentence in sentences if sentence]


def of_measuring(rows: Sequence[Submission]) -> list[str]:
    sentences = []
    if averaged := sum(row.averaged_over is not None for row in rows):
        sentences.append(f"{_share(averaged, rows, IS)} the mean of trials that the source averaged and does not give.")
    if once := sum(row.trials_count == 1 and row.averaged_over is None for row in rows):
        sentences.append(f"{_share(once, rows, WAS)} measured once: how much the rate varies is unknown.")
    if historical := sum(row.trust == Trust.HISTORICAL for row in rows):
        sentences.append(from_articles(historical, len(rows)))
    return sentences


def of_clients(rows: Sequence[Submission]) -> str:
    """That the load took CPU time from the database; empty where it came from other machines, or that is unknown."""
    shared = sum(row.client_placement == ClientPlacement.ON_DATABASE for row in rows)
    if not shared:
        return ""
    if shared == len(rows):
        return "Load clients ran on the database's machine, and took CPU time from it."
    return f"Load clients ran on the database's machine in {shared:,} of {len(rows):,} results."


def of_bursting(rows: Sequence[Submission]) -> str:
    """That machine types ran on CPU credits, which a long load uses up; empty where none did."""
    types = {row.instance_type: None for row in rows if billing_of(row.provider).is_burstable(row.instance_type)}
    if not types:
        return ""
    names = [*types][:MOST_NAMES] + ([f"{len(types) - MOST_NAMES:,} more"] if len(types) > MOST_NAMES else [])
    return f"Burstable machine types ran on CPU credits, and do less under a long load: {join_and(names)}."


def from_articles(historical: int, total: int) -> str:
    """About the results whose figures were published without a log."""
    source = "an article" if historical == 1 else "articles"
    return f"{share_of(historical, total, 'result', ('comes', 'come'))} from {source}, without a raw log."


def _old_prices(rows: Sequence[Submission]) -> str:
    old = sum(bool(confirmed(row)) for row in rows)
    return f"{_share(old, rows, HAS)} a price that was last confirmed more than 12 months before." if old else ""


def _share(count: int, rows: Sequence[Submission], verb: tuple[str, str]) -> str:
    return share_of(count, len(rows), "result", verb)
