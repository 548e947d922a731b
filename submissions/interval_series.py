"""The interval series of a submission for its chart: few enough points to draw, no percentile averaged."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import fmean
from typing import Any

from submissions.charts import Series
from submissions.ingest import intervals
from submissions.ingest.storage import open_kept
from submissions.models import Artifact

MOST_POINTS = 300  # of one series
MOST_SERIES = 12
ALL_OPERATIONS = "total"


@dataclass(frozen=True, slots=True)
class IntervalView:
    """`bin_seconds` is None where every printed row is a point of its own."""

    series: tuple[Series, ...]
    bin_seconds: int | None
    left_out: int  # series beyond MOST_SERIES


def interval_view(artifacts: Iterable[Artifact]) -> IntervalView | None:
    """None when there is no interval file, or its bytes are gone."""
    for artifact in artifacts:
        try:
            with open_kept(artifact.sha256) as stored:
                content = intervals.unpacked(stored.read())
        except FileNotFoundError:
            return None
        return view_of(content)
    return None


def view_of(content: dict[str, Any]) -> IntervalView | None:
    """One series for each client of each trial, over all operation types together."""
    named = [
        (_name(trial["index"], number, len(trial["clients"])), _totals(content["columns"], rows))
        for trial in content["trials"]
        for number, rows in enumerate(trial["clients"], start=1)
    ]
    named = [(name, rows) for name, rows in named if rows]
    if not named:
        return None
    shown = named[:MOST_SERIES]
    bin_seconds = _bin_seconds([rows for _, rows in shown])
    return IntervalView(
        series=tuple(_series(name, rows, bin_seconds) for name, rows in shown),
        bin_seconds=bin_seconds,
        left_out=len(named) - len(shown),
    )


def _name(trial_index: int, client_number: int, clients: int) -> str:
    name = f"trial {trial_index + 1}"
    return name if clients == 1 else f"{name}, client {client_number}"


def _totals(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    """The rows over all operation types; of a tool without such rows, those of its only type."""
    named = [dict(zip(columns, row, strict=True)) for row in rows]
    totals = [row for row in named if row["operation"] == ALL_OPERATIONS]
    if totals or len({row["operation"] for row in named}) > 1:
        return totals
    return named


def _bin_seconds(series: Sequence[Sequence[dict[str, Any]]]) -> int | None:
    if max(len(rows) for rows in series) <= MOST_POINTS:
        return None
    longest = max(row["elapsed_seconds"] for rows in series for row in rows)
    return max(1, ceil(longest / MOST_POINTS))


def _series(name: str, rows: Sequence[dict[str, Any]], bin_seconds: int | None) -> Series:
    points = [(row["elapsed_seconds"], row["throughput_ops_s"], row["p99_ms"]) for row in rows]
    if bin_seconds is not None:
        points = _binned(points, bin_seconds)
    return Series(
        name=name,
        elapsed_seconds=[point[0] for point in points],
        throughput_ops_s=[point[1] for point in points],
        latency_p99_ms=[point[2] for point in points],
    )


def _binned(
    points: Sequence[tuple[float, float | None, float | None]], seconds: int
) -> list[tuple[float, float | None, float | None]]:
    """The mean rate and the highest p99 of each bin; its end is its place on the time axis."""
    bins: dict[int, list[tuple[float | None, float | None]]] = defaultdict(list)
    for elapsed, rate, p99 in points:
        bins[max(0, ceil(elapsed / seconds) - 1)].append((rate, p99))
    merged = []
    for number, members in sorted(bins.items()):
        rates = [rate for rate, _ in members if rate is not None]
        p99s = [p99 for _, p99 in members if p99 is not None]
        merged.append(
            (
                float((number + 1) * seconds),
                fmean(rates) if rates else None,
                max(p99s, default=None),
            )
        )
    return merged
