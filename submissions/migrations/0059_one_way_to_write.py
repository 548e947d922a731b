"""One way to write a submission: the functions of the others go, and the best results with a log have an index."""

from pathlib import Path

from django.db import migrations, models

_SQL = Path(__file__).parent / "sql"
_OLD = "DROP FUNCTION IF EXISTS submissions_ready, submissions_before, submissions_locked_usage, submissions_usage;"


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0057_aggregates'),
    ]

    operations = [
        migrations.RunSQL(
            f"{_OLD}\n{(_SQL / 'submissions_usage.sql').read_text(encoding='utf-8')}", migrations.RunSQL.noop
        ),
        migrations.RemoveIndex(model_name='submission', name='accounts_of_a_workload'),
        migrations.RemoveIndex(model_name='submission', name='traced_of_a_workload'),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(models.F('workload'), models.OrderBy(models.F('throughput_ops_s'), descending=True, nulls_last=True), condition=models.Q(('trust', 'uploaded'), _negated=True), name='with_log_by_throughput'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(models.F('workload'), models.OrderBy(models.F('ops_per_usd'), descending=True, nulls_last=True), condition=models.Q(('trust', 'uploaded'), _negated=True), name='with_log_by_value'),
        ),
    ]
