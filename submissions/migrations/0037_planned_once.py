"""The parts of a submission are counted with it."""

from pathlib import Path

from django.db import migrations

_SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0036_load_points_of_types'),
    ]

    operations = [
        migrations.RunSQL((_SQL / "parts.sql").read_text(encoding="utf-8"), migrations.RunSQL.noop),
        migrations.RunSQL((_SQL / "totals_add.sql").read_text(encoding="utf-8"), migrations.RunSQL.noop),
        # Connections ask for plans without the values of parameters (benchsite/postgresql/base.py). Here the value
        # decides: an id near the last one, after which there are few rows.
        migrations.RunSQL(
            "ALTER FUNCTION submissions_data_state(timestamptz) SET plan_cache_mode = auto",
            "ALTER FUNCTION submissions_data_state(timestamptz) RESET plan_cache_mode",
        ),
    ]
