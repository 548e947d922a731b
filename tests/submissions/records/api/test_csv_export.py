"""GET /api/v1/submissions/?format=csv streams: its memory and its queries do not grow with the rows."""

import gc
import tracemalloc

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from submissions.models import Submission
from tests.factories import SubmissionFactory
from tests.submissions.caller import BASE

pytestmark = pytest.mark.django_db

MIB = 1024 * 1024
PEAK_BOUND = 3 * MIB  # a batch of rows and what the driver holds of it; the 3,000 rows as text alone are over 1 MiB
GROWTH_BOUND = MIB  # from one batch to several: the next one arrives while the last one is written


def add(like, count):
    own = ("id", "content_hash")
    columns = {
        field.attname: getattr(like, field.attname)
        for field in Submission._meta.concrete_fields
        if field.name not in own
    }
    first = Submission.objects.count()
    Submission.objects.bulk_create(
        Submission(**columns, content_hash=str(number)) for number in range(first, first + count)
    )


def export(client):
    """(lines, peak bytes above what was there before, queries) of an export that is read piece by piece."""
    gc.collect()
    tracemalloc.start()
    try:
        with CaptureQueriesContext(connection) as queries:
            response = client.get(f"{BASE}?format=csv")
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            lines = sum(piece.count(b"\r\n") for piece in response)
            _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return lines, peak - before, len(queries)


def test_six_times_the_rows_take_the_same_memory_and_the_same_queries(client):
    like = SubmissionFactory(zones=["us-east-1a", "us-east-1b"], flags=["short"], document={})
    export(client)  # what is imported and cached on first use is not counted
    add(like, 499)
    small_lines, small_peak, small_queries = export(client)
    add(like, 2_500)
    large_lines, large_peak, large_queries = export(client)

    assert (small_lines, large_lines) == (501, 3_001)
    assert small_queries == large_queries
    assert large_peak < PEAK_BOUND
    assert large_peak - small_peak < GROWTH_BOUND, f"{small_peak:,} bytes for 500 rows, {large_peak:,} for 3,000"
