"""Brings the database of a site of commit 591e9fb4, the last one before 0001_current, to that state; a new site has it.

Its totals, tallies and segments go with their triggers and functions; figures are counted anew, by readers and workers.
"""

import importlib
from types import SimpleNamespace
from typing import Any

from django.db import migrations
from pgtrigger.migrations import AddTrigger

CURRENT: Any = importlib.import_module("submissions.migrations.0001_current")
NEW_MODELS = ("Aggregate", "QueuedChange", "SiteCount", "WorkloadFigures")
NEW_INDEXES = ("with_log_by_throughput", "with_log_by_value")
WITHOUT = """
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT tgname, tgrelid::regclass AS of_table FROM pg_trigger
               JOIN pg_proc ON pg_proc.oid = tgfoid
               WHERE NOT tgisinternal AND (proname LIKE 'submissions\\_%' OR tgrelid::regclass::text LIKE 'submissions\\_%')
    LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', one.tgname, one.of_table);
    END LOOP;
    -- an index has the words
    FOR one IN SELECT oid::regprocedure AS name FROM pg_proc
               WHERE pronamespace = current_schema()::regnamespace AND proname <> 'submissions_search_words'
               AND (proname LIKE 'submissions\\_%' OR proname LIKE 'pgtrigger\\_%')
    LOOP
        EXECUTE format('DROP FUNCTION %s CASCADE', one.name);
    END LOOP;
END
$$;
DROP TABLE submissions_tallypart, submissions_tally, submissions_rowchange, submissions_totalschange,
    submissions_configurationtotals, submissions_grouptotals, submissions_noisetotals, submissions_traittotals,
    submissions_workloadtotals, submissions_segmentversion, submissions_reachedid;
DROP TYPE submissions_totals_counted, submissions_totals_group;
DROP INDEX accounts_of_a_workload, traced_of_a_workload, submissions_publicrun_key_7b80641e_like;
"""
QUEUE_ALL = "INSERT INTO submissions_queuedchange (workload_id, is_new) SELECT id, false FROM submissions_workload"


def upgrade(apps: Any, schema_editor: Any) -> None:
    if "submissions_tally" not in schema_editor.connection.introspection.table_names():
        return
    schema_editor.execute(WITHOUT, params=None)
    for name in NEW_MODELS:
        schema_editor.create_model(apps.get_model("submissions", name))
    submission = apps.get_model("submissions", "Submission")
    for index in submission._meta.indexes:
        if index.name in NEW_INDEXES:
            schema_editor.add_index(submission, index)
    schema_editor.execute(CURRENT.all_functions(), params=None)
    state: Any = SimpleNamespace(apps=apps)
    for operation in CURRENT.Migration.operations:
        if isinstance(operation, AddTrigger):
            operation.database_forwards("submissions", schema_editor, state, state)
    schema_editor.execute(QUEUE_ALL)


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0001_current'),
    ]

    operations = [
        migrations.RunPython(upgrade, migrations.RunPython.noop),
    ]
