"""The machines of a run as orders for the provider and as members for the workload."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from django.conf import settings

from runners.hosts.keys import public_key, unseal, user_data
from runners.load_tools.base import Member
from runners.models import Run, RunNode
from runners.plan_schema.run_plan import NodesPlan, RunPlan, node_name
from runners.providers.base import DiskOrder, NodeOrder, NodeRequest
from runners.providers.registry import traits_of
from submissions.choices import Role


def plan_of(run: Run) -> RunPlan:
    """The plan, with the instance types that were taken where those that it names could not be had."""
    return with_types(RunPlan.model_validate(run.plan), run.progress.get("instance_types", {}))


def plan_of_trial(run: Run, trial: int) -> RunPlan:
    """The plan at the load of that trial."""
    plan = plan_of(run)
    if plan.load is None:
        return plan
    step = run.progress["load_steps"][trial]
    return plan.at_load(
        threads=step["threads"],
        fixed_rate_ops_s=step["offered_ops_s"],
        duration_seconds=step["duration_seconds"],
    )


def trials_of(run: Run) -> int:
    """How many trials the run has; of one with several loads those that were decided so far."""
    return len(run.progress.get("load_steps", ())) if run.plan.get("load") else int(run.plan["trials"])


def with_types(plan: RunPlan, types: Mapping[str, str]) -> RunPlan:
    """The plan with other instance types, by role."""
    groups = {
        role: _group(plan, role).model_copy(update={"instance_type": instance_type})
        for role, instance_type in types.items()
    }
    return plan.model_copy(update=groups)


def order_of(run: Run) -> NodeOrder:
    """Everything to create for the run; identical on every call."""
    if run.ssh_key is None or run.host_key is None or run.expires_at is None:
        raise ValueError(f"run {run.pk} was never queued")
    plan = plan_of(run)
    authorized = public_key(unseal(run.ssh_key))
    return NodeOrder(
        tag=run.cloud_tag,
        owner=run.owner.get_username(),
        expires_at=run.expires_at,
        region=plan.region,
        nodes=nodes_of(plan),
        spot=plan.is_spot,
        ssh_public_key=authorized,
        user_data=user_data(unseal(run.host_key), authorized, expires_at=run.expires_at),
        worker_cidr=settings.RUN_SSH_CIDR,
    )


def nodes_of(plan: RunPlan) -> tuple[NodeRequest, ...]:
    """The machines that a plan orders."""
    return tuple(
        NodeRequest(
            name=name,
            role=role,
            instance_type=_group(plan, role).instance_type,
            zone=plan.zone_of(index) if role == Role.DATABASE else plan.zone_of(0),
            disks=_disks(_group(plan, role)),
        )
        for name, role, index in plan.node_names()
    )


def requests_of(plan: RunPlan, replacements: Iterable[RunNode]) -> tuple[NodeRequest, ...]:
    """The machines in the places of others: equal to them, under other names, in the same zones."""
    ordered = {request.name: request for request in nodes_of(plan)}
    return tuple(replace(ordered[_place(node)], name=node.name, zone=node.zone) for node in replacements)


def is_replacement(node: RunNode) -> bool:
    return node.name != _place(node)


def facts_of(nodes: Iterable[RunNode]) -> Mapping[str, Any]:
    """What the hosts that were measured report of themselves, by the names of the plan."""
    return {_place(node): node.facts for node in nodes if node.replaced_at is None}


def members_of(nodes: Iterable[RunNode], plan: RunPlan | None = None) -> list[Member]:
    """Database nodes come first; each role is ordered by index; without replaced nodes.

    With the plan, members know their disks.
    """
    current = [node for node in nodes if node.replaced_at is None]
    ordered = sorted(current, key=lambda node: (node.role != Role.DATABASE, node.index))
    return [
        Member(
            name=node.name,
            role=node.role,
            index=node.index,
            address=node.private_address or node.address or "",
            zone=node.zone,
            disks=_links(plan, node) if plan else (),
            is_replacement=is_replacement(node),
        )
        for node in ordered
    ]


def _links(plan: RunPlan, node: RunNode) -> tuple[str, ...]:
    """The links of the node's disks on its host, in the order of the plan; without unlisted volumes."""
    traits = traits_of(plan.provider)
    volumes, locals_ = iter(node.volume_links), count()
    kinds = [disk.kind for disk in _group(plan, node.role).disks for _ in range(disk.count)]
    links = [
        traits.local_disk_link(next(locals_)) if kind in traits.local_disks else next(volumes, None) for kind in kinds
    ]
    return tuple(link for link in links if link)


def _place(node: RunNode) -> str:
    return node_name(node.role, node.index)


def _group(plan: RunPlan, role: str) -> NodesPlan:
    group = plan.database if role == Role.DATABASE else plan.client
    if group is None:
        raise ValueError(f"the plan has no {role} nodes")
    return group


def _disks(group: NodesPlan) -> tuple[DiskOrder, ...]:
    return tuple(
        DiskOrder(
            kind=disk.kind,
            count=disk.count,
            size_gib=disk.size_gib,
            iops=disk.iops,
            throughput_mibps=disk.throughput_mibps,
            raid=disk.raid,
            filesystem=disk.filesystem,
        )
        for disk in group.disks
    )
