"""What an account stores is counted as it is stored: documents and files, in bytes and in number."""

from pathlib import Path

from django.conf import settings
from django.db import migrations, models

_SQL = Path(__file__).parent / "sql"
_UNDO = """
DROP TRIGGER submissions_usage_added ON submissions_submission;
DROP TRIGGER submissions_usage_changed ON submissions_submission;
DROP TRIGGER submissions_usage_removed ON submissions_submission;
DROP TRIGGER submissions_usage_added ON submissions_artifact;
DROP TRIGGER submissions_usage_changed ON submissions_artifact;
DROP TRIGGER submissions_usage_removed ON submissions_artifact;
DROP FUNCTION submissions_usage_note_submissions, submissions_usage_note_document, submissions_usage_note_files,
    submissions_usage_note_file, submissions_usage_subtract,
    submissions_usage_add, submissions_document_bytes, submissions_lock_usage, submissions_usage_span;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0044_interval_curves'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AccountUsage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('since', models.DateTimeField()),
                ('bytes', models.BigIntegerField()),
                ('results', models.BigIntegerField()),
                ('account', models.ForeignKey(db_index=False, on_delete=models.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('account', 'since'), name='one_usage_a_span')],
            },
        ),
        migrations.RunSQL(
            (_SQL / "submissions_usage.sql").read_text(encoding="utf-8"), "DROP FUNCTION submissions_usage"
        ),
        migrations.RunSQL((_SQL / "usage.sql").read_text(encoding="utf-8"), _UNDO),
    ]
