"""The words of a search, marked in texts: everything else is escaped, and nothing is left out or added."""

import re
from collections.abc import Iterator

from django.utils.html import escape
from django.utils.safestring import SafeString

from submissions.search.terms import Asked

_AROUND = 90  # characters on each side of the first match in a long text


class Marker:
    """Marks the terms of one search."""

    def __init__(self, search: Asked):
        patterns = [term.pattern() for term in search.all_terms]
        self._pattern = re.compile("|".join(patterns), re.IGNORECASE) if patterns else None

    def marked(self, text: str) -> SafeString:
        return SafeString("".join(self._parts(text)))

    def excerpt(self, text: str) -> SafeString:
        """The words around the first match, in one line; empty where there is none."""
        line = " ".join(text.split())
        first = self._pattern.search(line) if self._pattern else None
        if first is None:
            return SafeString("")
        start, end = max(0, first.start() - _AROUND), min(len(line), first.end() + _AROUND)
        if start:  # not in the middle of a word, if one ends before the match
            start = line.find(" ", start, first.start()) + 1 or start
        if end < len(line):
            end = max(line.rfind(" ", first.end(), end), first.end())
        before, after = "… " if start else "", " …" if end < len(line) else ""
        return SafeString(f"{before}{self.marked(line[start:end].strip())}{after}")

    def _parts(self, text: str) -> Iterator[str]:
        done = 0
        for match in self._pattern.finditer(text) if self._pattern else ():
            yield escape(text[done : match.start()])
            yield f"<mark>{escape(match[0])}</mark>"
            done = match.end()
        yield escape(text[done:])
