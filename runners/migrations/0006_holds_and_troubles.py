from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runners', '0005_sweeps_and_blocked_runs'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='held_by',
            field=models.CharField(max_length=20, null=True),
        ),
        migrations.AddField(
            model_name='run',
            name='troubles',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
    ]
