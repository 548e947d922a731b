from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runners", "0002_cloud_access_and_notices"),
    ]

    operations = [
        migrations.AddField(
            model_name="runoutput",
            name="original_sha256",
            field=models.CharField(max_length=64, null=True),
        ),
    ]
