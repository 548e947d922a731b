"""Addresses of unlisted submissions were numbered: each gets a link that nobody guesses."""

import secrets

from django.db import migrations, models


def give_keys(apps, schema_editor):
    for submission in apps.get_model("submissions", "Submission").objects.filter(visibility="unlisted").only("pk"):
        submission.link_key = secrets.token_urlsafe(18)
        submission.save(update_fields=["link_key"])


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0009_visibility_changes'),
    ]

    operations = [
        migrations.AddField(
            model_name='submission',
            name='link_key',
            field=models.CharField(max_length=32, null=True, unique=True),
        ),
        migrations.RunPython(give_keys, migrations.RunPython.noop, elidable=True),
    ]
