"""Once a function of the database: 0059 drops it where it was made."""

from django.conf import settings
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0034_at_slo'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = []
