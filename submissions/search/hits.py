"""A found result as the page shows it: its words with those of the search marked, and its figures."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils.html import escape
from django.utils.safestring import SafeString

from submissions.formatting.names import cluster_name, place_name, service_name, tool_name
from submissions.models import Submission
from submissions.search.terms import Asked

COLUMNS = ("notes", "source", "tool_version")  # beside those of a table
_AROUND = 90  # characters on each side of the first match in a long text


@dataclass(frozen=True, slots=True)
class Hit:
    row: Submission
    title: SafeString
    facts: tuple[SafeString, ...]
    excerpt: SafeString  # of the source or the notes; empty where nothing in them matches
    is_exact: bool  # its number was searched for


def hits(rows: Iterable[Submission], search: Asked) -> list[Hit]:
    marker = Marker(search)
    return [
        Hit(
            row,
            marker.marked(row.title or "Untitled"),
            tuple(marker.marked(fact) for fact in _facts(row)),
            marker.excerpt(row.source) or marker.excerpt(row.notes),
            is_exact=row.pk == search.number,
        )
        for row in rows
    ]


def _facts(row: Submission) -> list[str]:
    """Cluster, place, database, load, JDK and disk, as far as they are known."""
    caches = f" + {row.cache_node_count} cache" if row.cache_node_count else ""
    factor = f"RF {row.replication_factor}" if row.replication_factor else ""
    facts = (
        cluster_name(row.node_count, row.instance_type) + caches,
        place_name(row.provider, row.region),
        _words(service_name(row.service), row.service_version),
        _words(tool_name(row.tool), row.operation, row.consistency_level, factor),
        _words("JDK", row.jdk_version, row.jdk_vendor) if row.jdk_version else "",
        row.disk_kind or "",
    )
    return [fact for fact in facts if fact]


def _words(*parts: str | None) -> str:
    return " ".join(part for part in parts if part)


class Marker:
    """Marks the terms of one search in texts: everything else is escaped, and nothing is left out or added."""

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
