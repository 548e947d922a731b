"""The figures of questions are in the one store of 0057: the tallies go, and the triggers that they grew by."""

from django.db import migrations

_WITHOUT_TRIGGERS = """
DROP TRIGGER note_new ON submissions_submission;
DROP TRIGGER note_changed ON submissions_submission;
DROP TRIGGER note_deleted ON submissions_submission;
DROP FUNCTION submissions_note_new, submissions_note_changed, submissions_note_deleted;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0059_one_way_to_write'),
    ]

    operations = [
        migrations.RunSQL(_WITHOUT_TRIGGERS),
        migrations.DeleteModel(name='TallyPart'),
        migrations.DeleteModel(name='Tally'),
        migrations.DeleteModel(name='RowChange'),
    ]
