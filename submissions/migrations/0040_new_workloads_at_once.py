"""The statement of an upload writes a workload that nobody has sent a result of, too."""

from pathlib import Path

from django.db import migrations

_SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0039_totals_at_once'),
    ]

    operations = [
        migrations.RunSQL("DROP FUNCTION submissions_ready", (_SQL / "ready.sql").read_text(encoding="utf-8")),
        migrations.RunSQL(
            (_SQL / "ready_new_workload.sql").read_text(encoding="utf-8"), "DROP FUNCTION submissions_ready"
        ),
    ]
