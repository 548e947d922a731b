"""Once a function of the database: 0059 drops it where it was made."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0039_totals_at_once'),
    ]

    operations = []
