"""Limits on spending per run, per user and month, and per site and month."""

from datetime import datetime
from decimal import Decimal

from django.conf import settings
from django.db.models import DecimalField, F, Sum
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce
from django.utils import timezone

from runners.choices import RunStatus
from runners.endings.receipt import cost_so_far
from runners.models import Run, RunQuerySet

_USD: "DecimalField[Decimal, Decimal]" = DecimalField(max_digits=14, decimal_places=4)


def refusal(run: Run) -> str | None:
    """Why the run may not start, in one sentence; None when it may."""
    worst = run.worst_case_usd
    if worst is None:
        return "its worst-case cost is unknown, because a price is missing"
    if worst > run.max_usd:
        return f"its worst-case cost, {worst:.2f} USD, exceeds its budget of {run.max_usd:.2f} USD"
    if run.max_usd > settings.MAX_RUN_USD:
        return f"a run may cost at most {settings.MAX_RUN_USD} USD on this site"
    return month_refusal(Run.objects.exclude(pk=run.pk), run.owner_id, worst)


def month_refusal(runs: RunQuerySet, owner_id: int, usd: Decimal) -> str | None:
    """Why so much more may not be spent this month beside `runs`, in one sentence; None when it may."""
    for counted, limit, owner in (
        (runs.filter(owner_id=owner_id), settings.MAX_USER_MONTH_USD, "your"),
        (runs, settings.MAX_MONTH_USD, "the site's"),
    ):
        spent = committed_usd(counted, timezone.now())
        if spent + usd > limit:
            return (
                f"{spent:.2f} USD of {owner} {limit} USD for this month are spent or reserved: "
                f"{usd:.2f} USD more would exceed the limit"
            )
    return None


def charged_usd(run: Run) -> Decimal:
    """What a run has cost, or may cost at most: its receipt, else its worst case; nothing if it never had a machine.

    Of one that only waits for another one to take its machines over, what it has cost until now.
    """
    total = (run.receipt or {}).get("total_usd")
    if total is not None:
        return Decimal(total)
    if run.is_final and run.launched_at is None:
        return Decimal(0)
    worst = run.worst_case_usd or Decimal(0)
    if not run.offers_machines:
        return worst
    so_far = cost_so_far(run)
    return worst if so_far is None else so_far


def committed_usd(runs: RunQuerySet, now: datetime) -> Decimal:
    """The cost of this month's runs, and the worst-case cost of the open ones."""
    started = runs.filter(launched_at__isnull=False)
    month = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    ended = started.filter(status__in=RunStatus.FINAL, launched_at__gte=month)
    # without a known total, the worst case counts: unknown is not free
    cost = Coalesce(Cast(KT("receipt__total_usd"), _USD), F("worst_case_usd"), output_field=_USD)
    spent = ended.aggregate(usd=Sum(cost))["usd"] or Decimal(0)
    # a run that only waits for another one to take its machines over has hardly more to cost
    offering = list(started.offering())
    waiting = sum((charged_usd(run) for run in offering), Decimal(0))
    working = started.open().exclude(pk__in=[run.pk for run in offering])
    reserved = working.aggregate(usd=Sum("worst_case_usd"))["usd"] or Decimal(0)
    return Decimal(spent) + waiting + Decimal(reserved)
