"""The machines of a run that ended well go to the next run of its round, in place of being deleted and launched anew.

The tear-down of the one waits with its machines, and the start of the other takes them. Both decide under a lock on the
row of the first: the machines are either deleted, once that is stored as `withdrawn`, or another run's, once that is
stored as its successor; never both, whenever a worker dies. Whoever has them is an open run, whose own tear-down
deletes them or hands them on; the sweep goes by the same rows.
"""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction

from runners import clock, lifecycle
from runners.choices import NodeState, RunStatus
from runners.limits import budget
from runners.models import Run, RunNode, Series, SeriesCell
from runners.plan_schema.run_plan import MAX_DURATION_MINUTES
from runners.plans.estimate import WIND_DOWN_SECONDS
from runners.plans.sharing import OFFER_LIMIT, SLACK, beside

# What the launch has decided, and the next launch of the same machines must know: see fallback_zones.py and teardown.py
_OF_THE_LAUNCH = ("full_zones", "earlier_moves", "asked_at")


def is_offered(run: Run) -> bool:
    """Whether the tear-down waits for a run that takes the machines over. Once it does not, it never will again."""
    if "withdrawn" in run.state:
        return False
    cell = _cell_of(run)
    if cell is None:
        return False
    with transaction.atomic():
        row = Run.objects.select_for_update().get(pk=run.pk)  # a run that takes them over locks it, too
        if successor_of(run) is not None:
            return True  # the next step finds it
        if _may_wait(row, cell) and lifecycle.time_since(run, "offered_at") < OFFER_LIMIT:
            return True
        lifecycle.save_state(run, withdrawn=True)
    return False


def successor_of(run: Run) -> Run | None:
    """The run that has taken the machines over."""
    return Run.objects.filter(took_over_from=run).first()


def may_be_passed_on(run: Run) -> bool:
    """Whether another run has the machines, or may take them over yet: then nobody but its tear-down deletes them."""
    row = Run.objects.get(pk=run.pk)
    if successor_of(row) is not None:
        return True
    return row.status == RunStatus.TEARING_DOWN and "withdrawn" not in row.state and _cell_of(row) is not None


def giver_for(run: Run) -> Run | None:
    """The run whose machines this one may take over now; its row is locked until the end of the transaction."""
    cell = _cell_of(run)
    if cell is None or cell.series.cancel_requested_at is not None:
        return None
    runs = [other.run_id for other in beside(cell.series, cell) if other.run_id is not None]
    offering = Run.objects.offering().filter(pk__in=runs, cloud_access=run.cloud_access, cancel_requested_at=None)
    for giver in offering.select_for_update(of=("self",)).order_by("pk"):
        # the lock may have come after a change
        if giver.offers_machines and successor_of(giver) is None and _has_time_for(giver, run.plan):
            return giver
    return None


def take_over(run: Run, giver: Run, now: datetime, deadline: datetime) -> None:
    """Start the run on the machines of the other: until now they are on that one's bill, from now on this one's."""
    carried = {name: giver.progress[name] for name in _OF_THE_LAUNCH if name in giver.progress}
    lifecycle.advance(
        run,
        RunStatus.LAUNCHING,
        message=f"takes over the machines of run {giver.pk}",
        launched_at=now,
        deadline_at=deadline,
        expires_at=giver.expires_at,  # the machines' own
        ssh_key=giver.ssh_key,
        host_key=giver.host_key,
        took_over_from=giver,
        launch_tag=giver.cloud_tag,
        progress=carried,
    )
    nodes = giver.nodes.filter(replaced_at=None)
    RunNode.objects.bulk_create(_taken(run, node, now) for node in nodes)
    nodes.update(state=NodeState.HANDED_OVER, terminated_at=now)
    lifecycle.note(giver, f"run {run.pk} takes over its machines")
    Run.objects.filter(pk=giver.pk).update(due_at=now)


