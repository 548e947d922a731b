"""A found result as the page shows it: its words with those of the search marked, and its figures."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.safestring import SafeString

from submissions.formatting.names import cluster_name, place_name, service_name, tool_name
from submissions.models import Submission
from submissions.search.marks import Marker
from submissions.search.terms import Asked

COLUMNS = ("notes", "source", "tool_version")  # beside those of a table


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
