from collections import defaultdict

from django.db import migrations

from submissions.ingest.pipeline import content_hash_of, sum_of

# Of a content hash: what a submitter sent, without the files that belong to it.
_SOURCES = ("load_log", "histogram_log", "graph")
_BATCH = 500


def leave_out_titles(apps, schema_editor):
    """The title and the notes no longer count; of an owner's equal contents the first has the hash.

    A hash that is not of what the row holds (facts were added, a document is of an older form) stays.
    """
    submissions = apps.get_model("submissions", "Submission")
    last = 0
    while True:
        rows = list(submissions.objects.filter(pk__gt=last).order_by("pk").only(
            "content_hash", "document", "submitted_by"
        )[:_BATCH])
        if not rows:
            return
        _rehash(submissions, apps.get_model("submissions", "Artifact"), rows)
        last = rows[-1].pk


def _rehash(submissions, artifacts, rows):
    sums = defaultdict(list)
    files = artifacts.objects.filter(submission__in=[row.pk for row in rows], kind__in=_SOURCES)
    for pk, sha256 in files.values_list("submission_id", "sha256"):
        sums[pk].append(sha256)
    new = {
        row.pk: content_hash_of(row.document, sums[row.pk])
        for row in rows
        if row.content_hash == sum_of(row.document, sums[row.pk])
    }
    stored = submissions.objects.filter(content_hash__in=set(new.values()))
    taken = set(stored.values_list("content_hash", "submitted_by"))
    changed = []
    for row in rows:
        key = (new.get(row.pk), row.submitted_by_id)
        if row.pk in new and key not in taken:
            taken.add(key)
            row.content_hash = new[row.pk]
            changed.append(row)
    submissions.objects.bulk_update(changed, ["content_hash"])


class Migration(migrations.Migration):
    dependencies = [("submissions", "0015_configurations_and_series")]

    operations = [migrations.RunPython(leave_out_titles, migrations.RunPython.noop)]
