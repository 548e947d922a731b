"""The curves of a submission's intervals as they are stored: compressed JSON beside the file, a few kilobytes."""

import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, fields
from typing import Any

from pydantic_core import from_json, to_json

from submissions.analysis.curves.interval_curves import (
    ClientCurve,
    Point,
    PrintedTrial,
    RunCurves,
    TrialCurve,
    WarmUpTest,
    is_usable,
    run_curves,
)
from submissions.analysis.curves.steady_state import Interval, Row, WarmUp
from submissions.ingest.curves.intervals import COLUMNS, row_of
from submissions.ingest.logs.trial_results import TrialResult

FORMAT = 1  # raise it when what follows, or the arithmetic behind it, changes: stored ones are made again

ALL_OPERATIONS = "total"

_SCALARS = tuple(field.name for field in fields(ClientCurve) if field.name not in ("points", "intervals"))
# of a file, by the names of Row; one of an older site may lack some
_ROW = {
    "end_s": "elapsed_seconds",
    "operations": "operations",
    "errors": "errors",
    "rate_ops_s": "throughput_ops_s",
    "p99_ms": "p99_ms",
    "gc_ms": "gc_ms",
    "gc_count": "gc_count",
}


def curves_of_results(trials: Sequence[TrialResult], at_peak: Collection[int]) -> RunCurves:
    """Of the trials that are about to be stored; `at_peak`: the indexes of those that the figures are made of."""
    return run_curves(
        [
            _printed(index, COLUMNS, ([row_of(each) for each in series] for series in trial.intervals))
            for index, trial in enumerate(trials)
            if index in at_peak
        ]
    )


def curves_of_content(content: dict[str, Any], elsewhere: Collection[int] = ()) -> RunCurves:
    """Of the content of an interval file, see intervals.py, without the trials `elsewhere`."""
    return run_curves(
        [
            _printed(trial["index"], content["columns"], trial["clients"])
            for trial in content["trials"]
            if trial["index"] not in elsewhere
        ]
    )


def packed(curves: RunCurves) -> bytes:
    """Columns: they compress better than rows."""
    content = {
        "trials": [
            {
                "index": trial.index,
                "has_p99_of_slowest": trial.has_p99_of_slowest,
                "clients": [
                    {
                        **{name: getattr(client, name) for name in _SCALARS},
                        "points": list(zip(*client.points, strict=True)),
                        "intervals": list(zip(*client.intervals, strict=True)),
                    }
                    for client in trial.clients
                ],
            }
            for trial in curves.trials
        ],
        "warm_up": asdict(curves.warm_up) if curves.warm_up else None,
    }
    return zlib.compress(to_json(content))


def unpacked(stored: bytes | memoryview) -> RunCurves:
    """What was `packed`."""
    content = from_json(zlib.decompress(stored))
    trials = tuple(
        TrialCurve(trial["index"], tuple(map(_client, trial["clients"])), trial["has_p99_of_slowest"])
        for trial in content["trials"]
    )
    test = content["warm_up"]
    return RunCurves(trials, WarmUpTest(**{**test, "why": test["why"] and WarmUp(test["why"])}) if test else None)


def _client(stored: dict[str, Any]) -> ClientCurve:
    return ClientCurve(
        **{name: stored[name] for name in _SCALARS},
        points=tuple(map(Point._make, zip(*stored["points"], strict=True))),
        intervals=tuple(map(Interval._make, zip(*stored["intervals"], strict=True))),
    )


def _printed(index: int, columns: Sequence[str], clients: Iterable[Sequence[Sequence[Any]]]) -> PrintedTrial:
    found = [_rows_of_client(columns, rows) for rows in clients]
    return PrintedTrial(index, tuple(rows for rows, _ in found), any(is_slowest for _, is_slowest in found))


def _rows_of_client(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> tuple[tuple[Row, ...], bool]:
    """Those over all types, and whether their p99s are those of the slowest of several types."""
    place = columns.index("operation")
    places = [columns.index(name) if name in columns else None for name in _ROW.values()]
    by_type: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        read = Row._make([None if at is None else row[at] for at in places])
        if is_usable(read):
            by_type[row[place]].append(read)
    totals = by_type.pop(ALL_OPERATIONS, [])
    if not totals:  # of a tool without rows over all types, those of its only type
        return (tuple(next(iter(by_type.values()))) if len(by_type) == 1 else ()), False
    if by_type and all(row.p99_ms is None for row in totals):
        totals = _with_slowest(totals, by_type.values())
        return tuple(totals), len(by_type) > 1 and any(row.p99_ms is not None for row in totals)
    return tuple(totals), False


def _with_slowest(totals: Sequence[Row], types: Iterable[Sequence[Row]]) -> list[Row]:
    """Each row with the highest p99 of the active operation types; None where one of them has none."""
    p99s: dict[float, list[float | None]] = defaultdict(list)
    for rows in types:
        for row in rows:
            if row.operations != 0:
                p99s[row.end_s].append(row.p99_ms)
    return [row._replace(p99_ms=_highest_known(p99s[row.end_s])) for row in totals]


def _highest_known(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return max(known) if known and len(known) == len(values) else None
