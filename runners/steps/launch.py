"""Launching: every machine by (run tag, name), until all of them accept commands."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from runners import clock, cluster, lifecycle
from runners.choices import NodeState, RunStatus
from runners.errors import BootstrapFailed
from runners.lifecycle import save_progress, save_state, time_since
from runners.models import Run, RunNode
from runners.plans.pricing import hourly_usd_by_role
from runners.providers.base import NoCapacity, NodeOrder
from runners.providers.registry import hosts_for, provider_for
from runners.steps.machines import fallback_zones, handover, node_states, replacement

# A machine that accepts no commands by then never will: clouds need one to three minutes.
READY_LIMIT = timedelta(minutes=10)


def step(run: Run) -> RunStatus | None:
    """Order what is missing, then wait until every host accepts commands."""
    waited = time_since(run, "ordered_at")
    _create_nodes(run)
    if not replacement.clear(run):
        if waited > READY_LIMIT:
            raise BootstrapFailed("a machine that failed could not be deleted in time: none takes its place")
        return None
    if not run.state.get("launched"):
        _launch_missing(run)
        return None
    listed = node_states.look(run)
    running = {name for name, machine in listed.items() if machine.state == NodeState.RUNNING}
    ordered = set(run.nodes.filter(replaced_at=None).values_list("name", flat=True))
    if running >= ordered:
        not_ready = [name for name, is_ready in hosts_for(run).check(sorted(ordered)).items() if not is_ready]
        if not not_ready:
            return RunStatus.BOOTSTRAPPING
    else:
        not_ready = sorted(ordered - running)
        if node_states.interrupted(listed):
            raise node_states.loss_of(run, "a machine no longer exists", BootstrapFailed)
    if waited > READY_LIMIT:
        minutes = READY_LIMIT.seconds // 60
        error = BootstrapFailed(f"{', '.join(not_ready[:10])} accepted no commands within {minutes} minutes")
        replacement.replace(run, not_ready, ordered, error)
    return None


def _launch_missing(run: Run) -> None:
    """Order all machines, or those that take the places of others."""
    order = replace(cluster.order_of(run), **fallback_zones.places(run.progress))
    new = replacement.missing(run)
    if new is None and run.took_over_from_id:
        new = []  # all of them are there
    if new is not None:
        order = replace(order, nodes=cluster.requests_of(cluster.plan_of(run), new))
    try:
        if order.nodes:
            order_machines(run, order)
    except NoCapacity as error:
        if new is not None:
            names = ", ".join(node.name for node in new)
            raise NoCapacity(f"{names} cannot take the place of a machine that failed: {error}") from error
        fallback_zones.move(run, error)
    else:
        # the limit is for machines that exist: to have them may have taken long
        save_state(run, launched=True, ordered_at=clock.now().isoformat())


def order_machines(run: Run, order: NodeOrder) -> None:
    """Order the machines, unless the run has been torn down since: a worker may have been paused at any moment."""
    provider = provider_for(run.provider, run)
    provider.check_credentials()  # without any, nothing is asked for, and there is nothing to tear down
    # saved before the call: the tear-down waits for machines that a lost answer may have created
    save_state(run, asked_at=clock.now().isoformat())
    save_progress(run, stage="launching", asked_at=run.state["asked_at"])
    try:
        launched = provider.launch(
            replace(order, is_wanted=partial(_is_current, run, fallback_zones.places(run.progress)))
        )
    finally:
        if not lifecycle.is_still_needed(run) and not handover.may_be_passed_on(run):
            provider.terminate(order.tag, order.region)
    node_states.record(run, {machine.name: machine for machine in launched})


def _is_current(run: Run, places: Mapping[str, Any]) -> bool:
    """Whether the run still needs machines, and no other worker has moved it to another zone or type meanwhile."""
    progress = Run.objects.values_list("progress", flat=True).get(pk=run.pk)
    return lifecycle.is_still_needed(run) and fallback_zones.places(progress) == places


def _create_nodes(run: Run) -> None:
    """A row for each machine, before it is ordered from the cloud."""
    if run.nodes.exists():
        return
    order = cluster.order_of(run)
    plan = cluster.plan_of(run)
    prices = hourly_usd_by_role(plan, on=clock.now().date())
    indexes = {name: index for name, _, index in plan.node_names()}
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
