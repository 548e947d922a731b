"""A statement has a limit of time, by what the process is for."""

import copy

import pytest
from django.db import connection
from django.db.backends.postgresql.base import DatabaseWrapper

from benchsite.postgresql.databases import limit_statements


@pytest.mark.django_db
def test_new_connections_have_the_limit_beside_other_options(settings):
    database = copy.deepcopy(connection.settings_dict)
    database["OPTIONS"]["options"] = "-c lock_timeout=7000"
    settings.DATABASES = {"default": database}

    limit_statements(20, idle_seconds=90)

    limited = DatabaseWrapper(database)
    with limited.cursor() as cursor:
        shown = [
            cursor.execute(f"SHOW {name}").fetchone()[0]
            for name in ("statement_timeout", "lock_timeout", "idle_session_timeout")
        ]
    limited.close()
    assert shown == ["20s", "7s", "90s"]
