"""The end of each transaction that stores a result adds it to the totals: planning that costs more than doing it."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0018_totals'),
    ]

    operations = [
        migrations.RunSQL(
            "ALTER FUNCTION submissions_totals_settle() SET plan_cache_mode = force_generic_plan",
            "ALTER FUNCTION submissions_totals_settle() RESET plan_cache_mode",
        ),
    ]
