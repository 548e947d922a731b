"""The embedded PostgreSQL takes little of a small machine and more of a large one, within bounds."""

import pytest

from benchsite.processes import machine
from benchsite.processes.machine import MIB, postgres_options


@pytest.mark.parametrize(
    ("gib", "shared_buffers", "work_mem"), [(1, "32MB", "4MB"), (24, "48MB", "12MB"), (1024, "1024MB", "32MB")]
)
def test_postgresql_has_its_share_of_the_machine(gib, shared_buffers, work_mem):
    options = postgres_options(gib * 1024 * MIB)

    assert (options["shared_buffers"], options["work_mem"]) == (shared_buffers, work_mem)
    assert options["effective_cache_size"] == f"{gib * 512}MB"


@pytest.mark.parametrize(("limit", "expected"), [("1073741824\n", 1024**3), ("max\n", None), (None, None)])
def test_a_container_has_the_memory_that_it_may_use(limit, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "CGROUP_LIMIT", tmp_path / "memory.max")
    whole = machine.memory_bytes()
    if limit:
        (tmp_path / "memory.max").write_text(limit)

    assert machine.memory_bytes() == (expected or whole)


def test_the_running_server_has_them(db):
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT setting::bigint * 8192 FROM pg_settings WHERE name = 'shared_buffers'")
        assert cursor.fetchone()[0] == int(postgres_options(machine.memory_bytes())["shared_buffers"][:-2]) * MIB
