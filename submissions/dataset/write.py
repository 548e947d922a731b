"""Writes a dump of everything public as Parquet and CSV: a snapshot, visible only when it is complete."""

import dataclasses
import gzip
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from benchsite.http.streams import streamed
from benchsite.processes import malloc
from benchsite.storage.temporary import temporary_folder
from submissions.dataset import licenses, schema, texts
from submissions.dataset.columns import Kind, Table, arrow_types
from submissions.dataset.licenses import LicenseCount
from submissions.dataset.schema import PARTITIONED, TABLES
from submissions.formatting.csv import csv_line
from submissions.models import Dataset

if TYPE_CHECKING:
    import pyarrow as pa  # 25 MB, imported where a dump is written

    from submissions.dataset.partitions import Places

MAX_DUMPS = 7  # older ones are deleted
READ_ROWS = 250  # in memory as Python's objects
# A row group of a Parquet file, in memory as its columns; until the file is closed it has some 100 kB of each group
BATCH_ROWS = 5_000
FOLDER = "datasets"  # in the storage
LEFTOVER_AFTER = timedelta(days=1)  # no dump takes that long: files without a row are from one that failed
_STAMP = "%Y%m%dT%H%M%SZ"
_CHUNK_BYTES = 1024 * 1024


def write(now: datetime) -> Dataset:
    """Dump the rows as they are now, and delete all but the last MAX_DUMPS dumps.

    The row of a dump is stored after its last file: a dump that fails is never shown, and a later one deletes
    its files.
    """
    made_at = now.astimezone(UTC).replace(microsecond=0)
    folder = f"{FOLDER}/{made_at.strftime(_STAMP)}"
    with TemporaryDirectory(prefix="dataset-", dir=temporary_folder()) as place:
        rows, counted = _write_tables(Path(place))
        _write_texts(Path(place), made_at, counted)
        files = [store_file(name, Path(place), folder, rows.get(name)) for name in _names(Path(place))]
    dump = Dataset.objects.create(
        made_at=made_at, folder=folder, files=files, licenses=[dataclasses.asdict(count) for count in counted]
    )
    _delete_old(made_at)
    return dump


def write_nightly(now: datetime) -> None:
    """Dump unless there is one of today: a task that is delivered twice makes one."""
    if not Dataset.objects.filter(made_at__date=now.astimezone(UTC).date()).exists():
        write(now)


def delete_dumps_since(moment: datetime) -> int:
    """Delete the dumps that may hold a row of this moment. How many.

    The next one is made at night; where none is left, within minutes.
    """
    dumps = Dataset.objects.filter(made_at__gte=moment.replace(microsecond=0))
    folders = list(dumps.values_list("folder", flat=True))
    dumps.delete()
    for folder in folders:
        _delete(folder)
    return len(folders)


def _write_tables(place: Path) -> tuple[dict[str, int], Sequence[LicenseCount]]:
    """The number of rows in each file, and of results under each licence."""
    malloc.give_memory_back()
    # pyarrow's own pool does not: 35 MB more at the peak. Its writers take the pool that this names when it is loaded
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"

    from submissions.dataset.partitions import Places

    malloc.give_back_libraries()  # 55 MB, most of which is read no more
    rows: dict[str, int] = {}
    places = Places()
    with _snapshot():
        for table in TABLES:
            rows |= write_table(table, place, places)
        return rows, licenses.counted()


@contextmanager
def _snapshot() -> Iterator[None]:
    """Every table as of the same moment, so that there is no trial without its submission."""
    is_outermost = not connection.in_atomic_block
    with transaction.atomic():
        if is_outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def write_table(table: Table, place: Path, places: "Places") -> dict[str, int]:
    import pyarrow as pa

    from submissions.dataset.partitions import Partitions, parquet_writer

    schema = table.arrow_schema
    count = 0
    with ExitStack() as open_files:
        partitions = open_files.enter_context(closing(Partitions(table.name, place, schema, places)))
        path = place / f"{table.name}.parquet"
        parquet = open_files.enter_context(parquet_writer(path, schema))
        text = open_files.enter_context(gzip.open(place / f"{table.name}.csv.gz", "wt", encoding="utf-8", newline=""))
        text.write(csv_line(column.name for column in table.columns))
        waiting: list[pa.Table] = []
        for batch in _batches(table):
            text.writelines(csv_line(_as_texts(row, table)) for row in batch)
            waiting.append(_arrow(table, batch))
            count += len(batch)
            if table.name in PARTITIONED:
                partitions.add(waiting[-1])
            if count % BATCH_ROWS == 0:
                parquet.write_table(pa.concat_tables(waiting))
                waiting.clear()
                malloc.give_back_now()  # 10 MB between blocks in use
        if waiting:
            parquet.write_table(pa.concat_tables(waiting))
        partitions.finish()
    return {f"{table.name}.parquet": count, f"{table.name}.csv.gz": count, **partitions.rows}


