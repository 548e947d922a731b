"""A database that was migrated in batches is the one that Django makes operation by operation."""

import os
import re
import subprocess
import sys

import pytest
from django.conf import settings
from django.db import connection, models
from django.db.migrations import AddField, AddIndex, AlterField, CreateModel, Migration, RemoveIndex, RunSQL
from django.db.migrations.state import ProjectState

from benchsite.backup import database
from benchsite.postgresql.batched_migrations import Batch, batch_plan, batched
from benchsite.processes import embedded

MADE = [CreateModel(name, [("id", models.AutoField(primary_key=True))]) for name in ("First", "Second")]
FIELD = AddField("first", "other", models.ForeignKey("a.second", models.CASCADE, null=True))
INDEX = AddIndex("first", models.Index(fields=["other"], name="of_other"))
ALTER = AlterField("first", "other", models.ForeignKey("a.second", models.CASCADE))
PLAIN = """
import django
django.setup()
from django.core.management import call_command
from django.db.models.signals import pre_migrate
from benchsite.postgresql.batched_migrations import batch_plan
assert pre_migrate.disconnect(batch_plan)
call_command("migrate", verbosity=0)
"""


def test_what_is_added_side_by_side_is_a_batch_and_nothing_else():
    sql, remove = RunSQL("SELECT 1"), RemoveIndex("first", "of_other")

    made = [
        each.operations if isinstance(each, Batch) else each
        for each in batched([*MADE, FIELD, INDEX, sql, FIELD, ALTER, remove, INDEX, INDEX, remove])
    ]

    assert made == [MADE, [FIELD, INDEX], sql, FIELD, ALTER, [remove, INDEX, INDEX], remove]


@pytest.mark.parametrize("is_rendered", [False, True])
def test_a_batch_changes_the_state_as_its_operations_do(is_rendered):
    states = []
    for operations in ([*MADE, FIELD, INDEX], [Batch(MADE), Batch([FIELD, INDEX])]):
        state = ProjectState()
        if is_rendered:
            assert not state.apps.get_models()
        for operation in operations:
            operation.state_forwards("a", state)
        assert [field.name for field in state.apps.get_model("a.first")._meta.get_fields()] == ["id", "other"]
        assert [field.name for field in state.apps.get_model("a.second")._meta.get_fields()] == ["first", "id"]
        assert [index.name for index in state.apps.get_model("a.first")._meta.indexes] == ["of_other"]
        states.append(state)

    assert states[0] == states[1]


def test_migrating_back_and_without_a_transaction_stays_as_it_is():
    forward, back, apart = (Migration(name, "a") for name in ("forward", "back", "apart"))
    for migration in (forward, back, apart):
        migration.operations = [FIELD, INDEX]
    apart.atomic = False

    for _ in range(2):  # of two apps
        batch_plan([(forward, False), (back, True), (apart, False)])

    assert [type(operation) for operation in forward.operations] == [Batch]
    assert back.operations == apart.operations == [FIELD, INDEX]


@pytest.mark.django_db
def test_the_schema_is_that_of_migrations_without_batches():
    name = f"plain_{os.getpid()}"
    url = embedded.database_url(settings.DATA_DIR).removesuffix(embedded.DATABASE)
    server = [database.tool_of("psql", 18), f"--dbname={url}postgres", "--quiet", "--command"]
    subprocess.run([*server, f"CREATE DATABASE {name}"], check=True)
    try:
        environment = {**os.environ, "DATABASE_URL": url + name, "ALLOWED_HOSTS": "localhost"}
        subprocess.run([sys.executable, "-c", PLAIN], check=True, cwd=settings.BASE_DIR, env=environment)

        assert schema(url + name) == schema(url + str(connection.settings_dict["NAME"]))
    finally:
        subprocess.run([*server, f"DROP DATABASE {name} WITH (FORCE)"], check=True)


def schema(url):
    tool = database.tool_of("pg_dump", 18)
    dumped = subprocess.run([tool, "--schema-only", url], check=True, capture_output=True, text=True).stdout
    return re.sub(r"\\(un)?restrict .*", "", dumped)
