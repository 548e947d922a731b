"""Runs that would fill an empty cell: another app registers what this site can run, and what each run would cost."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from submissions.questions.recommend.work import Work


class RunKey(NamedTuple):
    """The cell that a run would fill."""

    service: str
    work: Work
    provider: str
    machine_family: str


@dataclass(frozen=True, slots=True)
class CellRun:
    """A plan at the prices of today; `address` is that of the form, filled in."""

    cluster: str  # of its database nodes and its client, in words
    region: str
    expected_usd: Decimal
    worst_case_usd: Decimal
    price_date: date | None  # the oldest price used
    address: str


@dataclass(frozen=True, slots=True)
class Runs:
    """Of a site: what it can run, and the usual family of each provider."""

    by_cell: Mapping[RunKey, CellRun] = field(default_factory=dict)
    usual_families: Mapping[str, str] = field(default_factory=dict)


Source = Callable[[], Runs]

_sources: list[Source] = []


def register(source: Source) -> None:
    """For AppConfig.ready. What it gives is the same for every reader, and costs few queries however many cells."""
    if source not in _sources:
        _sources.append(source)


def possible_runs() -> Runs:
    """Of all sources; an earlier one wins."""
    by_cell: dict[RunKey, CellRun] = {}
    usual: dict[str, str] = {}
    for source in reversed(_sources):
        runs = source()
        by_cell.update(runs.by_cell)
        usual.update(runs.usual_families)
    return Runs(by_cell, usual)
