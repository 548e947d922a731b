"""The price lists that can be read from a cloud now, and what each takes."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from submissions.pricing.quotes import DatedPrice
from submissions.pricing.sources import aws, gce


@dataclass(frozen=True, slots=True)
class LiveSource:
    """`fetch(regions, today=...)` raises PriceSourceError."""

    fetch: Callable[..., Iterator[DatedPrice]]
    has_spot: bool = False  # `fetch` takes `with_spot`
    has_endpoint: bool = False  # `fetch` takes `endpoint`: another address of the API, asked without credentials


LIVE_SOURCES: Mapping[str, LiveSource] = {
    "aws": LiveSource(aws.fetch, has_spot=True),
    "gce": LiveSource(gce.fetch, has_endpoint=True),
}
