"""After a test that commits, only tables with rows are emptied: TRUNCATE makes new files for every table and index."""

from typing import Any

import pytest

_MADE_BY_MIGRATE = ("django_content_type", "auth_permission")  # they stay, so that nothing is made again after a flush


@pytest.fixture(scope="session", autouse=True)
def empty_by_deleting():
    """Sequences go on, as they do after Django's own flush."""
    from django.core.management.commands import flush
    from django.db.backends.postgresql.operations import DatabaseOperations

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush, "emit_post_migrate_signal", lambda *arguments, **options: None)
        patch.setattr(DatabaseOperations, "sql_flush", _statements)
        yield


def _statements(operations: Any, style: Any, tables: Any, **options: Any) -> list[str]:
    names = [operations.quote_name(table) for table in tables if table not in _MADE_BY_MIGRATE]
    # As TRUNCATE does: waits for transactions that go on in other threads, so that what they commit goes, too
    lock = f"LOCK TABLE {', '.join(names)} IN ACCESS EXCLUSIVE MODE"
    delete = "; ".join(f"IF EXISTS (SELECT 1 FROM {name}) THEN DELETE FROM {name}; END IF" for name in names)
    # without triggers, those of foreign keys as well: all rows go
    return [lock, "SET LOCAL session_replication_role = replica", f"DO $$ BEGIN {delete}; END $$"]
