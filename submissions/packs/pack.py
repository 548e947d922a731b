"""What a pack gives: its results by key, and of each what the pipeline made of its files."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from benchsite.http.refusals import Refusal
from submissions.ingest.pipeline import Prepared


@dataclass(frozen=True, slots=True)
class Entry:
    """A result of a pack."""

    key: str  # never changes: what is loaded is recognised by it
    license: str  # an SPDX identifier
    attribution: str  # the words that every copy must carry; "" where the licence asks for none
    replaces: tuple[str, ...] = ()  # keys of earlier versions of the pack, which had parts of it as results


class Pack(Protocol):
    name: str  # that of its folder in submissions/data/packs/

    @property
    def version(self) -> str:
        """With another one everything is loaded again, and what differs is replaced."""

    def entries(self) -> Sequence[Entry]:
        """All of them, in the order in which they are loaded. Cheap: read from an index, no data is unpacked."""

    def prepared(self, keys: Collection[str]) -> Iterator[tuple[Entry, Prepared | Refusal]]:
        """What is to be stored of these, in the order of the pack. Lazy: only one at a time is in memory."""
