"""A tear-down that does not succeed: the run gives its place up, is asked ever more rarely, and ends long after expiry.

The machines shut themselves down when they expire; what is left then are keys, rules and disks, which the sweep goes
on to delete as long as it may.
"""

import logging
from collections.abc import Sequence
from datetime import timedelta

from runners import clock, lifecycle
from runners.models import Run
from runners.providers.registry import provider_for

log = logging.getLogger(__name__)

BLOCKED_AFTER = timedelta(minutes=15)  # since the tear-down began
GIVEN_UP_AFTER = timedelta(minutes=30)  # since the machines expired
SHORTEST_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=1)
NAMED = 10


def is_given_up(run: Run, problem: str) -> bool:
    """After each attempt that has not succeeded: whether the run ends although something may be left."""
    age = lifecycle.time_since(run, "tearing_down_since")
    if run.blocked_since is None:
        if age < BLOCKED_AFTER:
            return False
        lifecycle.block(run, f"cannot be torn down: {problem}. {sentence(run, what_is_left(run))}")
    now = clock.now()
    if run.expires_at is not None and now > run.expires_at + GIVEN_UP_AFTER:
        return True
    lifecycle.ask_again(run, max(SHORTEST_PAUSE, min(age / 4, LONGEST_PAUSE)))
    return False


def what_is_left(run: Run) -> list[str]:
    """As the cloud lists it; if it does not, the machines that are not known to have ended. Never empty."""
    try:
        listed = provider_for(run.provider, run).leftovers(run.plan.get("region"), {})
        if things := sorted(f"{left.kind} {left.provider_id}" for left in listed if left.tag == run.cloud_tag):
            return things
    except Exception as error:  # the tear-down has failed for the same reason
        log.info("run %s: what is left cannot be listed: %s", run.pk, error)
    nodes = run.nodes.filter(launched_at__isnull=False, terminated_at=None).order_by("name")
    return [f"machine {node.provider_id or node.name}" for node in nodes] or ["what the cloud does not list"]


def sentence(run: Run, things: Sequence[str]) -> str:
    """ "left behind: 2 in us-east-1 in the account of arn:...: instance i-1, key-pair key-2"."""
    region = run.plan.get("region")
    where = f" in {region}" if region else ""
    if run.cloud_access is not None:
        where += f" in the account of {run.cloud_access.principal}"
    more = f" and {len(things) - NAMED} more" if len(things) > NAMED else ""
    return f"left behind{where}: {', '.join(things[:NAMED])}{more} (tag {run.cloud_tag})"
