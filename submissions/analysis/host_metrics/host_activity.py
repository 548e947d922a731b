"""What a run's hosts did second by second during a trial: client CPU, garbage collection, compactions."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import fmean
from typing import NamedTuple

MOST_POINTS = 300  # of a trial: longer ones get longer bins

Points = tuple[float | None, ...]


class Second(NamedTuple):
    """A sample; the events are those that ended in its second, None where the host has no log of them."""

    time: float  # the end of it, since 1970
    cpu_percent: float
    gc_ms: float | None
    compactions: float | None
    compaction_ms: float | None


@dataclass(frozen=True, slots=True)
class TrialActivity:
    """A point for each `bin_seconds` from `start` on, by the clocks of the hosts; () where no host knows.

    client_cpu_percent: of the busiest client, its mean. gc_ms_s: milliseconds of pauses a second of the database node
    that paused most. compactions: running at a time, on all nodes together.
    """

    trial: int  # from 0
    start: float  # since 1970
    bin_seconds: int
    client_cpu_percent: Points
    gc_ms_s: Points
    compactions: Points

    @property
    def end(self) -> float:
        return self.start + self.bin_seconds * max(map(len, self.series), default=0)

    @property
    def series(self) -> tuple[Points, ...]:
        return self.client_cpu_percent, self.gc_ms_s, self.compactions


def seconds(lines: Iterable[str]) -> list[Second]:
    """The samples of a host; ValueError for another file. See host_use.parse."""
    rows = csv.reader(lines)
    columns = next(rows, [])
    if columns[:2] != ["time", "cpu_percent"]:
        raise ValueError("these are not samples of a host")
    places = [columns.index(name) if name in columns else None for name in Second._fields]
    return [
        Second(*(None if place is None else float(row[place]) for place in places))  # type: ignore[arg-type]
        for row in rows
        if len(row) == len(columns)  # the last may be cut
    ]


def activity(
    trial: int, clients: Sequence[Sequence[Second]], databases: Iterable[Sequence[Second]]
) -> TrialActivity | None:
    """Of one trial, from the samples of its hosts; None without a sample of a client.

    Where the load tool ran on the database's own hosts these are the clients, too. Database hosts are read one at a
    time, since there may be hundreds.
    """
    times = [second.time for host in clients for second in host]
    if not times:
        return None
    start, end = min(times) - 1, max(times)
    width = max(1, ceil((end - start) / MOST_POINTS))
    bins = _Bins(start, width, ceil((end - start) / width))
    gc_ms_s: Points = ()
    compactions: Points = ()
    for host in databases:
        if (pauses := _pauses(host)) is not None:
            gc_ms_s = _highest([*([gc_ms_s] if gc_ms_s else []), bins.rates(pauses)])
        if (work := _compactions(host)) is not None:
            compactions = _total([*([compactions] if compactions else []), bins.rates(work)])
    cpu_percent = _highest([bins.means(_cpu(host)) for host in clients])
    return TrialActivity(trial, start, width, cpu_percent, gc_ms_s, compactions)


class _Bins(NamedTuple):
    start: float
    width: int
    number: int

    def means(self, values: Mapping[float, float]) -> Points:
        """The mean of the values in each bin; None in a bin without one."""
        members: list[list[float]] = [[] for _ in range(self.number)]
        for time, value in values.items():
            if (number := self._number(time)) is not None:
                members[number].append(value)
        return tuple(fmean(found) if found else None for found in members)

    def rates(self, values: Mapping[float, float]) -> Points:
        """The sum of the values in each bin, per second."""
        sums = [0.0] * self.number
        for time, value in values.items():
            if (number := self._number(time)) is not None:
                sums[number] += value / self.width
        return tuple(sums)

    def _number(self, time: float) -> int | None:
        number = ceil((time - self.start) / self.width) - 1
        return number if 0 <= number < self.number else None


def _cpu(host: Sequence[Second]) -> dict[float, float]:
    return {second.time: second.cpu_percent for second in host}


def _pauses(host: Sequence[Second]) -> dict[float, float] | None:
    known = {second.time: second.gc_ms for second in host if second.gc_ms is not None}
    return known or None


def _compactions(host: Sequence[Second]) -> dict[float, float] | None:
    """Seconds of compaction in each second of the host: a log names one at its end, so it is spread backwards.

    Those that ended in the same second are taken to have lasted equally long.
    """
    if not any(second.compactions is not None for second in host):
        return None
    work: dict[float, float] = {second.time: 0.0 for second in host}
    for second in host:
        if second.compactions and second.compaction_ms is not None:
            left = second.compaction_ms / 1000 / second.compactions
            at = second.time
            while left > 0:
                work[at] = work.get(at, 0.0) + min(left, 1.0) * second.compactions
                left, at = left - 1.0, at - 1.0
    return work


def _highest(hosts: Sequence[Points]) -> Points:
    """Of each bin the highest value that a host has."""
    columns = zip(*hosts, strict=True)
    return tuple(max((value for value in column if value is not None), default=None) for column in columns)


def _total(hosts: Sequence[Points]) -> Points:
    return tuple(sum(value or 0.0 for value in column) for column in zip(*hosts, strict=True))
