"""Why a run gave no result, in the tool's own words."""

import re
from dataclasses import dataclass

_MAX_QUOTE = 200
_EXCEPTION = re.compile(r"(?:[\w.$]+\.)?[A-Z]\w*(?:Exception|Error)(?:: .*)?$")
_THREAD = re.compile(r'Exception in thread "[^"]{0,100}" ')
_WRAPPER = re.compile(r"(?:[\w.$]+\.)?[A-Z]\w*(?:Exception|Error): (?=\S)")
_NO_REASON = "Failed to execute stress action"  # the tool's exit, of whatever cause


def exception_in(line: str) -> str:
    """What the line says of an exception, without the name of its thread; "" if it says nothing."""
    if "Exception" not in line and "Error" not in line:
        return ""
    text = _THREAD.sub("", line, count=1)
    return text if _EXCEPTION.match(text) and _NO_REASON not in text else ""


@dataclass(slots=True)
class Reasons:
    """Remembers the line before the usage text, and the first and the last exception."""

    usage: str | None = None
    first: str | None = None
    last: str | None = None
    _previous: str = ""

    def read(self, line: str) -> None:
        """Take any line that is neither a row nor part of a summary or of the settings."""
        if line.startswith("Usage:") and self.usage is None:
            self.usage = self._previous or None
        if line.strip():
            self.note(line, exception_in(line))

    def note(self, line: str, exception: str) -> None:
        """The same of a line with text whose exception is known."""
        if exception:
            self.last = exception
            self.first = self.first or exception
        self._previous = line

    @property
    def of_no_start(self) -> str | None:
        """Why nothing was measured at all: what went wrong first."""
        return _readable(self.usage or self.first)

    @property
    def of_no_success(self) -> str | None:
        """Why operations failed: what went wrong last, for the first error may be one of connecting."""
        return _readable(self.last)


def _readable(reason: str | None) -> str | None:
    """Without the names of wrapping exceptions, cut to a length that can be shown."""
    text = (reason or "").strip()
    while match := _WRAPPER.match(text):
        text = text[match.end() :]
    if len(text) > _MAX_QUOTE:
        text = text[: _MAX_QUOTE - 3].rstrip() + "..."
    return text or None
