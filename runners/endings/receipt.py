"""The cost of a run: every machine from launch to termination, at the prices of its start."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from runners import clock
from runners.models import Run, RunNode
from submissions.formatting.numbers import decimal_text
from submissions.pricing.book.quotes import Unit
from submissions.pricing.cost import BilledItem, Group, MachineUse, Rate, RunCost, run_cost


def cost_so_far(run: Run, now: datetime | None = None) -> Decimal | None:
    """USD of the machine time until now; None when the price of a machine is unknown."""
    return _cost(run, list(run.nodes.all()), now or clock.now()).usd


def receipt_of(
    run: Run, *, verified_at: datetime, left_behind: Sequence[str] = (), handed_over_to: int | None = None
) -> dict[str, Any]:
    """The receipt: a line for each machine that existed, the total, and that nothing is left, or what.

    Of machines that another run had before or has afterwards, only the time of this run. `handed_over_to` is that
    other run.

    Money is a string; `total_usd` is null when the price of a machine is unknown. Traffic between zones
    is not metered: it is in the estimate, not here.
    """
    nodes = list(run.nodes.all())
    launched = [node for node in nodes if node.launched_at]
    total = _cost(run, nodes, verified_at)
    return {
        "machines": [_line(run, node, verified_at) for node in launched],
        "never_launched": sorted(node.name for node in nodes if not node.launched_at),
        "total_usd": decimal_text(total.usd),
        "missing": total.missing,
        "left": len(left_behind),
        "left_behind": list(left_behind),
        "verified_at": verified_at.isoformat(),
        **({"took_over_from": run.took_over_from_id} if run.took_over_from_id else {}),
        **({"handed_over_to": handed_over_to} if handed_over_to else {}),
    }


def _line(run: Run, node: RunNode, until: datetime) -> dict[str, Any]:
    cost = _cost(run, [node], until)
    return {
        "name": node.name,
        "role": node.role,
        "instance_type": node.instance_type,
        "zone": node.zone,
        "provider_id": node.provider_id,
        "from": node.launched_at and node.launched_at.isoformat(),
        "to": (node.terminated_at or until).isoformat(),
        "hourly_usd": decimal_text(node.hourly_usd),
        "usd": decimal_text(cost.usd),
    }


def _cost(run: Run, nodes: Sequence[RunNode], until: datetime) -> RunCost:
    uses = [_use(node, until) for node in nodes if node.launched_at]
    if not uses:
        return RunCost((), Decimal(0))  # no machine ever existed: the cost is known to be zero
    launched_on = min(node.launched_at for node in nodes if node.launched_at).date()
    return run_cost(uses, provider=run.provider, launched_on=launched_on)


def _use(node: RunNode, until: datetime) -> MachineUse:
    if node.launched_at is None:
        raise ValueError(f"{node} was never launched")
    rate = Rate(node.hourly_usd, missing="" if node.hourly_usd is not None else f"the price of {node.instance_type}")
    part = BilledItem(node.instance_type, Decimal(1), Unit.HOUR, rate)
    seconds = Decimal(str((node.terminated_at or until).timestamp() - node.launched_at.timestamp()))
    return MachineUse(Group(node.role, 1, part), max(seconds, Decimal(0)))
