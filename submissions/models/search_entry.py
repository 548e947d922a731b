"""The words by which a submission is found: kept by triggers (migrations/sql/submissions_search_*.sql)."""

from itertools import zip_longest

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import connection, models

from benchsite.processes import parallel

# Begins of ranges with as many rows that have none: ids may leave out millions.
_BEGINS = """SELECT id FROM (
    SELECT s.id, row_number() OVER (ORDER BY s.id) AS n FROM submissions_submission s
    WHERE NOT EXISTS (SELECT FROM submissions_searchentry e WHERE e.submission_id = s.id)
) missing WHERE n %% %s = 1 ORDER BY id"""
_FILL = """INSERT INTO submissions_searchentry (submission_id, words)
SELECT s.id, submissions_search_words_of(s) FROM submissions_submission s
WHERE s.id >= %s AND s.id < coalesce(%s, s.id + 1)
AND NOT EXISTS (SELECT FROM submissions_searchentry e WHERE e.submission_id = s.id)
ON CONFLICT (submission_id) DO NOTHING"""
ROWS_AT_ONCE = 20_000  # rows


class SearchEntry(models.Model):
    """One row per submission, whoever may see it: a search joins it with what is published.

    A table of its own: pages that read submissions do not read their words, and a search for a common word reads
    many rows that are short. Weights: A the title, B source, database and machines, C other facts, D the notes.
    """

    # no constraint, so that a bulk delete of submissions needs to know nothing of this table: a trigger follows it
    submission = models.OneToOneField(
        "submissions.Submission", models.CASCADE, db_constraint=False, related_name="search_entry", primary_key=True
    )
    words = SearchVectorField()

    class Meta:
        # a search reads the pending list as a whole
        indexes = [GinIndex(fields=["words"], name="words_of_submissions", gin_pending_list_limit=512)]

    def __str__(self) -> str:
        return f"words of {self.submission_id}"


def fill_search() -> None:
    """The words of all submissions that have none, by all processors: those written while triggers were off."""
    with connection.cursor() as cursor:
        cursor.execute(_BEGINS, [ROWS_AT_ONCE])
        begins = [pk for (pk,) in cursor.fetchall()]
    parallel.each(_fill, list(zip_longest(begins, begins[1:])))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE submissions_searchentry")


def _fill(ids: tuple[int, int | None]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_FILL, ids)
