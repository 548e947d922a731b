"""The state of a run's machines at the provider, written to its nodes."""

from collections.abc import Mapping

from runners import clock
from runners.choices import NodeState
from runners.errors import RetryLater, RunFailed, SpotInterrupted
from runners.hosts.hosts import HostLost
from runners.lifecycle import save_state
from runners.models import Run, RunNode
from runners.providers.base import Machine
from runners.providers.registry import provider_for
from submissions.choices import PricingModel

ATTEMPTS = 3  # steps in a row in which a host does not answer, before it is lost
_FIELDS = (
    "provider_id",
    "state",
    "address",
    "private_address",
    "volume_links",
    "zone",
    "launched_at",
    "terminated_at",
)


def look(run: Run) -> Mapping[str, Machine]:
    """The machines that exist now, by name, without those that were replaced; updates the nodes."""
    listed = provider_for(run.provider, run).machines(run.cloud_tag, run.plan.get("region"))
    by_name = {machine.name: machine for machine in listed}
    replaced = record(run, by_name)
    return {name: machine for name, machine in by_name.items() if name not in replaced}


def look_back(run: Run) -> None:
    """Write every machine that ever existed to its node: the receipt and the budget count them all."""
    ever = provider_for(run.provider, run).history(run.cloud_tag, run.plan.get("region"))
    record(run, {machine.name: machine for machine in ever})


def record(run: Run, machines: Mapping[str, Machine]) -> set[str]:
    """Update the nodes of these machines; nodes that are not among them stay unchanged. The names of replaced ones."""
    changed = []
    nodes = list(run.nodes.filter(name__in=machines))
    for node in nodes:
        machine = machines[node.name]
        before = [getattr(node, field) for field in _FIELDS]
        node.provider_id = machine.provider_id
        if not (node.replaced_at and node.state == NodeState.TERMINATED):  # some clouds list it for a while
            node.state = machine.state
        node.address = machine.address or node.address
        node.private_address = machine.private_address or node.private_address
        node.volume_links = list(machine.volume_links) or node.volume_links
        node.zone = machine.zone or node.zone
        node.launched_at = node.launched_at or machine.launched_at or clock.now()
        node.terminated_at = node.terminated_at or machine.terminated_at
        if before != [getattr(node, field) for field in _FIELDS]:
            changed.append(node)
    RunNode.objects.bulk_update(changed, _FIELDS, batch_size=500)
    return {node.name for node in nodes if node.replaced_at}


def interrupted(machines: Mapping[str, Machine]) -> list[str]:
    """The names of the spot machines that the provider is taking back or has taken back."""
    return sorted(name for name, machine in machines.items() if machine.is_interrupted)


def missing(run: Run, machines: Mapping[str, Machine]) -> list[str]:
    """The names of the nodes that were running and that the provider no longer lists."""
    running = run.nodes.filter(state=NodeState.RUNNING, replaced_at=None)
    return sorted(node.name for node in running if node.name not in machines)


def loss_of(run: Run, detail: str, otherwise: type[RunFailed]) -> RunFailed:
    """The error for a lost host: the cloud took it back, or it failed."""
    machines = look(run)
    if names := interrupted(machines):
        return SpotInterrupted(f"the provider took back {', '.join(names)}")
    names = missing(run, machines)
    if names and run.plan.get("pricing_model") == PricingModel.SPOT:
        return SpotInterrupted(f"{', '.join(names)} disappeared, as can happen to spot machines")
    return otherwise(detail)


def unanswered(run: Run, error: HostLost, otherwise: type[RunFailed]) -> Exception:
    """What to raise when hosts did not answer: each step asks them once, and three steps in a row decide.

    A machine that the cloud has taken back ends the run at once.
    """
    failure = loss_of(run, str(error), otherwise)
    attempts = run.state.get("unanswered", 0) + 1
    if isinstance(failure, SpotInterrupted) or attempts >= ATTEMPTS:
        return failure
    save_state(run, unanswered=attempts)
    return RetryLater(f"waiting for hosts: {error}")


def answered(run: Run) -> None:
    """Every host that was asked has answered."""
    if run.state.get("unanswered"):
        save_state(run, unanswered=0)
