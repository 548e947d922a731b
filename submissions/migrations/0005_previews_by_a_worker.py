from django.db import migrations, models


def name_host_summaries(apps, schema_editor):
    """They were artifacts of the kind "other", recognized by their file name."""
    Artifact = apps.get_model("submissions", "Artifact")
    Artifact.objects.filter(kind="other", name="hosts.json").update(kind="host_summary")


def forget_host_summaries(apps, schema_editor):
    Artifact = apps.get_model("submissions", "Artifact")
    Artifact.objects.filter(kind="host_summary").update(kind="other")


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0004_reproduction"),
    ]

    operations = [
        migrations.AddField(
            model_name="upload",
            name="for_preview",
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(name_host_summaries, forget_host_summaries),
    ]
