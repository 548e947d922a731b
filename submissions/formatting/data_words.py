"""How much data a result is about, and what part of the memory it is, in words."""

from typing import Protocol

from submissions.analysis.data_size import FITS_BELOW, DataSize
from submissions.formatting.numbers import significant, size

UNKNOWN = "unknown"
FITS = "data fits in memory"


class WithData(Protocol):
    """A Submission."""

    @property
    def data_bytes(self) -> int | None: ...
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


def ratio_words(ratio: float | None) -> str:
    """ "0.44, data fits in memory", "3.64"; "unknown"."""
    if ratio is None:
        return UNKNOWN
    return f"{significant(ratio)}, {FITS}" if ratio < FITS_BELOW else significant(ratio)


def cell_words(row: WithData) -> str:
    """Of a table: "0.44, data fits in memory (26.8 GiB)"; "unknown (340 MiB)"."""
    known = "" if row.data_bytes is None else f" ({size(row.data_bytes)})"
    return f"{ratio_words(row.data_to_memory)}{known}"
