"""Tearing down: deletes until nothing with the run's tag is left, and proves it."""

from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from runners import lifecycle
from runners.choices import EndReason, NodeState, RunStatus
from runners.endings.receipt import receipt_of
from runners.lifecycle import time_since
from runners.models import Run
from runners.providers.registry import provider_for


def step(run: Run) -> RunStatus | None:
    """Terminate; an empty list counts as proof only after the cloud has had time to become consistent."""
    if not provider_for(run.provider, run).terminate(run.tag, run.plan.get("region")):
        return None
    if time_since(run, "clear_since") < _settling(run):
        return None
    now = timezone.now()
    run.nodes.filter(terminated_at=None, launched_at__isnull=False).update(terminated_at=now)
    run.nodes.update(state=NodeState.TERMINATED)
    Run.objects.filter(pk=run.pk).update(receipt=receipt_of(run, verified_at=now))
    run.refresh_from_db()
    reason = EndReason(run.end_reason) if run.end_reason else None
    if run.outputs.filter(trial__isnull=False, sha256__isnull=False).exists() and (
        reason is None or reason.keeps_results
    ):
        return RunStatus.SUBMITTING
    if reason is None:
        lifecycle.end(run, EndReason.STRESS_FAILED, "no output of any trial was collected")
        reason = EndReason.STRESS_FAILED
    return reason.final_status


def _settling(run: Run) -> timedelta:
    """Clouds list a new machine some time after they create it: until then, an empty list proves nothing."""
    ordered_at = run.progress.get("asked_at")
    if ordered_at is None or provider_for(run.provider, run).abilities.lists_at_once:
        return timedelta(0)
    age = timezone.now() - datetime.fromisoformat(ordered_at)
    settle = timedelta(seconds=settings.RUN_SETTLE_SECONDS)
    return timedelta(0) if age > 2 * settle else settle
