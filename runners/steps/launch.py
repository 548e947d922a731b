"""Launching: every machine by (run tag, name), until all of them take commands."""

from datetime import timedelta

from django.utils import timezone

from runners import cluster
from runners.choices import NodeState, RunStatus
from runners.errors import BootstrapFailed
from runners.models import Run, RunNode
from runners.providers.registry import hosts_for, provider_for
from runners.steps import machines
from runners.steps.clock import remember, since
from runners.steps.prices import node_prices

# A machine that takes no command by then never will: clouds need one to three minutes.
READY_LIMIT = timedelta(minutes=10)


def step(run: Run) -> RunStatus | None:
    """Order what is missing, then wait until every host answers."""
    waited = since(run, "ordered_at")
    _write_down(run)
    order = cluster.order_of(run)
    provider = provider_for(run.provider, run)
    if "launched" not in run.state:
        # remembered before the call: tear-down waits for what a lost answer may have made
        remember(run, asked_at=timezone.now().isoformat())
        Run.objects.filter(pk=run.pk).update(progress={"stage": "launching", "asked_at": run.state["asked_at"]})
        found = provider.launch(order)
        machines.record(run, {machine.name: machine for machine in found})
        remember(run, launched=True)
        return None
    found_now = machines.look(run)
    running = {name for name, machine in found_now.items() if machine.state == NodeState.RUNNING}
    wanted = {node.name for node in order.nodes}
    if running >= wanted:
        silent = [name for name, answers in hosts_for(run).check(sorted(wanted)).items() if not answers]
        if not silent:
            return RunStatus.BOOTSTRAPPING
    else:
        silent = sorted(wanted - running)
        if any(machine.is_interrupted for machine in found_now.values()):
            raise machines.why_lost(run, "a machine is gone", BootstrapFailed)
    if waited > READY_LIMIT:
        raise BootstrapFailed(f"{', '.join(silent[:10])} took no commands in {READY_LIMIT.seconds // 60} minutes")
    return None


def _write_down(run: Run) -> None:
    """A row for each machine before the cloud is asked for it."""
    if run.nodes.exists():
        return
    order = cluster.order_of(run)
    prices = node_prices(run)
    indexes = {name: index for name, _, index in cluster.plan_of(run).node_names()}
    RunNode.objects.bulk_create(
        (
            RunNode(
                run=run,
                name=node.name,
                role=node.role,
                index=indexes[node.name],
                zone=node.zone,
                instance_type=node.instance_type,
                hourly_usd=prices.get(node.role),
            )
            for node in order.nodes
        ),
        ignore_conflicts=True,
    )
