"""The site's own figures: workers, messages, disk, database, backup."""

import shutil
from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from django.conf import settings
from django.db import connection
from django.utils import timezone

from benchsite.backup.record import last_backup
from benchsite.celery import app
from benchsite.ops.figures import Figure, Kind

PING_SECONDS = 0.5
QUEUES = {  # queue -> (whose it is, what waits without a worker)
    settings.DEFAULT_QUEUE: ("uploads and other tasks", "uploads wait"),
    settings.RUNS_QUEUE: ("runs", "runs wait, and their machines cost money"),
}
LEAST_FREE_BYTES = 2 * 1024**3
LEAST_FREE_SHARE = 0.05
OLDEST_BACKUP_SECONDS = 2 * 24 * 3600


def figures() -> Iterator[Figure]:
    alive = workers_by_queue()
    for queue, (who, wait) in QUEUES.items():
        workers = alive[queue]
        alarm = "" if workers else f"No worker answers: {wait}. Its log says why it ended."
        yield Figure("workers", f"Workers for {who} that answer", workers, alarm=alarm, labels={"queue": queue})
    for queue, (who, _) in QUEUES.items():
        yield Figure(
            "messages_waiting", f"Messages in the queue of {who}", messages_waiting(queue), labels={"queue": queue}
        )
    yield disk_free()
    disk_bytes = shutil.disk_usage(settings.DATA_DIR).total
    yield Figure("disk_bytes", "Size of that disk", disk_bytes, Kind.BYTES)
    yield Figure("disk_least_free_bytes", "Uploads are refused below", settings.MIN_FREE_BYTES, Kind.BYTES)
    yield Figure("database_bytes", "Size of the database", database_bytes(), Kind.BYTES)
    yield backup_age(last_backup_at(), timezone.now())


def workers_by_queue() -> Counter[str]:
    """How many workers serve each queue; a worker may serve several."""
    # a connection of its own: it ends while it waits for answers, and a fork that has it in a pool would wait for ever
    with app.connection_for_read() as broker:
        answers = app.control.inspect(timeout=PING_SECONDS, connection=broker).active_queues() or {}
    return Counter(queue["name"] for queues in answers.values() for queue in queues)


def messages_waiting(queue: str) -> int:
    with app.connection_for_read() as broker:
        channel = broker.default_channel
        return int(channel.queue_declare(queue, passive=False).message_count)


def disk_free() -> Figure:
    usage = shutil.disk_usage(settings.DATA_DIR)
    is_low = usage.free < LEAST_FREE_BYTES or usage.free < usage.total * LEAST_FREE_SHARE
    alarm = "Uploads will be refused when it is full: delete old backups, or add space." if is_low else ""
    return Figure("disk_free_bytes", "Free disk space of DATA_DIR", usage.free, Kind.BYTES, alarm)


def database_bytes() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def backup_age(made_at: datetime | None, now: datetime) -> Figure:
    age = None if made_at is None else (now - made_at).total_seconds()
    is_old = age is None or age > OLDEST_BACKUP_SECONDS
    alarm = "Run manage.py backup DIR, and have it run every night: docs/operations.md." if is_old else ""
    return Figure("last_backup_seconds", "Age of the last backup", age, Kind.AGE, alarm)


def last_backup_at() -> datetime | None:
    last = last_backup()
    return last.moment if last else None
