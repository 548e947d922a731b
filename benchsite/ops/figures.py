"""The figures that operators watch: each app registers its own, /ops/ and /metrics show the same ones."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import structlog

log = structlog.get_logger(__name__)


class Kind(StrEnum):
    COUNT = "count"
    AGE = "age"  # seconds
    BYTES = "bytes"
    USD = "usd"
    FLAG = "flag"  # 1 or 0


@dataclass(frozen=True, slots=True)
class Figure:
    """`value` None: never, or unknown; then Prometheus gets no sample."""

    name: str  # of the metric, without the prefix: "uploads_oldest_seconds"
    label: str
    value: float | None
    kind: Kind = Kind.COUNT
    alarm: str = ""  # what is wrong, in a sentence
    labels: Mapping[str, str] = field(default_factory=dict)  # of the metric


UNKNOWN = "figures_unknown"  # the only figure of a section whose source failed

Source = Callable[[], Iterable[Figure]]
SOURCES: dict[str, Source] = {}


def register(section: str, source: Source) -> None:
    """Called once by each app when it is ready; the order is that of the page."""
    SOURCES[section] = source


def sections() -> list[tuple[str, list[Figure]]]:
    """Every figure, by section. One source that fails leaves the others: this page is read when something is broken."""
    return [(section, _figures(section, source)) for section, source in SOURCES.items()]


def _figures(section: str, source: Source) -> list[Figure]:
    try:
        return list(source())
    except Exception:  # whatever it is
        log.exception("figures of operators failed", section=section)
        return [Figure(UNKNOWN, "These figures", None, alarm="They could not be read: see the log.")]
