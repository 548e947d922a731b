"""The price lists that can be read from a cloud now, and what each takes."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from submissions.pricing.book.quotes import DatedPrice


@dataclass(frozen=True, slots=True)
class LiveSource:
    module: str  # imported when it is asked: each start of a site reads the snapshot, and needs no cloud's library
    has_spot: bool = False  # `fetch` takes `with_spot`
    has_endpoint: bool = False  # `fetch` takes `endpoint`: another address of the API, asked without credentials

    def fetch(self, **options: Any) -> Iterator[DatedPrice]:
        """`options`: `regions`, `today`, and what the source takes. Raises PriceSourceError."""
        fetch: Callable[..., Iterator[DatedPrice]] = import_module(self.module).fetch
        return fetch(**options)


LIVE_SOURCES: Mapping[str, LiveSource] = {
    "aws": LiveSource("submissions.pricing.sources.aws", has_spot=True),
    "gce": LiveSource("submissions.pricing.sources.gce", has_endpoint=True),
}
