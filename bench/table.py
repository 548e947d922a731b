"""The table that a bench prints: one row for each thing, a group of columns for each size."""

from collections.abc import Sequence

from bench.measures import Measure


def table(measures: Sequence[Measure]) -> str:
    """Milliseconds (median, p95) and the ratio of the medians to the floor's, for each size.

    The last column is the median at the largest size against that at the smallest.
    """
    sizes = sorted({measure.size for measure in measures})
    cells = {(measure.what, measure.size): measure for measure in measures}
    names = list(dict.fromkeys(measure.what for measure in measures))
    rows = [_head(sizes), *([name, *_cells(name, sizes, cells)] for name in names)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [_line(row, widths) for row in rows]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def _head(sizes: Sequence[int]) -> list[str]:
    head = ["median / p95 ms (x floor)"]
    for size in sizes:
        head += [f"{size:,} submissions", "floor", "ratio"]
    return head if len(sizes) == 1 else [*head, f"{_short(sizes[-1])} : {_short(sizes[0])}"]


def _cells(name: str, sizes: Sequence[int], cells: dict[tuple[str, int], Measure]) -> list[str]:
    row = []
    for size in sizes:
        measure = cells[name, size]
        row += [
            f"{_ms(measure.timing.median_ms)} / {_ms(measure.timing.p95_ms)}",
            _ms(measure.floor.median_ms),
            f"{measure.ratio:.1f} x",
        ]
    if len(sizes) > 1:
        smallest, largest = cells[name, sizes[0]], cells[name, sizes[-1]]
        row.append(f"{largest.timing.median_ms / smallest.timing.median_ms:.2f} x")
    return row


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = (
        cell.ljust(width) if not at else cell.rjust(width)
        for at, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join([first, *rest]).rstrip()


def _ms(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}"


def _short(size: int) -> str:
    return f"{size // 1000}k" if size >= 1000 and size % 1000 == 0 else str(size)
