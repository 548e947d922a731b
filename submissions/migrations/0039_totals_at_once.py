"""What an upload adds to the totals is one statement."""

from pathlib import Path

from django.db import migrations

_SQL = Path(__file__).parent / "sql"


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0038_successors_by_index'),
    ]

    operations = [
        migrations.RunSQL((_SQL / "totals_at_once.sql").read_text(encoding="utf-8"), migrations.RunSQL.noop),
        migrations.RunSQL(
            "DROP FUNCTION submissions_totals_of_traits, submissions_totals_of_groups", migrations.RunSQL.noop
        ),
    ]
