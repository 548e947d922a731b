"""What is counted: a kind names the rows that it reads, and how one of them counts."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from submissions.facts import FACTS
from submissions.models import Submission, SubmissionQuerySet

State = dict[str, Any]  # JSON
Number = tuple[int, int]  # what a selector shows of a workload, and what it orders by; 0 where there is nothing


class Kind(ABC):
    """One kind of figures. `code` changes when stored states cannot be read any more."""

    name: str
    code: str

    @abstractmethod
    def rows(self, submissions: SubmissionQuerySet) -> QuerySet[Submission, tuple[Any, ...]] | None:
        """Of the published ones among these what `add` needs; None where `finish` does it all."""

    @abstractmethod
    def add(self, state: State, row: tuple[Any, ...]) -> None:
        """Count one row more."""

    def finish(self, state: State, submissions: Sequence[int]) -> None:  # noqa: B027  most kinds have nothing to
        """What no single row decides: called after the rows of `submissions` were added to the state."""

    def numbers(self, state: State) -> Sequence[Number]:
        """For each of TRUST_FILTERS; () where no selector reads them."""
        return ()

    def labels(self, state: State) -> list[Any]:
        """What a selector shows beside the numbers."""
        return []

    def columns(self, state: State) -> Mapping[str, Any]:
        """The columns of WorkloadFigures that this kind counts."""
        return {}

    def site_counts(self, state: State) -> Mapping[str, int]:
        """What of this workload counts for the whole site: see SiteCount."""
        return {}

    def plain(self, state: State) -> State:
        """Equal for states of the same rows, in whatever order they were added."""
        return state

    def __str__(self) -> str:
        return f"{self.name} {self.code}"


kinds_by_name: dict[str, Kind] = {}
_COUNTED_FACTS = tuple(
    f"{fact.key} {fact.is_counted} {fact.is_varied} {fact.in_configuration}" for fact in FACTS.values()
)


def register(kinds: Iterable[Kind]) -> None:
    """Have these counted for every workload; called once, at the start."""
    kinds_by_name.update({kind.name: kind for kind in kinds})


def registered() -> Sequence[Kind]:
    return tuple(kinds_by_name.values())


def kinds_code() -> str:
    """Of the code that counts all of them, and of the facts that it counts."""
    text = " ".join([*sorted(map(str, registered())), *_COUNTED_FACTS])
    return hashlib.sha256(text.encode()).hexdigest()[:12]
