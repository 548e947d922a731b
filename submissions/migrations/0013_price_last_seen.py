"""When a price was last seen; what providers' catalogues say; when each source was last loaded."""

from django.db import migrations, models
from django.db.models import F
from django.db.models.functions import Now


def seen_when_it_began(apps, schema_editor):
    """Nothing else is known of the prices that are there; the next load of the snapshot confirms them."""
    apps.get_model("submissions", "Price").objects.update(last_seen=F("valid_from"))


class Migration(migrations.Migration):
    dependencies = [("submissions", "0012_load_limits")]

    operations = [
        migrations.CreateModel(
            name="PriceLoad",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("source", models.CharField(max_length=50, unique=True)),
                ("attempted_at", models.DateTimeField()),
                ("succeeded_at", models.DateTimeField(null=True)),
                ("problem", models.CharField(blank=True, max_length=500)),
                ("digest", models.CharField(blank=True, max_length=64)),
            ],
            options={"ordering": ["source"]},
        ),
        migrations.AddField("instancetype", "arch", models.CharField(max_length=20, null=True)),
        migrations.AddField("instancetype", "cpu_model", models.CharField(max_length=200, null=True)),
        migrations.AddField("instancetype", "local_disk_count", models.PositiveSmallIntegerField(null=True)),
        migrations.AddField("instancetype", "local_disk_kind", models.CharField(max_length=50, null=True)),
        migrations.AddField("nodegroup", "price_last_seen", models.DateField(null=True)),
        migrations.AddField("submission", "price_last_seen", models.DateField(null=True)),
        migrations.AddField("price", "last_seen", models.DateField(null=True)),
        migrations.RunPython(seen_when_it_began, migrations.RunPython.noop, elidable=True),
        migrations.AlterField("price", "last_seen", models.DateField()),
        migrations.AlterField("price", "created_at", models.DateTimeField(db_default=Now())),
        migrations.AddIndex("price", models.Index(fields=["sku", "id"], name="price_by_name")),
        migrations.AddConstraint(
            "price",
            models.CheckConstraint(
                condition=models.Q(("last_seen__gte", F("valid_from"))), name="price_seen_after_it_began"
            ),
        ),
    ]
