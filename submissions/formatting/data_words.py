"""How much data a result is about, and what part of the memory it is, in words."""

from typing import Protocol

from submissions.analysis.data_size import FITS_BELOW, DataSize
from submissions.formatting.numbers import size

UNKNOWN = "unknown"
FITS = "data fits in memory"
FITS_SHORT = "fits in memory"  # in a column of data


class WithData(Protocol):
    """A Submission."""

    @property
    def data_to_memory(self) -> float | None: ...


def amount_words(data: DataSize | None) -> str:
    """ "93.1 GiB at the start, 1.86 TiB at the end, 998 GiB on average"."""
    if data is None:
        return UNKNOWN
    if data.is_stated:
        return f"{size(data.mean_bytes)}, as stated"
    if not data.is_changing:
        return size(data.mean_bytes)
    return (
        f"{size(data.start_bytes)} at the start, {size(data.end_bytes)} at the end, {size(data.mean_bytes)} on average"
    )


def fits(row: WithData) -> bool:
    """Whether it is known that all copies are smaller than the memory of the database nodes."""
    return row.data_to_memory is not None and row.data_to_memory < FITS_BELOW
