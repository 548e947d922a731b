"""A change of a stored submission is taken out of the totals and added again: no workload is counted for it."""

from pathlib import Path

from django.db import migrations

_SQL = Path(__file__).parent / "sql"


def _read(name: str) -> str:
    return (_SQL / name).read_text(encoding="utf-8")


def _function(name: str, function: str) -> str:
    """Of a file the statement that defines this one."""
    text = _read(name)
    start = text.index(f"CREATE OR REPLACE FUNCTION {function}(")
    return text[start : text.index("$$;", text.index("$$", start) + 2) + 3]


_UNDO = (
    """
    DROP TRIGGER submissions_totals_before_insert ON submissions_submission;
    DROP TRIGGER submissions_totals_before_update ON submissions_submission;
    DROP FUNCTION submissions_totals_lock, submissions_totals_expire, submissions_totals_revise,
        submissions_totals_look_up, submissions_totals_remove, submissions_totals_note_before, submissions_totals_note,
        submissions_totals_are_many, submissions_totals_seen, submissions_totals_moment;
    """
    + _function("totals_at_once.sql", "submissions_totals_lock")
    + _function("totals_at_once.sql", "submissions_totals_settle")
    + _function("parts.sql", "submissions_totals_note_added")
    + _function("totals.sql", "submissions_totals_note_changed")
    + """
    ALTER TABLE submissions_totalschange DROP COLUMN counted;
    DROP TYPE submissions_totals_counted, submissions_totals_group;
    """
)


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0042_segment_versions'),
    ]

    operations = [
        migrations.RunSQL(_read("totals_revised.sql"), _UNDO),
    ]
