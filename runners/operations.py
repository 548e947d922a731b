"""What operators watch of the runs: how many are open, their machines, and what they cost."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from benchsite.ops.figures import Figure, Kind
from runners.choices import NodeState, RunStatus
from runners.limits.budget import committed_usd
from runners.models import Run, RunNode, Sweep
from submissions.formatting.names import provider_name

LATE = timedelta(minutes=10)
SWEEP_LATE = timedelta(minutes=30)
LEFT_BEHIND_SHOWN = timedelta(days=30)
FORGOTTEN = timedelta(days=1)  # an account that is no longer swept
NAMED = 5
NEARLY_ALL = 0.8  # of the month's budget


def figures() -> Iterator[Figure]:
    now = timezone.now()
    confirmed = Run.objects.open().exclude(status=RunStatus.PLANNED)
    yield Figure("runs_open", "Open runs", confirmed.count())
    yield Figure("runs_queued", "Queued runs", confirmed.filter(status=RunStatus.QUEUED).count())
    due = Run.objects.due(now).order_by("due_at").values_list("due_at", flat=True).first()
    late = 0.0 if due is None else max(0.0, (now - due).total_seconds())
    alarm = (
        "No worker drives the runs: machines may be costing money for nothing." if late > LATE.total_seconds() else ""
    )
    yield Figure("runs_late_seconds", "Delay of the most overdue step", late, Kind.AGE, alarm)
    machines = RunNode.objects.exclude(state=NodeState.TERMINATED).filter(terminated_at=None)
    machines = machines.exclude(run__status__in=RunStatus.FINAL)  # left_behind has those
    yield Figure("machines_open", "Machines not yet terminated", machines.count())
    yield blocked()
    yield left_behind(now)
    yield from sweeps(now)
    spent = float(committed_usd(Run.objects.all(), now))
    limit = float(settings.MAX_MONTH_USD)
    alarm = f"Runs stop at MAX_MONTH_USD, ${limit:,.0f}." if spent > NEARLY_ALL * limit else ""
    yield Figure("month_usd", "Spent and reserved this month", spent, Kind.USD, alarm)
    yield Figure("month_limit_usd", "Limit of a month", limit, Kind.USD)


def blocked() -> Figure:
    """Runs that hold no place any more, but may hold machines."""
    runs = list(Run.objects.open().exclude(blocked_since=None).order_by("pk").values_list("pk", flat=True))
    named = ", ".join(map(str, runs[:NAMED]))
    alarm = f"Delete what is left in the cloud, or restore the site's access: run {named}." if runs else ""
    return Figure("runs_blocked", "Runs that cannot be torn down", len(runs), alarm=alarm)


def left_behind(now: datetime) -> Figure:
    """Runs that have ended although something of theirs may still exist."""
    ended = Run.objects.filter(ended_at__gt=now - LEFT_BEHIND_SHOWN, receipt__left__gt=0)
    runs = list(ended.order_by("-pk").values_list("pk", flat=True))
    alarm = f"See what it was, and delete it: run {', '.join(map(str, runs[:NAMED]))}." if runs else ""
    return Figure("runs_left_behind", "Runs of 30 days that left something behind", len(runs), alarm=alarm)


def sweeps(now: datetime) -> Iterator[Figure]:
    """Of each account: how long ago it was swept, and what the sweep could not see or delete."""
    for sweep in Sweep.objects.filter(at__gt=now - FORGOTTEN):
        labels, account = {"account": sweep.account}, _account_name(sweep.account)
        age = (now - sweep.at).total_seconds()
        late = "Machines may be left behind: manage.py sweep says why." if age > SWEEP_LATE.total_seconds() else ""
        yield Figure("sweep_age_seconds", f"Last sweep of {account}", age, Kind.AGE, late, labels)
        unseen = [f"{place}: {reason}" for place, reason in sorted(sweep.unseen.items())]
        unseen += [sweep.error] if sweep.error else []
        yield Figure(
            "sweep_errors",
            f"Places in {account} that the sweep could not see",
            len(unseen),
            alarm="; ".join(unseen[:NAMED]),
            labels=labels,
        )
        alarm = f"Left behind: {', '.join(sweep.remaining[:NAMED])}" if sweep.remaining else ""
        label = f"Runs in {account} whose leftovers could not be deleted"
        yield Figure("sweep_remaining", label, len(sweep.remaining), alarm=alarm, labels=labels)


def _account_name(account: str) -> str:
    """ "aws as arn:aws:iam::1:role/benchsite" -> "AWS as arn:..."."""
    slug, space, principal = account.partition(" ")
    return f"{provider_name(slug)}{space}{principal}"
