"""A plan to reproduce a submission: on the same machines, or on the closest ones of another provider."""

from collections.abc import Mapping
from typing import Any

from runners.choices import RunStatus
from runners.load_tools import MODULES, settings_of
from runners.models import Run
from runners.plans.equivalents import Hardware, nearest
from runners.providers.registry import offered
from submissions.formatting.names import provider_name, tool_name
from submissions.models import InstanceType, Submission

DEFAULT_MINUTES = 90


def plan_like(submission: Submission, *, provider: str | None = None) -> tuple[Mapping[str, Any], str]:
    """The plan, and a note for the user about what could not be carried over.

    A submission from a run of this site has its plan; for others it is derived from the document.
    """
    own = Run.objects.filter(submission=submission, status=RunStatus.SUCCEEDED).first()
    plan = dict(own.plan) if own else _from_document(submission)
    notes = [f"Filled in from result #{submission.pk}."]
    tool, target = plan["workload"].get("tool"), provider or plan["provider"]
    if tool not in MODULES:
        notes.append(f"Runs do not support {tool_name(tool)}: choose another load tool.")
    if dropped := sorted(set(plan.get("settings", {})) - set(settings_of(tool))):
        plan["settings"] = {name: value for name, value in plan["settings"].items() if name not in dropped}
        notes.append(f"Settings that a run cannot set were left out: {', '.join(dropped)}.")
    if target != plan["provider"]:
        notes += _move(plan, target)
    elif target not in offered():
        notes.append(f"This site does not offer runs on {provider_name(target)}.")
    return plan, " ".join(notes)


def _from_document(submission: Submission) -> dict[str, Any]:
    document = submission.document
    groups = {group["role"]: group for group in reversed(document["nodes"])}
    workload = document["workload"]
    mix = workload.get("operations") or {}
    load: dict[str, Any] = {
        "tool": workload["tool"],
        "operation": next(iter(mix)) if len(mix) == 1 else "mixed",
        "read_share": round(mix.get("read", 0), 4) if len(mix) > 1 else None,
        "consistency_level": workload.get("consistency_level"),
        "replication_factor": workload.get("replication_factor") or 1,
        "threads": workload.get("threads"),
        "columns": workload.get("columns"),
        "value_bytes": workload.get("value_bytes"),
        "fixed_rate_ops_s": workload.get("fixed_rate_ops_s"),
    }
    if workload.get("requested_duration_s"):
        load["duration_seconds"] = round(workload["requested_duration_s"])
    else:
        load["operations"] = workload.get("requested_operations") or document["trials"][0].get("operations")
    plan: dict[str, Any] = {
        "provider": document["provider"],
        "region": document.get("region"),
        "zones": document.get("zones") or [],
        "service": document["service"],
        "jdk": document.get("jdk"),
        "settings": document.get("settings") or {},
        "database": _nodes(groups["database"]),
        "workload": {name: value for name, value in load.items() if value is not None},
        "trials": max(3, len(document["trials"])),
        "max_duration_minutes": DEFAULT_MINUTES,
    }
    if "client" in groups:
        plan["client"] = _nodes(groups["client"])
    return plan


def _nodes(group: Mapping[str, Any]) -> dict[str, Any]:
    return {"instance_type": group["instance_type"], "count": group["count"], "disks": group.get("disks") or []}


def _move(plan: dict[str, Any], provider: str) -> list[str]:
    """Move the plan to another provider: instance types are mapped, region and zones are left to the user."""
    target = provider_name(provider)
    notes = [f"Moved from {provider_name(plan['provider'])} to {target}: choose a region and zones."]
    candidates = [_hardware(row) for row in InstanceType.objects.filter(provider=provider)]
    for role in ("database", "client"):
        if role not in plan:
            continue
        name = plan[role]["instance_type"]
        original = InstanceType.objects.filter(provider=plan["provider"], name=name).first()
        equivalent = nearest(_hardware(original), candidates) if original else None
        if equivalent is None:
            notes.append(f"No instance type of {target} similar to {name} is known.")
            continue
        notes.append(str(equivalent))
        plan[role] = {**plan[role], "instance_type": equivalent.match.name, "disks": []}
    plan.update(provider=provider, region=None, zones=[])
    return notes


def _hardware(row: InstanceType) -> Hardware:
    return Hardware(row.name, row.vcpus, row.memory_gib, row.local_disk_gib)
