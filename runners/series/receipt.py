"""What a series cost: the sum of the receipts of all its runs, those that were made again included."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from runners.models import Run
from submissions.formatting.numbers import decimal_text


@dataclass(frozen=True, slots=True)
class SeriesReceipt:
    runs: int  # that ended
    open_runs: int  # their machines may cost money now
    total_usd: Decimal | None  # of those that ended; None where a price is missing
    missing: str
    left_behind: int  # resources that could not be deleted

    def as_json(self) -> dict[str, Any]:
        return {
            "runs": self.runs,
            "open_runs": self.open_runs,
            "total_usd": decimal_text(self.total_usd),
            "missing": self.missing,
            "left": self.left_behind,
        }


def receipt_of_runs(runs: Iterable[Run]) -> SeriesReceipt:
    """A run that ended without ever having had a machine has no receipt, and cost nothing."""
    every = list(runs)
    ended = [run for run in every if run.is_final]
    receipts = [run.receipt for run in ended if run.receipt]
    totals = [receipt["total_usd"] for receipt in receipts]
    missing = next((str(receipt["missing"]) for receipt in receipts if receipt["total_usd"] is None), "")
    without = [run.pk for run in ended if run.receipt is None and run.launched_at is not None]
    if without and not missing:
        missing = f"the receipt of run {without[0]}"
    return SeriesReceipt(
        runs=len(ended),
        open_runs=len(every) - len(ended),
        total_usd=None if missing else sum((Decimal(total) for total in totals), Decimal(0)),
        missing=missing,
        left_behind=sum(receipt["left"] for receipt in receipts),
    )
