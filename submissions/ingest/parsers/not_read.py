"""Lines that begin like a result of their tool and could not be read: they are counted, and the first are shown."""

from collections.abc import Iterable

_MOST_SHOWN = 3
_MOST_CHARACTERS = 160


class NotRead:
    """The lines of one run."""

    def __init__(self) -> None:
        self.count = 0
        self._first: list[str] = []

    def add(self, line: str) -> None:
        self.count += 1
        shown = line.strip()[:_MOST_CHARACTERS]
        if len(self._first) < _MOST_SHOWN and shown not in self._first:
            self._first.append(shown)

    def lines(self) -> tuple[str, ...]:
        """The first ones, each once."""
        return tuple(self._first)

    @classmethod
    def total(cls, parts: Iterable["NotRead"]) -> "NotRead":
        whole = cls()
        for part in parts:
            whole.count += part.count
            whole._first += [line for line in part._first if line not in whole._first]
        del whole._first[_MOST_SHOWN:]
        return whole
