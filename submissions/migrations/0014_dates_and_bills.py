"""Dates say where they come from; those of before were stated. Tests have a bill."""

from django.db import migrations, models

import submissions.choices


def dates_were_stated(apps, schema_editor):
    """Except where a result has none."""
    rows = apps.get_model("submissions", "Submission").objects.filter(measured_at__isnull=False)
    rows.update(measured_at_source="stated")


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0013_price_last_seen'),
    ]

    operations = [
        migrations.AddField(
            model_name='submission',
            name='bill',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='submission',
            name='bill_usd',
            field=models.DecimalField(decimal_places=8, max_digits=20, null=True),
        ),
        migrations.AddField(
            model_name='submission',
            name='measured_at_source',
            field=models.CharField(choices=submissions.choices.DateSource.pairs, max_length=10, null=True),
        ),
        migrations.RunPython(dates_were_stated, migrations.RunPython.noop, elidable=True),
    ]
