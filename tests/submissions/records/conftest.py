"""Segments of few submissions."""

import pytest
from django.db import connection

SIZE = 4

_SEGMENT = """
CREATE OR REPLACE FUNCTION submissions_segment(submission bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT (submission - 1) / {}
$$
"""


@pytest.fixture
def small_segments(db, clear_cache, monkeypatch):
    """Of SIZE submissions, of which the first has the id 1; every count of all of them is taken for a long one."""
    from submissions.models.data_version import SEGMENT
    from submissions.records import growing, segments

    with connection.cursor() as cursor:
        cursor.execute("ALTER SEQUENCE submissions_submission_id_seq RESTART WITH 1")
        cursor.execute(_SEGMENT.format(SIZE))
    monkeypatch.setattr(segments, "SEGMENT", SIZE)
    monkeypatch.setattr(growing, "LONG_SECONDS", -1.0)
    yield
    with connection.cursor() as cursor:
        cursor.execute(_SEGMENT.format(SEGMENT))
