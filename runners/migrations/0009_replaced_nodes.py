from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("runners", "0008_volume_links"),
    ]

    operations = [
        migrations.AddField(
            model_name="runnode",
            name="replaced_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddConstraint(
            model_name="runnode",
            constraint=models.UniqueConstraint(
                condition=models.Q(("replaced_at", None)),
                fields=("run", "role", "index"),
                name="one_node_a_place",
            ),
        ),
    ]
