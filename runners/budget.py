"""Limits on spending per run, per user and month, and per site and month."""

from datetime import datetime
from decimal import Decimal

from django.conf import settings
from django.db.models import DecimalField, F, Sum
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce
from django.utils import timezone

from runners.choices import RunStatus
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
    others = Run.objects.exclude(pk=run.pk)
    for runs, limit, owner in (
        (others.filter(owner_id=run.owner_id), settings.MAX_USER_MONTH_USD, "your"),
        (others, settings.MAX_MONTH_USD, "the site's"),
    ):
        spent = committed_usd(runs, timezone.now())
        if spent + worst > limit:
            return (
                f"{spent:.2f} USD of {owner} {limit} USD for this month are spent or reserved: "
                f"{worst:.2f} USD more would exceed the limit"
            )
    return None


def committed_usd(runs: RunQuerySet, now: datetime) -> Decimal:
    """The cost of this month's runs, and the worst-case cost of the open ones."""
    started = runs.filter(launched_at__isnull=False)
    month = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    ended = started.filter(status__in=RunStatus.FINAL, launched_at__gte=month)
    # without a known total, the worst case counts: unknown is not free
    cost = Coalesce(Cast(KT("receipt__total_usd"), _USD), F("worst_case_usd"), output_field=_USD)
    spent = ended.aggregate(usd=Sum(cost))["usd"] or Decimal(0)
    reserved = started.open().aggregate(usd=Sum("worst_case_usd"))["usd"] or Decimal(0)
    return Decimal(spent) + Decimal(reserved)
