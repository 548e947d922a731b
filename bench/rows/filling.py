"""Fills a whole site: without indexes and triggers while rows are copied, then all that is computed from the rows."""

from collections.abc import Callable
from typing import Any

import psycopg
from django.conf import settings
from django.db import connection
from django.utils import timezone

from bench.rows import bare
from bench.rows.multiply import TABLES, Plan, forget, make_base, planned, there
from benchsite.redis.cache import evictable_cache
from submissions.aggregates.check import all_workloads
from submissions.aggregates.store import count_all_again
from submissions.dataset.write import write as write_dump
from submissions.models import Dataset, SearchEntry, fill_search
from tools.synthetic.documents import SOURCE

SLICE = 20_000  # rows of a statement: two of them at a time, and still nearly in the order of ids
UNFINISHED = "bench-rows-unfinished"


def fill(rows: int, *, seed: int, say: Callable[[str], None]) -> None:
    """Until there are `rows` invented submissions."""
    marker = settings.DATA_DIR / UNFINISHED
    if marker.exists():
        raise SystemExit(f"bench: {settings.DATA_DIR} was not finished: remove it")
    if (now := there()) > rows:
        raise SystemExit(f"bench: {settings.DATA_DIR} holds {now:,} submissions already, more than {rows:,}")
    marker.touch()
    if now < rows:
        _add(rows, seed, say)
    _compute(say)
    evictable_cache.clear()  # what was counted before
    marker.unlink()
    say(f"{there():,} rows of {SOURCE}")


def _add(rows: int, seed: int, say: Callable[[str], None]) -> None:
    made = make_base(rows, seed=seed)
    say(f"{made:,} rows by make_dataset")
    if not Dataset.objects.exists():  # a site that has grown has had its first dump long ago: none begins meanwhile
        write_dump(timezone.now())
        say("the first dump")
    if made < rows:
        _multiply(planned(rows), say)


def _multiply(plan: Plan, say: Callable[[str], None]) -> None:
    say(f"{plan.end - plan.first:,} more drawn")
    tables = [table._meta.db_table for table in (*TABLES, SearchEntry)]
    connection.close()
    indexes = bare.drop_indexes(settings.DATABASE_URL, tables)
    bare.in_parallel([lambda task=task: _copy(*task) for task in plan.statements(SLICE)])
    say("rows copied")
    fill_search()
    say("words of the search")
    bare.make_indexes(settings.DATABASE_URL, indexes)
    say(f"{len(indexes)} indexes made")
    with connection.cursor() as cursor:
        forget(cursor.execute)


def _copy(statement: str, parameters: dict[str, Any]) -> None:
    """Without triggers and checks of references: what they keep is computed at the end."""
    with psycopg.connect(settings.DATABASE_URL, autocommit=True) as own:
        own.execute("SET session_replication_role = replica")
        own.execute("SET work_mem = '128MB'")
        own.execute("SET jit = off")
        own.execute(statement, parameters)


def _compute(say: Callable[[str], None]) -> None:
    _vacuum()  # what is computed now reads all rows: by statistics of none it would take three times as long
    say("vacuumed and analysed")
    workloads = all_workloads()
    count_all_again(workloads)
    say(f"figures of {len(workloads):,} workloads")
    _vacuum()
    say("vacuumed and analysed")


def _vacuum() -> None:
    with psycopg.connect(settings.DATABASE_URL, autocommit=True) as own:
        own.execute("VACUUM (ANALYZE)")
