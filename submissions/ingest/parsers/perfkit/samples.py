"""The samples that PerfKitBenchmarker publishes: a JSON object a line, with the labels of its metadata."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import finite

_BETWEEN = re.compile(r"\|,?\|")
_YEAR_S = 365 * 86_400
_MAX_SAMPLES = 200_000
_MAX_LABELS = 1000
_MOST_CHARACTERS = 4000  # of a label: longer ones are histograms and series


class Sample(NamedTuple):
    """One figure of a test."""

    test: str
    metric: str
    value: float
    unit: str
    run: str
    at: datetime | None
    labels: Mapping[str, str]

    def started_at(self, seconds: float | None) -> datetime | None:
        """Of a run of this length: samples are stamped when it has ended."""
        return self.at - timedelta(seconds=seconds) if self.at and seconds and seconds < _YEAR_S else None


def is_sample(line: str) -> bool:
    """Whether it has the fields that every sample has."""
    is_object = line.lstrip()[:1] == "{"
    return is_object and '"sample_uri"' in line and '"metric"' in line and ('"labels"' in line or '"metadata"' in line)


def samples(lines: Iterable[str]) -> Iterator[Sample]:
    """In their order; lines that are no sample are passed over, the last may be cut short."""
    number = 0
    for line in lines:
        if not is_sample(line):
            continue
        number += 1
        if number > _MAX_SAMPLES:
            raise ParseError(f"more than {_MAX_SAMPLES:,} samples")
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and (sample := _sample(value)):
            yield sample


def _sample(value: dict[str, Any]) -> Sample | None:
    figure = finite(value.get("value"))
    if figure is None:
        return None
    texts = [str(value.get(name) or "")[:200] for name in ("test", "metric", "unit", "run_uri")]
    return Sample(texts[0], texts[1], figure, texts[2], texts[3], _moment(value.get("timestamp")), _labels(value))


def _moment(value: object) -> datetime | None:
    seconds = finite(value)
    if not seconds or seconds <= 0:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _labels(value: dict[str, Any]) -> dict[str, str]:
    """`|cloud:GCP|,|zone:us-central1-a|`, or the object that it was made of."""
    metadata, text = value.get("metadata"), value.get("labels")
    if isinstance(metadata, dict):
        pairs = [(str(name), str(each)) for name, each in list(metadata.items())[:_MAX_LABELS]]
    elif isinstance(text, str):
        entries = _BETWEEN.split(text.strip()[1:-1], _MAX_LABELS)
        pairs = [(name, each) for name, _, each in (entry.partition(":") for entry in entries)]
    else:
        return {}
    return {name[:200]: each for name, each in pairs if len(each) <= _MOST_CHARACTERS and each not in ("", "None")}
