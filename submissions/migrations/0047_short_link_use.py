"""The day on which a short link was used last; for those that are there, the day of the upgrade."""

from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0046_upload_heartbeat'),
    ]

    operations = [
        migrations.AddField(
            model_name='shortlink',
            name='last_used_on',
            field=models.DateField(db_default=Now()),
        ),
    ]