def more_time(run: Run, now: datetime, usual: timedelta) -> timedelta:
    """How much longer than `usual`, from now on, the machines of a run must exist for the others of its round.

    Within a day, the time of the series and its money: even machines that nobody deletes cost no more than that.
    """
    cell = _cell_of(run)
    if cell is None:
        return timedelta(0)
    series = cell.series
    waiting = [other for other in beside(series, cell) if other.run_id is None and not other.refusal]
    if not waiting:
        return timedelta(0)
    until_last = sum(_expected_seconds(series, each) for each in (cell, *waiting[:-1])) * SLACK
    longer = max(each.plan["max_duration_minutes"] for each in (cell, *waiting)) - cell.plan["max_duration_minutes"]
    limits = [timedelta(seconds=until_last, minutes=longer), timedelta(minutes=MAX_DURATION_MINUTES) - usual]
    if series.started_at is not None:
        limits.append(series.started_at + timedelta(minutes=series.max_minutes) - now)
    limits.append(_paid_time(run, series) - usual)
    return max(timedelta(0), min(limits))


def _cell_of(run: Run) -> SeriesCell | None:
    """Its cell, where runs of the series share machines."""
    cell = SeriesCell.objects.filter(run=run, is_current=True).select_related("series").first()
    return cell if cell is not None and beside(cell.series, cell) else None


def _may_wait(run: Run, cell: SeriesCell) -> bool:
    """Whether it ended well, and a run of its round could take the machines over."""
    series = cell.series
    has_ended_well = run.end_reason is None and run.has_all_trials and not run.progress.get("instance_types")
    is_cancelled = run.cancel_requested_at or series.cancel_requested_at
    if not has_ended_well or is_cancelled or run.blocked_since or series.is_final or not series.owner.is_active:
        return False
    return any(_may_follow(run, other) for other in beside(series, cell))


def _may_follow(run: Run, cell: SeriesCell) -> bool:
    if not _has_time_for(run, cell.plan):
        return False
    follower = cell.run
    if follower is None:
        return not cell.refusal
    return follower.status in (RunStatus.PLANNED, RunStatus.QUEUED) and follower.cancel_requested_at is None


def _has_time_for(run: Run, plan: dict[str, Any]) -> bool:
    """Whether its machines exist as long as another run may take."""
    minutes = plan["max_duration_minutes"] + settings.RUN_SWEEP_MARGIN_MINUTES
    needed = timedelta(minutes=minutes, seconds=WIND_DOWN_SECONDS)
    return run.expires_at is not None and clock.now() + needed <= run.expires_at


def _expected_seconds(series: Series, cell: SeriesCell) -> float:
    of_cells = series.estimate.get("cells", [])
    expected = of_cells[cell.number]["expected_seconds"] if cell.number < len(of_cells) else 0
    return float(min(expected, cell.plan["max_duration_minutes"] * 60))


def _paid_time(run: Run, series: Series) -> timedelta:
    """For how long what is left of the series' budget pays for the machines; none where a price is unknown."""
    worst = run.worst_case_usd
    seconds = (run.estimate or {}).get("worst_case_seconds")
    if not seconds or worst is None:
        return timedelta(0)
    if worst == 0:
        return timedelta(days=1)
    others = Run.objects.filter(series_cell__series=series).exclude(pk=run.pk)
    left = series.max_usd - sum((budget.charged_usd(other) for other in others), Decimal(0))
    return timedelta(seconds=min(float(left / worst * Decimal(seconds)), 24 * 3600.0))


def _taken(run: Run, node: RunNode, now: datetime) -> RunNode:
    return RunNode(
        run=run,
        name=node.name,
        role=node.role,
        index=node.index,
        zone=node.zone,
        instance_type=node.instance_type,
        state=node.state,
        provider_id=node.provider_id,
        address=node.address,
        private_address=node.private_address,
        volume_links=node.volume_links,
        hourly_usd=node.hourly_usd,
        launched_at=now,
    )
