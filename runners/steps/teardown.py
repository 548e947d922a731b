"""Tearing down: deletes until nothing with the run's tag is left, and proves it.

Where that does not succeed, the run gives its place up, is asked ever more rarely, and ends long after expiry. The
machines shut themselves down when they expire; what is left then are keys, rules and disks, which the sweep goes on to
delete as long as it may.
"""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import InterfaceError, OperationalError

from runners import clock, lifecycle
from runners.choices import EndReason, EventKind, NodeState, RunStatus
from runners.diagnosis import keep
from runners.endings.receipt import receipt_of
from runners.lifecycle import ask_again, save_state, time_since
from runners.models import Run
from runners.providers.base import ProviderError
from runners.providers.registry import provider_for
from runners.steps.machines import handover, node_states

log = logging.getLogger(__name__)

BLOCKED_AFTER = timedelta(minutes=15)  # since the tear-down began
GIVEN_UP_AFTER = timedelta(minutes=30)  # since the machines expired
SHORTEST_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=1)
NAMED = 10  # of what is left, in a sentence


def step(run: Run) -> RunStatus | None:
    """Terminate; an empty list counts as proof only after the cloud has had time to become consistent.

    Machines that another run takes over are its own to delete.
    """
    successor = handover.successor_of(run)
    if successor is not None:
        return _without_machines(run, successor)
    try:
        if "looked_back" not in run.state:  # before anything is deleted: a launch that failed has recorded nothing
            _look_back(run)
        if not keep.is_done(run):
            return None
        if handover.is_offered(run):
            return None
        if not _is_clear(run):
            is_overdue = "clear_since" not in run.state and _is_given_up(run, "the cloud lists it still")
            return _give_up(run) if is_overdue else None
        if _was_anything_ordered(run):  # else there is nothing to see
            node_states.look_back(run)  # machines that were not listed at first, and when each of them ended
    except (lifecycle.LostRace, OperationalError, InterfaceError):
        raise
    except Exception as error:  # whatever it is, the run must not wait for it for ever
        problem = str(error) if isinstance(error, ProviderError) else "an internal error"
        if _is_given_up(run, problem):
            return _give_up(run)
        raise
    now = clock.now()
    run.nodes.filter(terminated_at=None, launched_at__isnull=False).update(terminated_at=now)
    run.nodes.update(state=NodeState.TERMINATED)
    Run.objects.filter(pk=run.pk).update(receipt=receipt_of(run, verified_at=now))
    lifecycle.refresh(run)
    return _next(run)


def _without_machines(run: Run, successor: Run) -> RunStatus:
    """The receipt ends where that of the next run begins."""
    receipt = receipt_of(run, verified_at=successor.launched_at or clock.now(), handed_over_to=successor.pk)
    Run.objects.filter(pk=run.pk).update(receipt=receipt)
    lifecycle.refresh(run)
    return _next(run)


def _is_clear(run: Run) -> bool:
    """Whether nothing is left, for as long as the cloud needs to list everything."""
    try:
        if not provider_for(run.provider, run).terminate(run.cloud_tag, run.plan.get("region")):
            return False
    except ProviderError:
        if _was_anything_ordered(run):
            raise
    return time_since(run, "clear_since") >= _settling(run)


def _was_anything_ordered(run: Run) -> bool:
    """Whether a cloud was ever asked for machines of the run, or another run left it some."""
    return "asked_at" in run.progress or bool(run.launch_tag)


def _is_given_up(run: Run, problem: str) -> bool:
    """After each attempt that has not succeeded: whether the run ends although something may be left."""
    age = time_since(run, "tearing_down_since")
    if run.blocked_since is None:
        if age < BLOCKED_AFTER:
            return False
        lifecycle.block(run, f"cannot be torn down: {problem}. {_left_behind(run, _what_is_left(run))}")
    now = clock.now()
    if run.expires_at is not None and now > run.expires_at + GIVEN_UP_AFTER:
        return True
    ask_again(run, max(SHORTEST_PAUSE, min(age / 4, LONGEST_PAUSE)))
    return False


def _give_up(run: Run) -> RunStatus:
    """The run ends; its receipt names what is left. Results are kept as ever."""
    things = _what_is_left(run)
    receipt = receipt_of(run, verified_at=clock.now(), left_behind=things)
    Run.objects.filter(pk=run.pk).update(receipt=receipt)
    lifecycle.refresh(run)
    to = _next(run)
    detail = "; ".join(filter(None, (_left_behind(run, things), run.end_detail)))
    Run.objects.filter(pk=run.pk).update(end_detail=detail[:1000])
    lifecycle.note(run, detail, EventKind.ERROR)
    return to


def _what_is_left(run: Run) -> list[str]:
    """As the cloud lists it; if it does not, the machines that are not known to have ended. Never empty."""
    try:
        listed = provider_for(run.provider, run).leftovers(run.plan.get("region"), {})
        if things := sorted(f"{left.kind} {left.provider_id}" for left in listed if left.tag == run.cloud_tag):
            return things
    except Exception as error:  # the tear-down has failed for the same reason
        log.info("run %s: what is left cannot be listed: %s", run.pk, error)
    nodes = run.nodes.filter(launched_at__isnull=False, terminated_at=None).order_by("name")
    return [f"machine {node.provider_id or node.name}" for node in nodes] or ["what the cloud does not list"]


def _left_behind(run: Run, things: Sequence[str]) -> str:
    """ "left behind: 2 in us-east-1 in the account of arn:...: instance i-1, key-pair key-2"."""
    region = run.plan.get("region")
    where = f" in {region}" if region else ""
    if run.cloud_access is not None:
        where += f" in the account of {run.cloud_access.principal}"
    more = f" and {len(things) - NAMED} more" if len(things) > NAMED else ""
    return f"left behind{where}: {', '.join(things[:NAMED])}{more} (tag {run.cloud_tag})"


def _next(run: Run) -> RunStatus:
    reason = EndReason(run.end_reason) if run.end_reason else None
    if run.outputs.filter(trial__isnull=False, sha256__isnull=False).exists() and (
        reason is None or reason.keeps_results
    ):
        return RunStatus.SUBMITTING
    if reason is None:
        lifecycle.end(run, EndReason.STRESS_FAILED, "no output of any trial was collected")
        reason = EndReason.STRESS_FAILED
    return reason.final_status


def _look_back(run: Run) -> None:
    """Whatever the provider refuses to list for good, it may still delete; the look after that must succeed."""
    try:
        node_states.look_back(run)
    except ProviderError as error:
        if not error.is_final and _was_anything_ordered(run):
            raise
    save_state(run, looked_back=True)


def _settling(run: Run) -> timedelta:
    """Clouds list a new machine some time after they create it: until then, an empty list proves nothing."""
    ordered_at = run.progress.get("asked_at")
    if ordered_at is None or provider_for(run.provider, run).abilities.lists_at_once:
        return timedelta(0)
    age = clock.now() - datetime.fromisoformat(ordered_at)
    settle = timedelta(seconds=settings.RUN_SETTLE_SECONDS)
    return timedelta(0) if age > 2 * settle else settle
