"""Fills the p99 of stored results: as ingest does, by batches that each are a transaction of their own."""

from pathlib import Path

from django.db import migrations

_FILL = (Path(__file__).parent / "sql" / "p99_at_most.sql").read_text(encoding="utf-8")
_BATCH = 2_000


def fill(apps, schema_editor):
    """May be stopped and begun again: what is filled stays as it is."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(min(id), 0), coalesce(max(id), -1) FROM submissions_submission")
        first, last = cursor.fetchone()
        for start in range(first, last + 1, _BATCH):
            cursor.execute(_FILL, {"first": start, "last": start + _BATCH - 1})


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('submissions', '0050_p99_at_most'),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
