"""Reads latte's JSON report in bounded memory: its log has three histograms for every sample."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from submissions.ingest.parsers.errors import ParseError
from submissions.ingest.parsers.numbers import count, finite

_MAX_CHARACTERS = 32 * 1024 * 1024  # without the log
_MAX_SAMPLES = 1_000_000
_LOG = '"log": ['
_MEASURED = frozenset({"n", "value", "std_err"})
# What of a sample is used: the rest, above all its histograms, is dropped at once.
_SAMPLE_KEYS = (
    "time_s",
    "duration_s",
    "cycle_count",
    "cycle_error_count",
    "req_error_count",
    "cycle_throughput",
)


@dataclass(frozen=True, slots=True)
class Report:
    """The report; a measured `{"n", "value", "std_err"}` is its value."""

    document: dict[str, Any]
    samples: tuple[dict[str, Any], ...]

    def at(self, *path: str) -> Any:
        """The value at this path, None if there is none."""
        value: Any = self.document
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def number(self, *path: str) -> float | None:
        return finite(self.at(*path))

    def whole(self, *path: str) -> int | None:
        return count(self.at(*path))


def read_report(lines: Iterable[str]) -> Report:
    """Parse a report; latte prints it with line ends, a tool may have taken them out.

    Raises ParseError when it is cut short or not JSON.
    """
    reader = _Reader()
    for line in lines:
        reader.read(line)
    return reader.report()


class _Reader:
    """Takes the samples of the log out one by one, by the indentation that latte prints."""

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._kept_characters = 0
        self._log_indent: int | None = None  # while inside the log
        self._sample: list[str] = []
        self._sample_characters = 0
        self._samples: list[dict[str, Any]] = []

    def read(self, line: str) -> None:
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        if self._log_indent is None:
            self._keep(text)
            if text == _LOG:
                self._log_indent = indent
        elif indent <= self._log_indent:
            self._log_indent = None
            self._keep(text)
        else:
            self._read_sample(text, ends=text in ("}", "},") and indent == self._log_indent + 2)

    def report(self) -> Report:
        document = _parse("\n".join(self._kept))
        result = document.get("result") if isinstance(document, dict) else None
        if not isinstance(result, dict):
            raise ParseError("no result in the latte report")
        log = result.pop("log", None)
        for sample in log if isinstance(log, list) else []:
            self._add(sample)
        return Report(document=document, samples=tuple(self._samples))

    def _keep(self, text: str) -> None:
        self._kept_characters += len(text) + 1
        if self._kept_characters > _MAX_CHARACTERS:
            raise ParseError("the latte report is too long")
        self._kept.append(text)

    def _read_sample(self, text: str, *, ends: bool) -> None:
        self._sample_characters += len(text)
        if self._sample_characters > _MAX_CHARACTERS:
            raise ParseError("the latte report is too long")
        self._sample.append(text)
        if ends:
            self._add(_parse("\n".join(self._sample).removesuffix(",")))
            self._sample, self._sample_characters = [], 0

    def _add(self, sample: object) -> None:
        if len(self._samples) >= _MAX_SAMPLES:
            raise ParseError(f"more than {_MAX_SAMPLES:,} samples in the latte report")
        if isinstance(sample, dict):
            used = {key: sample.get(key) for key in _SAMPLE_KEYS}
            latency = sample.get("cycle_latency")
            if isinstance(latency, dict):
                used["cycle_latency"] = {
                    "mean": latency.get("mean"),
                    "percentiles": latency.get("percentiles"),
                }
            self._samples.append(used)


def _parse(text: str) -> Any:
    try:
        return json.loads(text, object_hook=_value, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise ParseError("the latte report is cut short or not JSON") from error


def _value(content: dict[str, Any]) -> Any:
    return content["value"] if content.keys() == _MEASURED else content
