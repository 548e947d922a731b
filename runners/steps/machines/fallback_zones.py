"""Where the machines of a run are launched when a place is full: another zone, or an equivalent instance type.

Only as long as no machine of the run exists, and where the plan leaves it open. What was chosen is stored before the
next call: a worker that repeats it chooses the same, and makes no second set.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.db import transaction

from runners import clock, cluster, lifecycle
from runners.creation import estimate_of
from runners.limits import budget
from runners.models import Run
from runners.plan_schema.run_plan import RunPlan
from runners.plans.alternatives import closest_types, with_equivalent
from runners.plans.pricing import hourly_usd_by_role
from runners.providers.base import NoCapacity, NoZoneLeft

OTHER_TYPES = 2  # that are tried for a plan: each measures something a little different


def places(progress: Mapping[str, Any]) -> dict[str, Any]:
    """What an order says of the places that were full: see NodeOrder."""
    return {
        "full_zones": tuple(progress.get("full_zones", ())),
        "earlier_moves": progress.get("earlier_moves", 0),
    }


def move(run: Run, error: NoCapacity) -> None:
    """Leave out the zone that is full, or the type when all zones are. Raises NoCapacity when nothing else is left."""
    full_type = run.progress.get("full_type") if isinstance(error, NoZoneLeft) else error.instance_type
    if error.zone is not None:
        full_zones = [*run.progress.get("full_zones", ()), error.zone]
        lifecycle.save_progress(run, full_zones=full_zones, full_type=full_type)
        lifecycle.note(run, f"{error.zone} has no capacity now, another zone is tried: {error}")
        return
    plan = cluster.plan_of(run)
    types = _other_types(run, plan, full_type) if full_type and plan.allow_equivalent_type else None
    if types is None:
        hint = closest_types(plan)
        raise NoCapacity(f"{error}. {hint}" if hint else str(error)) from error
    _take(run, plan, types, f"no {full_type} can be had now, {next(iter(types.values()))} is tried: {error}")


def _other_types(run: Run, plan: RunPlan, full_type: str) -> dict[str, str] | None:
    """By role; the closest type with which the worst case is within the budgets."""
    tried = run.progress.get("full_types", [])
    if len(tried) >= OTHER_TYPES:
        return None
    for types in with_equivalent(plan, full_type, without=tried, on=clock.now().date()):
        worst = _worst_usd(cluster.with_types(plan, types))
        candidate = Run(pk=run.pk, owner_id=run.owner_id, max_usd=run.max_usd, worst_case_usd=worst)
        if budget.refusal(candidate) is None:
            return types
    return None


def _worst_usd(plan: RunPlan) -> Decimal | None:
    worst = estimate_of(plan, clock.now().date()).worst.usd
    return None if worst is None else worst.quantize(Decimal("0.0001"))


def _take(run: Run, plan: RunPlan, types: Mapping[str, str], message: str) -> None:
    """From the next call on, all machines of these roles are of the other type."""
    progress, new_plan = run.progress, cluster.with_types(plan, types)
    prices = hourly_usd_by_role(new_plan, on=clock.now().date())
    worst = _worst_usd(new_plan)
    old = {node.role: node.instance_type for node in run.nodes.all()}
    with transaction.atomic():
        lifecycle.save_progress(
            run,
            instance_types={**progress.get("instance_types", {}), **types},
            full_types=[*progress.get("full_types", []), *{old[role] for role in types}],
            full_type=None,
            full_zones=[],
            earlier_moves=progress.get("earlier_moves", 0) + len(progress.get("full_zones", ())) + 1,
        )
        for role, instance_type in types.items():
            run.nodes.filter(role=role).update(instance_type=instance_type, hourly_usd=prices[role])
        Run.objects.filter(pk=run.pk).update(worst_case_usd=worst)
        lifecycle.note(run, message)
    run.worst_case_usd = worst
