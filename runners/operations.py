"""What operators watch of the runs: how many are open, their machines, and what they cost."""

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from benchsite.ops.figures import Figure, Kind
from runners.budget import committed_usd
from runners.choices import NodeState, RunStatus
from runners.models import Run, RunNode

LATE = timedelta(minutes=10)
NEARLY_ALL = 0.8  # of the month's budget


def figures() -> Iterator[Figure]:
    now = timezone.now()
    confirmed = Run.objects.open().exclude(status=RunStatus.PLANNED)
    yield Figure("runs_open", "Open runs", confirmed.count())
    yield Figure("runs_queued", "Queued runs", confirmed.filter(status=RunStatus.QUEUED).count())
    due = Run.objects.due(now).order_by("due_at").values_list("due_at", flat=True).first()
    late = 0.0 if due is None else max(0.0, (now - due).total_seconds())
    alarm = "No worker drives the runs: machines may cost money for nothing." if late > LATE.total_seconds() else ""
    yield Figure("runs_late_seconds", "Delay of the most overdue step", late, Kind.AGE, alarm)
    machines = RunNode.objects.exclude(state=NodeState.TERMINATED).filter(terminated_at=None)
    yield Figure("machines_open", "Machines not yet terminated", machines.count())
    spent = float(committed_usd(Run.objects.all(), now))
    limit = float(settings.MAX_MONTH_USD)
    alarm = f"Runs stop at MAX_MONTH_USD, ${limit:,.0f}." if spent > NEARLY_ALL * limit else ""
    yield Figure("month_usd", "Spent and reserved this month", spent, Kind.USD, alarm)
