"""benchsite export: a filtered list of results to a file, row by row, whatever its length."""

import itertools
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

from benchsite_cli import output
from benchsite_cli.errors import Failure
from benchsite_cli.site import Json, Parameters, Site

ROWS_AT_ONCE = 5_000
_PAGE = ("page_size", "200")
LIST = "submissions/"
_NO_PARQUET = "Parquet needs pyarrow: pip install 'benchsite-cli[parquet]'"


class Format(StrEnum):
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


Filters = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME=VALUE]...", help="Filters of the list: service=cassandra max_p99_ms=20"),
]
To = Annotated[str, typer.Option("--output", "-o", help="A file; - is the output")]
FormatOption = Annotated[Format | None, typer.Option("--format", help="Else by the name of the file")]


def export(filters: Filters = None, to: To = "-", format_: FormatOption = None) -> None:
    """Write all results that the filters leave, in the order of the list (ordering=-ops_per_usd)."""
    params = [_parameter(text) for text in filters or ()]
    kind = format_ or _format_of(to)
    writer: Callable[[Site, Parameters, BinaryIO], int] = {
        Format.CSV: _write_csv,
        Format.JSON: _write_json,
        Format.PARQUET: _write_parquet,
    }[kind]
    with Site.configured(needs_token=False) as site, _target(to) as file:
        count = writer(site, params, file)
    output.complain(f"{output.plural(count, 'result')}{f' in {to}' if to != '-' else ''}")


def _parameter(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise Failure(f"{text!r} is no filter: write NAME=VALUE, such as service=cassandra")
    return name, value


def _format_of(to: str) -> Format:
    suffix = Path(to).suffix.lstrip(".").lower()
    return Format(suffix) if suffix in set(Format) else Format.CSV


@contextmanager
def _target(to: str) -> Iterator[BinaryIO]:
    """The file appears when it is whole."""
    if to == "-":
        yield sys.stdout.buffer
        return
    path = Path(to)
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(path)
    except OSError as error:
        raise Failure(f"{to}: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)


def _write_csv(site: Site, params: Parameters, file: BinaryIO) -> int:
    """As the site streams it."""
    lines = 0
    with site.stream(LIST, [*params, ("format", "csv")]) as response:
        is_quoted = False
        for chunk in response.iter_bytes():
            file.write(chunk)
            for index, part in enumerate(chunk.split(b'"')):
                is_quoted = is_quoted if index == 0 else not is_quoted
                lines += 0 if is_quoted else part.count(b"\n")
    return max(lines - 1, 0)


def _write_json(site: Site, params: Parameters, file: BinaryIO) -> int:
    """One array, a row a line."""
    count = 0
    file.write(b"[")
    for count, row in enumerate(site.pages(LIST, [*params, _PAGE]), start=1):
        separator = ",\n" if count > 1 else "\n"
        file.write(f"{separator}{json.dumps(row, ensure_ascii=False)}".encode())
    file.write(b"\n]\n")
    return count


def _write_parquet(site: Site, params: Parameters, file: BinaryIO) -> int:
    """Columns have the types of the first rows; what is a list or a mapping is JSON."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise Failure(_NO_PARQUET) from error
    batches = _batched(site.pages(LIST, [*params, _PAGE]), ROWS_AT_ONCE)
    first = next(batches, None)
    if first is None:
        raise Failure("no result matches: a Parquet file without rows has no columns")
    schema = pa.schema([(name, _type(name, first, pa)) for name in first[0]])
    count = 0
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for rows in itertools.chain([first], batches):
            cells = [{field.name: _cell(row.get(field.name), field.type, pa) for field in schema} for row in rows]
            writer.write_table(pa.Table.from_pylist(cells, schema=schema))
            count += len(rows)
    return count


def _batched(rows: Iterable[Json], size: int) -> Iterator[list[Json]]:
    iterator = iter(rows)
    while batch := list(itertools.islice(iterator, size)):
        yield batch


def _type(name: str, rows: list[Json], pa: Any) -> Any:
    """Integers only where the name says so: a measurement may be whole in all of the first rows."""
    values = [row[name] for row in rows if row[name] is not None]
    if values and all(isinstance(value, bool) for value in values):
        return pa.bool_()
    if values and all(isinstance(value, int | float) for value in values):
        is_count = name == "id" or name.endswith(("_count", "_factor")) or name in ("errors", "threads")
        return pa.int64() if is_count else pa.float64()
    if not values and name.endswith(("_ms", "_ops_s")):
        return pa.float64()
    return pa.string()


def _cell(value: Any, kind: Any, pa: Any) -> Any:
    if value is None or kind != pa.string():
        return value
    return value if isinstance(value, str) else json.dumps(value)
