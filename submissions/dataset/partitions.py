"""The tables of results again, in folders by database and month, as DuckDB, ClickHouse and Spark read a dataset.

`submissions/service=cassandra/month=2026-11/part-0.parquet`: `service` and `month` (of publication) are in the path;
rows of trials and machines are where their submission is. Written beside the single file, from the same columns.
"""

from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

PARTITION_COLUMN = "service"  # of the files; the path has it
MOST_BYTES = 4 * 1024 * 1024  # of rows that wait to be written, all partitions together
MOST_OPEN = 64  # files; a partition that comes again after it was closed goes on in part-1
MOST_GROUPS = 128  # row groups of open files: until a file is closed it has some 70 kB in memory of each


class Partition(NamedTuple):
    service: str
    month: str  # 2026-11

    def folder(self, table: str) -> str:
        return f"{table}/service={quote(self.service, safe='')}/month={self.month}"


class Places:
    """The partition of each submission, by its id; they come in the order of their ids."""

    def __init__(self) -> None:
        self.partitions: list[Partition] = []
        self._known: dict[Partition, int] = {}
        self._ids: list[npt.NDArray[np.int64]] = []
        self._numbers: list[npt.NDArray[np.int32]] = []

    def of_submissions(self, rows: pa.Table) -> npt.NDArray[np.int32]:
        """Indexes of `partitions`; what else belongs to these submissions finds its own by `of` from now on."""
        moments = rows["created_at"].cast(pa.timestamp("us"))  # of UTC; with a zone it would need tzdata
        years, months = pc.year(moments).to_pylist(), pc.month(moments).to_pylist()
        named = (f"{year:04}-{month:02}" for year, month in zip(years, months, strict=True))
        numbers = np.array(
            [self._number(place) for place in map(Partition, rows["service"].to_pylist(), named)], np.int32
        )
        self._ids.append(rows["id"].to_numpy())
        self._numbers.append(numbers)
        return numbers

    def of(self, submissions: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
        if len(self._ids) > 1:
            self._ids, self._numbers = [np.concatenate(self._ids)], [np.concatenate(self._numbers)]
        found: npt.NDArray[np.int32] = self._numbers[0][np.searchsorted(self._ids[0], submissions)]
        return found

    def _number(self, partition: Partition) -> int:
        if partition not in self._known:
            self._known[partition] = len(self.partitions)
            self.partitions.append(partition)
        return self._known[partition]


class Partitions:
    """The files of a table below `place`: rows of each partition wait until they are worth a row group."""

    def __init__(self, table: str, place: Path, schema: pa.Schema, places: Places):
        self.rows: dict[str, int] = {}
        self._table, self._place, self._places = table, place, places
        index = schema.get_field_index(PARTITION_COLUMN) if table == "submissions" else -1
        self._schema = schema if index < 0 else schema.remove(index)
        self._waiting: dict[Partition, list[pa.Table]] = {}
        self._bytes: dict[Partition, int] = {}
        self._parts: dict[Partition, int] = {}
        self._open: dict[Partition, tuple[str, pq.ParquetWriter]] = {}  # the one used last comes last
        self._groups: dict[Partition, int] = {}  # of the open ones

    def add(self, rows: pa.Table) -> None:
        if self._table == "submissions":
            numbers = self._places.of_submissions(rows)
        else:
            numbers = self._places.of(rows["submission"].to_numpy())
        rows = rows.select(self._schema.names)
        for number in np.unique(numbers):
            part = rows.filter(pa.array(numbers == number))
            partition = self._places.partitions[number]
            self._waiting.setdefault(partition, []).append(part)
            self._bytes[partition] = self._bytes.get(partition, 0) + part.nbytes
        while sum(self._bytes.values()) > MOST_BYTES:
            self._write(max(self._bytes, key=self._bytes.__getitem__))

    def finish(self) -> None:
        for partition in sorted(self._waiting):
            self._write(partition)
        self.close()

    def close(self) -> None:
        while self._open:
            self._close(next(iter(self._open)))

    def _write(self, partition: Partition) -> None:
        rows = pa.concat_tables(self._waiting.pop(partition)).cast(self._schema)
        del self._bytes[partition]
        name, writer = self._open.pop(partition) if partition in self._open else self._opened(partition)
        self._open[partition] = name, writer
        writer.write_table(rows)
        self.rows[name] = self.rows.get(name, 0) + len(rows)
        self._groups[partition] += 1
        if sum(self._groups.values()) >= MOST_GROUPS:
            self._close(max(self._groups, key=self._groups.__getitem__))

    def _opened(self, partition: Partition) -> tuple[str, pq.ParquetWriter]:
        if len(self._open) >= MOST_OPEN:
            self._close(next(iter(self._open)))
        number = self._parts[partition] = self._parts.get(partition, -1) + 1
        name = f"{partition.folder(self._table)}/part-{number}.parquet"
        (self._place / name).parent.mkdir(parents=True, exist_ok=True)
        self._groups[partition] = 0
        return name, parquet_writer(self._place / name, self._schema)

    def _close(self, partition: Partition) -> None:
        del self._groups[partition]
        self._open.pop(partition)[1].close()


def parquet_writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    """Without the least and largest text of each row group: they stay in memory until the file is closed."""
    with_statistics = [
        field.name for field in schema if not (pa.types.is_string(field.type) or pa.types.is_list(field.type))
    ]
    return pq.ParquetWriter(path, schema, compression="zstd", write_statistics=with_statistics)
