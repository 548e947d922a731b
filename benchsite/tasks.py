"""Housekeeping that beat starts: files and sessions that nobody needs any more."""

import logging

from celery import shared_task
from django.core.management import call_command
from django.utils import timezone

from benchsite.storage import orphans, temporary

log = logging.getLogger(__name__)


@shared_task
def delete_orphaned_files() -> None:
    """Delete the bytes of refused and forgotten uploads."""
    try:
        orphans.delete_orphans(timezone.now())
    except orphans.WrongDatabase as error:
        log.error("%s", error)


@shared_task
def clear_temporary_files() -> None:
    """Delete what killed processes have left."""
    temporary.clear_abandoned()


@shared_task
def clear_sessions() -> None:
    """Delete expired sessions."""
    call_command("clearsessions")
