"""What an owner may order in the place of instance types of which no zone has enough."""

from runners.plan import RunPlan
from runners.plans.equivalents import Hardware, nearest
from submissions.models import InstanceType


def closest_types(plan: RunPlan) -> str:
    """A sentence with the closest other type of the catalogue for each type of the plan; empty when none is known."""
    ordered = {plan.database.instance_type, *([plan.client.instance_type] if plan.client else [])}
    rows = InstanceType.objects.filter(provider=plan.provider)
    known = {row.name: Hardware(row.name, row.vcpus, row.memory_gib, row.local_disk_gib) for row in rows}
    others = [hardware for name, hardware in known.items() if name not in ordered]
    pairs = [(name, nearest(known[name], others)) for name in sorted(ordered & set(known))]
    texts = [f"{found.match.name} for {name}" for name, found in pairs if found]
    return f"The closest other types: {', '.join(texts)}." if texts else ""
