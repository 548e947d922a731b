from django.db import migrations

from submissions.ingest.pipeline import content_hash_of, sum_of

# Of a content hash: what a submitter sent, without the files that belong to it.
_SOURCES = ("load_log", "histogram_log", "graph")


def leave_out_titles(apps, schema_editor):
    """The title and the notes no longer count; of an owner's equal contents the first has the hash.

    A hash that is not of what the row holds (facts were added, a secret was masked) stays.
    """
    submissions, artifacts = apps.get_model("submissions", "Submission"), apps.get_model("submissions", "Artifact")
    rows = submissions.objects.order_by("pk").only("content_hash", "document", "submitted_by")
    for row in rows.iterator(chunk_size=500):
        files = artifacts.objects.filter(submission=row.pk, kind__in=_SOURCES)
        sums = list(files.values_list("sha256", flat=True))
        if row.content_hash != sum_of(row.document, sums):
            continue
        new = content_hash_of(row.document, sums)
        if not submissions.objects.filter(content_hash=new, submitted_by=row.submitted_by_id).exists():
            submissions.objects.filter(pk=row.pk).update(content_hash=new)


class Migration(migrations.Migration):
    dependencies = [("submissions", "0015_configurations_and_series")]

    operations = [migrations.RunPython(leave_out_titles, migrations.RunPython.noop)]
