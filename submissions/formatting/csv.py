"""Rows as CSV, streamed; no cell can become a formula in a spreadsheet."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.http import StreamingHttpResponse
from django.utils import timezone

CONTENT_TYPE = "text/csv; charset=utf-8"
_LINES_A_CHUNK = 200
_NUMBERS = frozenset({int, float})
# With their full-width forms, which spreadsheets of some languages take for them
FORMULA_STARTS = tuple(
    "=+-@\t\r\n\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}"
)


class _Echo:
    """A file that returns what is written."""

    def write(self, text: str) -> str:
        return text


_WRITER = csv.writer(_Echo())


def csv_line(values: Iterable[Any]) -> str:
    """A line of CSV, its end included; null is an empty cell."""
    line: str = _WRITER.writerow([value if type(value) in _NUMBERS else cell(value) for value in values])
    return line


def file_name(name: str) -> str:
    """The file of "value-by-cloud" is benchsite-value-by-cloud-<day>.csv."""
    return f"benchsite-{name}-{timezone.now().date().isoformat()}.csv"


def csv_response(columns: Sequence[str], rows: Iterable[Iterable[Any]], name: str) -> StreamingHttpResponse:
    """The header and a line for each of `rows`."""
    response = StreamingHttpResponse(_chunks(columns, rows), content_type=CONTENT_TYPE)
    response["Content-Disposition"] = f'attachment; filename="{file_name(name)}"'
    return response


def _chunks(columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    lines = [csv_line(columns)]
    for row in rows:
        lines.append(csv_line(row))
        if len(lines) >= _LINES_A_CHUNK:
            yield "".join(lines)
            lines.clear()
    yield "".join(lines)


def cell(value: Any) -> Any:
    """Text that a spreadsheet would run as a formula gets a leading apostrophe; numbers stay; lists join by ";"."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        value = ";".join(str(item) for item in value)
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return f"'{value}"
    return value
