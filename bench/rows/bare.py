"""A table without its indexes while it is filled; they are made again afterwards, one on each core."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import psycopg

MEMORY = "512MB"  # of each index that is made


@dataclass(frozen=True, slots=True)
class Index:
    name: str
    table: str
    definition: str
    constraint: str | None  # which it belongs to

    @property
    def dropped(self) -> str:
        if self.constraint:
            return f'ALTER TABLE "{self.table}" DROP CONSTRAINT "{self.constraint}"'
        return f'DROP INDEX "{self.name}"'

    @property
    def attached(self) -> str | None:
        if not self.constraint:
            return None
        return f'ALTER TABLE "{self.table}" ADD CONSTRAINT "{self.constraint}" UNIQUE USING INDEX "{self.name}"'


_INDEXES = """
SELECT class.relname, of.relname, pg_get_indexdef(class.oid), con.conname
FROM pg_index JOIN pg_class AS class ON class.oid = indexrelid JOIN pg_class AS of ON of.oid = indrelid
LEFT JOIN pg_constraint AS con ON con.conindid = indexrelid AND con.contype = 'u'
WHERE of.relname = ANY(%s) AND NOT indisprimary AND of.relnamespace = 'public'::regnamespace
ORDER BY pg_relation_size(class.oid) DESC
"""


def drop_indexes(address: str, tables: Sequence[str]) -> list[Index]:
    """All but primary keys, which are filled in order and found by references."""
    with psycopg.connect(address, autocommit=True) as connection:
        indexes = [Index(*row) for row in connection.execute(_INDEXES, [list(tables)])]
        with connection.transaction():
            for index in indexes:
                connection.execute(index.dropped)
    return indexes


def make_indexes(address: str, indexes: Sequence[Index]) -> None:
    def make(index: Index) -> None:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(f"SET maintenance_work_mem = '{MEMORY}'")
            connection.execute("SET max_parallel_maintenance_workers = 0")  # several are made at a time
            connection.execute(index.definition)

    in_parallel([lambda index=index: make(index) for index in indexes])
    with psycopg.connect(address, autocommit=True) as connection:
        for index in indexes:
            if index.attached:
                connection.execute(index.attached)


def in_parallel(tasks: Sequence[Callable[[], None]]) -> None:
    """As many at a time as there are cores, in their order; the first error is raised."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for done in [pool.submit(task) for task in tasks]:
            done.result()
