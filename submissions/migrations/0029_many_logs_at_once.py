"""Uploads of many logs: each is a part with its place, its result and the uploader's choice."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0028_public_runs'),
    ]

    operations = [
        migrations.AddField(
            model_name='upload',
            name='batch',
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='submissions.upload'
            ),
        ),
        migrations.AddField(
            model_name='upload', name='position', field=models.PositiveSmallIntegerField(default=0)
        ),
        migrations.AddField(
            model_name='upload', name='result', field=models.PositiveSmallIntegerField(null=True)
        ),
        migrations.AddField(model_name='upload', name='is_chosen', field=models.BooleanField(default=True)),
    ]
