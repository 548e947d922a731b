"""The fingerprint of a workload without its database and consistency level, of stored workloads too."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0048_newest_first'),
    ]

    operations = [
        migrations.AddField(
            model_name='workload',
            name='load_fingerprint',
            field=models.GeneratedField(db_index=True, db_persist=True, expression=models.Func(models.F('canonical'), models.Value(['service', 'consistency_level'], output_field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)), arg_joiner=' - ', output_field=models.CharField(max_length=16), template='left(md5((%(expressions)s::text[])::text), 16)'), output_field=models.CharField(max_length=16)),
        ),
    ]
