"""The words by which submissions and workloads are found.

Fills those of all submissions with one statement, and builds the index after it. Reading goes on meanwhile; who
writes submissions waits.
"""

from pathlib import Path

import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
from django.db import migrations, models

_SQL = Path(__file__).parent / "sql" / "search.sql"
_UNDO = """
DROP TRIGGER submissions_search_added ON submissions_submission;
DROP TRIGGER submissions_search_changed ON submissions_submission;
DROP TRIGGER submissions_search_removed ON submissions_submission;
DROP FUNCTION submissions_search_note, submissions_search_forget, submissions_search_words_of, submissions_search_words;
"""
_FILL = """INSERT INTO submissions_searchentry (submission_id, words)
SELECT s.id, submissions_search_words_of(s) FROM submissions_submission s ORDER BY s.id"""


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0029_many_logs_at_once'),
    ]

    operations = [
        migrations.CreateModel(
            name='SearchEntry',
            fields=[
                ('submission', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='search_entry', serialize=False, to='submissions.submission')),
                ('words', django.contrib.postgres.search.SearchVectorField()),
            ],
        ),
        migrations.RunSQL(_SQL.read_text(encoding="utf-8"), _UNDO),
        migrations.RunSQL(_FILL, migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name='searchentry',
            index=django.contrib.postgres.indexes.GinIndex(fields=['words'], gin_pending_list_limit=512, name='words_of_submissions'),
        ),
        migrations.AddIndex(
            model_name='workload',
            index=django.contrib.postgres.indexes.GinIndex(models.Func(models.F('title'), function='submissions_search_words', output_field=django.contrib.postgres.search.SearchVectorField()), name='words_of_workloads'),
        ),
        migrations.RunSQL("ANALYZE submissions_searchentry; ANALYZE submissions_workload", migrations.RunSQL.noop),
    ]
