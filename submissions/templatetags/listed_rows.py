"""The rows of the list of results, each built once a process for as long as it shows the same."""

from datetime import datetime

from django import template

from submissions.models import VersionMemory
from submissions.records.list.rows import ListedRows
from submissions.templatetags.results import ResultTable, RowParts, age_mark, row_parts, table_of

_ROWS = 2_000  # some 2 kB each

register = template.Library()
_memory: VersionMemory[tuple[int, datetime], RowParts] = VersionMemory(_ROWS)


@register.simple_tag
def listed_table(listed: ListedRows) -> ResultTable:
    """Each with a box to compare it. No query where all rows are known, else at most five."""
    known = {} if listed.version is None else {key: _memory.get(listed.version, key) for key in listed.keys}
    missing = [key for key in listed.keys if known.get(key) is None]
    rows, ages = listed.read([pk for pk, _ in missing])
    for key in missing:
        if row := rows.get(key[0]):
            made = known[key] = row_parts(row, True, age_mark(ages.get(row.pk)))
            if listed.version is not None:
                _memory.set(listed.version, key, made)
    found = (known.get(key) for key in listed.keys)
    return table_of([parts for parts in found if parts is not None])
