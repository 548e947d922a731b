"""The time, by the one clock that all workers share: the clocks of their machines may differ by minutes."""

from datetime import datetime

from django.db import connection


def now() -> datetime:
    """The time of the database, also within a transaction that began earlier."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        moment: datetime = cursor.fetchone()[0]
    return moment
