"""Runs that would fill an empty cell: another app registers what this site can run, and what each run would cost."""

from collections.abc import Callable, Collection, Mapping
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


def _no_runs(keys: Collection[RunKey]) -> Mapping[RunKey, CellRun]:
    return {}


@dataclass(frozen=True, slots=True)
class Runs:
    """What a site can run: databases and works, on machine families of providers.

    `priced` leaves out what has no known price, or costs more than a run of this site may; the usual families, one a
    provider, take it next to no time.
    """

    loads: frozenset[tuple[str, Work]] = frozenset()
    families: Mapping[str, frozenset[str]] = field(default_factory=dict)
    usual_families: Mapping[str, str] = field(default_factory=dict)
    priced: Callable[[Collection[RunKey]], Mapping[RunKey, CellRun]] = _no_runs

    def can_run(self, key: RunKey) -> bool:
        """As far as it is known without a price."""
        return (key.service, key.work) in self.loads and key.machine_family in self.families.get(key.provider, ())


Source = Callable[[], Runs]

_sources: list[Source] = []


def register(source: Source) -> None:
    """For AppConfig.ready. What it gives is the same for every reader, and costs few queries however many cells."""
    if source not in _sources:
        _sources.append(source)


def possible_runs() -> Runs:
    """Of the app that starts runs; none where no app does."""
    return _sources[0]() if _sources else Runs()
