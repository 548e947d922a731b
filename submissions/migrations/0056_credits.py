"""Whom charts of a workload have to name is found by an index; a dump counts its licences."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0055_packs'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='dataset',
            name='licenses',
            field=models.JSONField(db_default=[], default=list),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(condition=models.Q(('attribution', ''), _negated=True), fields=['workload', 'attribution'], name='attributions_of_a_workload'),
        ),
    ]
