"""What is known before submissions are written, in one function of the database."""

from pathlib import Path

from django.conf import settings
from django.db import migrations

_SQL = Path(__file__).parent / "sql" / "before.sql"
_UNDO = "DROP FUNCTION submissions_before"


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0034_at_slo'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [migrations.RunSQL(_SQL.read_text(encoding="utf-8"), _UNDO)]
