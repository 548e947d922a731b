"""Queries, to compare those of few rows with those of many; what a page may take at most is in query_counts.json."""

from collections.abc import Callable
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext


def queries_of(ask: Callable[[], Any]) -> int:
    """How many queries it takes."""
    with CaptureQueriesContext(connection) as captured:
        ask()
    return len(captured)
