"""The p99 of a result, or the bound that its slowest type of operation gives it: columns, filled by the next migration."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0047_short_link_use'),
    ]

    operations = [
        migrations.AddField(
            model_name='submission',
            name='latency_p99_at_most_ms',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='submission',
            name='latency_p99_is_bound',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='submission',
            name='latency_p99_bound_of',
            field=models.CharField(blank=True, db_default='', default='', max_length=100),
        ),
    ]
