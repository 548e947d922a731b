"""Titles of workloads have the display names of their database and load tool."""

from django.db import migrations

ROWS = 500


def retitle(apps, schema_editor):
    from submissions.formatting.names import service_name, tool_name
    from submissions.ingest.document.fingerprint import workload_title

    workloads = apps.get_model("submissions", "Workload").objects
    changed = []
    for workload in workloads.only("canonical", "title").iterator(chunk_size=ROWS):
        form = workload.canonical
        try:
            title = workload_title(form, service_name(form["service"]), tool_name(form["tool"]))
        except (KeyError, TypeError):
            continue  # a form of an older version keeps its title
        if title != workload.title:
            workload.title = title
            changed.append(workload)
    workloads.bulk_update(changed, ["title"], batch_size=ROWS)


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0026_first_parts'),
    ]

    operations = [
        migrations.RunPython(retitle, migrations.RunPython.noop),
    ]
