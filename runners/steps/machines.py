"""What the provider says of a run's machines, written to its nodes."""

from collections.abc import Mapping

from django.utils import timezone

from runners.choices import NodeState
from runners.errors import RunFailed, SpotInterrupted
from runners.models import Run, RunNode
from runners.providers.base import Machine
from runners.providers.registry import provider_for


def look(run: Run) -> Mapping[str, Machine]:
    """The machines that exist now, by name; the nodes are brought up to date."""
    plan_region = run.plan.get("region")
    found = {machine.name: machine for machine in provider_for(run.provider, run).machines(run.tag, plan_region)}
    record(run, found)
    return found


def record(run: Run, found: Mapping[str, Machine]) -> None:
    """Write what is new about each machine; nodes that the provider does not know stay as they are."""
    changed = []
    for node in run.nodes.filter(name__in=found):
        machine = found[node.name]
        before = (node.provider_id, node.state, node.address, node.private_address)
        node.provider_id = machine.provider_id
        node.state = machine.state
        node.address = machine.address or node.address
        node.private_address = machine.private_address or node.private_address
        node.zone = machine.zone or node.zone
        node.launched_at = node.launched_at or machine.launched_at or timezone.now()
        if before != (node.provider_id, node.state, node.address, node.private_address):
            changed.append(node)
    RunNode.objects.bulk_update(
        changed,
        ["provider_id", "state", "address", "private_address", "zone", "launched_at"],
        batch_size=500,
    )


def taken_back(found: Mapping[str, Machine]) -> list[str]:
    """The names of the machines that the provider takes back, or has."""
    return sorted(name for name, machine in found.items() if machine.is_interrupted)


def gone(run: Run, found: Mapping[str, Machine]) -> list[str]:
    """The names of the nodes that ran and that the provider does not list any more."""
    return sorted(node.name for node in run.nodes.filter(state=NodeState.RUNNING) if node.name not in found)


def why_lost(run: Run, detail: str, otherwise: type[RunFailed]) -> RunFailed:
    """The error of a host that is gone: the cloud took it back, or it broke."""
    found = look(run)
    if taken := taken_back(found):
        return SpotInterrupted(f"the provider took back {', '.join(taken)}")
    missing = gone(run, found)
    if missing and run.plan.get("pricing_model") == "spot":
        return SpotInterrupted(f"{', '.join(missing)} is gone, as a spot machine may be")
    return otherwise(detail)
