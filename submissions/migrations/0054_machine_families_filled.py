"""Fills the machine family of stored results: a transaction for each batch of a machine type."""

from django.db import migrations

from submissions.pricing.providers import billing_of

_BATCH = 5_000
_FILL = """
    UPDATE submissions_submission SET machine_family = %s WHERE id IN (
        SELECT id FROM submissions_submission
        WHERE instance_type = %s AND provider = %s AND machine_family IS NULL ORDER BY id LIMIT %s
    )
"""


def fill(apps, schema_editor):
    """May be stopped and begun again: what is filled stays as it is."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT provider, instance_type FROM submissions_submission")
        for provider, instance_type in cursor.fetchall():
            family = billing_of(provider).family_of(instance_type)
            while family is not None:
                cursor.execute(_FILL, [family, instance_type, provider, _BATCH])
                if cursor.rowcount < _BATCH:
                    break


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('submissions', '0053_packs_and_machines'),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
