"""A host that failed twice before data was loaded: another machine takes its place, within the plan's money and time.

The rows change first, in one transaction with the move to launching. There, whichever worker and however often, the
old machine is deleted, and the new one is ordered once the old one costs nothing more.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from decimal import Decimal

from django.db import transaction

from runners import clock, cluster, lifecycle
from runners.choices import NodeState, RunStatus
from runners.endings.receipt import cost_so_far
from runners.errors import RunFailed
from runners.models import Run, RunNode
from runners.providers.registry import provider_for
from runners.steps.machines import node_states
from runners.steps.queued import WIND_DOWN

# Of a run. If 3 hosts of 1,000 are bad, 348 hosts have more than three in 2 of 100 runs: then the cause is another.
MOST = 3
LEAST_TIME = timedelta(minutes=10)  # for a new machine to accept commands; the rest of the run comes on top
_SUFFIX = "b"  # of the name: no name is ever created twice


def are_few(failed: Collection[str], among: Collection[str]) -> bool:
    """Whether the fault may be the hosts' own: one of several, or a quarter at most."""
    return len(among) > 1 and len(failed) <= max(1, len(among) // 4)


def replace(run: Run, failed: Collection[str], among: Collection[str], error: RunFailed) -> None:
    """Other machines shall take the places of these hosts; `among`: those that did the same.

    Raises `error`, with the reason, when the run ends instead.
    """
    nodes = list(run.nodes.filter(name__in=failed, replaced_at=None).order_by("name"))
    if not nodes or len(among) == 1 or not provider_for(run.provider, run).abilities.replaces:
        raise error
    if obstacle := _obstacle(run, nodes, among):
        raise type(error)(f"{error}; not replaced: {obstacle}") from error
    new = [_in_place_of(node) for node in nodes]
    names, new_names = (", ".join(node.name for node in each) for each in (nodes, new))
    message = f"{names} failed and will be deleted, {new_names} will take the place: {error}"
    with transaction.atomic():
        # these raise LostRace when another worker has the run
        if run.status == RunStatus.LAUNCHING:
            lifecycle.save_state(run, launched=False, ordered_at=clock.now().isoformat())
            lifecycle.note(run, message)
        else:
            lifecycle.advance(run, RunStatus.LAUNCHING, message=message)
        run.nodes.filter(pk__in=[node.pk for node in nodes]).update(replaced_at=clock.now())
        RunNode.objects.bulk_create(new)


def clear(run: Run) -> bool:
    """Delete the machines that were replaced. True once they cost nothing more, and their ends are recorded."""
    old = run.nodes.exclude(replaced_at=None).exclude(state=NodeState.TERMINATED)
    names = sorted(old.values_list("name", flat=True))
    if not names:
        return True
    if not provider_for(run.provider, run).remove(run.cloud_tag, run.plan.get("region"), names):
        return False
    node_states.look_back(run)
    its = run.nodes.filter(name__in=names)
    its.filter(launched_at__isnull=False, terminated_at=None).update(terminated_at=clock.now())
    its.update(state=NodeState.TERMINATED)
    return True


def missing(run: Run) -> Sequence[RunNode] | None:
    """The machines in the places of others that were not made yet; None as long as nothing was replaced."""
    if not run.nodes.exclude(replaced_at=None).exists():
        return None
    return list(run.nodes.filter(replaced_at=None, provider_id=None))


def _obstacle(run: Run, nodes: Sequence[RunNode], among: Collection[str]) -> str | None:
    """Why other machines would not help, or may not be made."""
    if not are_few([node.name for node in nodes], among):
        return "too many hosts failed for other machines to help"
    roles = Counter(run.nodes.filter(name__in=among, replaced_at=None).values_list("role", flat=True))
    failed = Counter(node.role for node in nodes)
    if shared := [role for role, count in failed.items() if 1 < count == roles[role]]:
        return f"every {shared[0]} host failed"
    if again := [node.name for node in nodes if cluster.is_replacement(node)]:
        return f"{again[0]} is a replacement itself, so the machine is probably not the cause"
    if run.nodes.exclude(replaced_at=None).count() + len(nodes) > MOST:
        return f"at most {MOST} machines of a run are"
    return _too_late(run) or _too_dear(run)


def _too_late(run: Run) -> str | None:
    expected = timedelta(seconds=(run.estimate or {}).get("expected_seconds") or 0)
    if run.deadline_at and clock.now() + max(expected, LEAST_TIME) > run.deadline_at:
        return "the rest of the run would not end before its deadline"
    return None


def _too_dear(run: Run) -> str | None:
    """The cost so far, that of the failed machines included, and that of a whole cluster until the last moment."""
    now = clock.now()
    spent, hourly = cost_so_far(run, now), _hourly_usd(run)
    if spent is None or hourly is None:
        return "the price of a machine is unknown"
    worst = spent + hourly * _hours_left(run, now)
    if worst > run.max_usd:
        return f"up to {worst:.2f} USD would be spent; the budget is {run.max_usd:.2f} USD"
    return None


def _hourly_usd(run: Run) -> Decimal | None:
    prices = list(run.nodes.filter(replaced_at=None).values_list("hourly_usd", flat=True))
    return None if None in prices else sum((price for price in prices if price is not None), Decimal(0))


def _hours_left(run: Run, now: datetime) -> Decimal:
    left = run.deadline_at + WIND_DOWN - now if run.deadline_at else timedelta(0)
    return Decimal(str(max(left.total_seconds(), 0.0))) / 3600


def _in_place_of(node: RunNode) -> RunNode:
    return RunNode(
        run=node.run,
        name=f"{node.name}{_SUFFIX}",
        role=node.role,
        index=node.index,
        zone=node.zone,
        instance_type=node.instance_type,
        hourly_usd=node.hourly_usd,
    )
