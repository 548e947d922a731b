"""What may be ordered in the place of instance types of which no zone has enough."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import date

from runners.cluster import with_types
from runners.plan_schema.run_plan import RunPlan
from runners.plans.equivalents import Hardware, nearest
from runners.plans.pricing import hourly_usd_by_role
from runners.providers.registry import traits_of
from submissions.models import InstanceType

_SAME_WITHIN = 0.1  # of the memory and of the local disks


def closest_types(plan: RunPlan) -> str:
    """A sentence with the closest other type of the catalogue for each type of the plan; empty when none is known."""
    ordered = set(_types_of(plan).values())
    known = _catalogue(plan)
    others = [hardware for name, hardware in known.items() if name not in ordered]
    pairs = [(name, nearest(known[name], others)) for name in sorted(ordered & set(known))]
    texts = [f"{found.match.name} for {name}" for name, found in pairs if found]
    return f"The closest other types: {', '.join(texts)}." if texts else ""


def with_equivalent(plan: RunPlan, name: str, *, without: Collection[str], on: date) -> Iterator[dict[str, str]]:
    """The roles that have this type with another one of its family and size, the closest first.

    A type has a price in the region, so it exists there; local disks are those of the type, which must be as large.
    """
    known = _catalogue(plan)
    roles = [role for role, instance_type in _types_of(plan).items() if instance_type == name]
    if not roles or name not in known:
        return
    candidates: list[Hardware] = []
    for other in known.values():
        if other.name not in {name, *without} and _is_equivalent(plan.provider, known[name], other):
            usd = hourly_usd_by_role(with_types(plan, dict.fromkeys(roles, other.name)), on=on)[roles[0]]
            candidates += [replace(other, hourly_usd=usd)] if usd is not None else []
    original = replace(known[name], hourly_usd=hourly_usd_by_role(plan, on=on)[roles[0]])
    while found := nearest(original, candidates):
        yield dict.fromkeys(roles, found.match.name)
        candidates.remove(found.match)


def _types_of(plan: RunPlan) -> dict[str, str]:
    client = {"client": plan.client.instance_type} if plan.client else {}
    return {"database": plan.database.instance_type, **client}


def _catalogue(plan: RunPlan) -> dict[str, Hardware]:
    rows = InstanceType.objects.filter(provider=plan.provider)
    return {row.name: Hardware(row.name, row.vcpus, row.memory_gib, row.local_disk_gib) for row in rows}


def _is_equivalent(provider: str, one: Hardware, other: Hardware) -> bool:
    family = traits_of(provider).family
    pairs = ((one.memory_gib, other.memory_gib), (one.local_disk_gib, other.local_disk_gib))
    return (
        one.vcpus == other.vcpus
        and family(one.name) == family(other.name)
        and all(abs((a or 0) - (b or 0)) <= _SAME_WITHIN * (a or 0) for a, b in pairs)
    )
