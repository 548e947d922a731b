"""Histories with a planted change, and somebody who follows them."""

import random
from datetime import timedelta

from django.utils import timezone

from submissions.follows import detect, manage, notices
from submissions.models import Submission
from tests.factories import SubmissionFactory, UserFactory, WorkloadFactory, verify

DAYS = 10  # on each side of a change: with as many points a history is judged


def noise(count, mean, seed=1):
    draw = random.Random(seed)
    return [draw.gauss(mean, mean * 0.01) for _ in range(count)]


def measure(p99s, *, first_day, published=None, **facts):
    """A result a day, `first_day` days ago the first; published when they were measured, unless stated."""
    rows = []
    for number, p99 in enumerate(p99s):
        at = timezone.now() - timedelta(days=first_day - number)
        row = SubmissionFactory(measured_at=at, latency_p99_ms=p99, workload=WorkloadFactory(title="nightly"), **facts)
        Submission.objects.filter(pk=row.pk).update(published_at=published or at)
        rows.append(row)
    return rows


def before(**facts):
    return measure(noise(DAYS, 8.1), first_day=2 * DAYS, **facts)


def worse(**facts):
    """12 % more than before; they arrive now."""
    rise = {"published": timezone.now() + timedelta(seconds=1), **facts}
    return measure(noise(DAYS, 8.1 * 1.12, seed=2), first_day=DAYS, **rise)


def begin(row, user=None, **wish):
    """A follow of all clusters of the result's workload, its baseline taken."""
    user = user or verify(UserFactory())
    wish = {"by_email": True, **wish}
    follow = manage.begin(user, manage.Wish(workload=row.workload.fingerprint, **wish))
    detect.check_workload(row.workload_id)
    follow.refresh_from_db()
    return follow


def look(row, callbacks):
    """What a worker does each minute; what waits for the commit is done too."""
    detect.check_workload(row.workload_id)
    with callbacks(execute=True):
        return notices.notify_pending()
