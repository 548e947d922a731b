"""Which errors are an outage: of the database, of Redis, of the disk. They pass, so that a client may try again."""

from dataclasses import dataclass

import redis
from django.db import InterfaceError, OperationalError
from kombu.exceptions import OperationalError as BrokerError

from benchsite.storage import disk

RETRY_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Outage:
    status: int
    detail: str
    retry_seconds: int = RETRY_SECONDS


DISK_FULL = Outage(507, "the disk of this site is full: nothing was stored, try again later", 300)
TOO_LONG = Outage(503, "this takes longer than the site allows: narrow it with a filter")
READ_ONLY = Outage(503, "the site is read-only at the moment: try again in a minute", 30)
UNAVAILABLE = Outage(503, "the site cannot reach its database or its queue: try again in a few seconds")

_UNREACHABLE = (OperationalError, InterfaceError, BrokerError, redis.ConnectionError, redis.TimeoutError)


def outage_of(error: BaseException | None) -> Outage | None:
    """None for what is a bug of ours, and for no error."""
    if disk.is_full(error):
        return DISK_FULL
    if not isinstance(error, _UNREACHABLE):
        return None
    is_cancelled = getattr(error.__cause__, "sqlstate", None) == "57014"  # by statement_timeout
    return TOO_LONG if is_cancelled else UNAVAILABLE
