"""Reports by readers: no account is needed, and one address sends only so many."""

from datetime import timedelta

from django.contrib.auth.models import AnonymousUser, User
from django.db import connection, transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from submissions.choices import ReportReason
from submissions.ingest.secrets.mask import mask_text
from submissions.models import Report, Submission

MOST_AN_HOUR = 10  # of one address
ADDRESS_KEPT = timedelta(days=1)
_HOUR = timedelta(hours=1)


class TooManyReports(Exception):
    """This address has sent enough for now; `wait` is when it may again, in seconds."""

    wait = _HOUR.total_seconds()


def report(
    submission: Submission, reason: ReportReason, text: str, *, reporter: User | AnonymousUser, address: str
) -> Report:
    """Store a report for the moderators; the same one again finds the first. Raises TooManyReports.

    Who reports a password in a log quotes it: it is masked here too.
    """
    now = timezone.now()
    text = mask_text(text)[: Report.MAX_TEXT]
    address_hash = _hash(address)
    with transaction.atomic():
        _one_at_a_time(address_hash)
        Report.objects.filter(created_at__lt=now - ADDRESS_KEPT).exclude(address_hash="").update(address_hash="")
        recent = Report.objects.filter(address_hash=address_hash, created_at__gt=now - _HOUR)
        known = recent.filter(submission=submission, reason=reason, text=text, resolved_at=None).first()
        if known:
            return known
        if recent.count() >= MOST_AN_HOUR:
            raise TooManyReports
        return Report.objects.create(
            submission=submission,
            reason=reason.value,
            text=text,
            reporter=reporter if isinstance(reporter, User) else None,
            address_hash=address_hash,
        )


def _hash(address: str) -> str:
    """Nobody can read the address from it without the site's key."""
    return salted_hmac("submissions.moderation.reports", address, algorithm="sha256").hexdigest()


def _one_at_a_time(address_hash: str) -> None:
    """Until the transaction ends: or two requests at once would both be the last one allowed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [int(address_hash[:15], 16)])