def _batches(table: Table) -> Iterator[list[tuple[Any, ...]]]:
    rows = streamed(_rows(table), READ_ROWS)
    while batch := list(islice(rows, min(READ_ROWS, BATCH_ROWS))):
        yield batch


def _rows(table: Table) -> QuerySet[Any, tuple[Any, ...]]:
    """Tuples in the order of the columns. JSON comes as text: as objects it takes ten times the memory."""
    as_text = {
        f"{column.name}_text": Cast(column.field, TextField()) for column in table.columns if column.kind == Kind.JSON
    }
    names = [f"{column.name}_text" if column.kind == Kind.JSON else column.field for column in table.columns]
    rows: QuerySet[Any, tuple[Any, ...]] = table.rows().annotate(**as_text).values_list(*names)
    return rows


def _arrow(table: Table, batch: list[tuple[Any, ...]]) -> "pa.Table":
    import pyarrow as pa

    columns = [
        pa.array(values, type=arrow_types()[column.kind])
        for column, values in zip(table.columns, zip(*batch, strict=True), strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=table.arrow_schema)


def _timestamp(value: datetime) -> str:
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _money(value: Decimal) -> str:
    return format(value, "f")  # str() would write 0E-8


# How a value of this kind is written in CSV; the other kinds are as `csv_line` writes them.
_TEXTS: dict[Kind, Callable[[Any], str]] = {
    Kind.TIMESTAMP: _timestamp,
    Kind.DATE: date.isoformat,
    Kind.USD: _money,
}


def _as_texts(row: tuple[Any, ...], table: Table) -> Iterator[Any]:
    for value, column in zip(row, table.columns, strict=True):
        as_text = _TEXTS.get(column.kind)
        yield value if as_text is None or value is None else as_text(value)


def _write_texts(place: Path, made_at: datetime, counted: Sequence[LicenseCount]) -> None:
    (place / "schema.json").write_text(json.dumps(schema.as_json(), indent=1) + "\n", encoding="utf-8")
    (place / "README.md").write_text(texts.readme(made_at, counted), encoding="utf-8")
    (place / "LICENSE").write_text(texts.license_text(counted), encoding="utf-8")
    sums = [f"{_sha256(place / name)}  {name}\n" for name in _names(place)]
    (place / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")


def _names(place: Path) -> list[str]:
    """Of all files below, as paths from there."""
    return sorted(path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file())


def store_file(name: str, place: Path, folder: str, rows: int | None) -> dict[str, Any]:
    path = place / name
    with path.open("rb") as content:
        stored_as = default_storage.save(f"{folder}/{name}", File(content))
    return {
        "name": name,
        "stored_as": stored_as,
        "size_bytes": path.stat().st_size,
        "sha256": _sha256(path),
        "rows": rows,
    }


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as content:
        while chunk := content.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def _delete_old(now: datetime) -> None:
    """Rows first, so that nothing is listed without its files; then the folders without a row."""
    newest = list(Dataset.objects.values_list("pk", "folder")[:MAX_DUMPS])
    old = Dataset.objects.exclude(pk__in=[pk for pk, _ in newest])
    newest_folders = {folder for _, folder in newest}
    old_folders = set(old.values_list("folder", flat=True))
    old.delete()
    for name in default_storage.listdir(FOLDER)[0]:
        folder = f"{FOLDER}/{name}"
        if folder not in newest_folders and (folder in old_folders or _is_leftover(name, now)):
            _delete(folder)


def delete_all() -> int:
    """Delete every dump; returns how many. What was masked or taken away since is still in them."""
    count, _ = Dataset.objects.all().delete()
    with suppress(FileNotFoundError):  # there never was one
        for name in default_storage.listdir(FOLDER)[0]:
            _delete(f"{FOLDER}/{name}")
    return count


def _is_leftover(name: str, now: datetime) -> bool:
    try:
        started_at = datetime.strptime(name, _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return False  # not the name of a dump
    return started_at < now - LEFTOVER_AFTER


def _delete(folder: str) -> None:
    folders, names = default_storage.listdir(folder)
    for name in names:
        default_storage.delete(f"{folder}/{name}")
    for name in folders:
        _delete(f"{folder}/{name}")
    default_storage.delete(folder)  # an object store has no folders, and ignores it
