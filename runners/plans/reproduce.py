"""A plan like a submission's run: the same again, or on the nearest machines of another provider."""

from collections.abc import Mapping
from typing import Any

from runners.choices import RunStatus
from runners.load_tools import MODULES
from runners.models import Run
from runners.plans.equivalents import Hardware, nearest
from runners.providers.registry import offered
from submissions.models import InstanceType, Submission

DEFAULT_MINUTES = 90


def plan_like(submission: Submission, *, provider: str | None = None) -> tuple[Mapping[str, Any], str]:
    """The plan, and a note that says what could not be taken over.

    A submission of one of our own runs has its plan; another's is made from its document.
    """
    own = Run.objects.filter(submission=submission, status=RunStatus.SUCCEEDED).first()
    plan = dict(own.plan) if own else _from_document(submission)
    notes = [f"Filled from submission {submission.pk}."]
    if plan["workload"].get("tool") not in MODULES:
        notes.append(f"No run can use {plan['workload'].get('tool')}: choose another load tool.")
    wanted = provider or plan["provider"]
    if wanted != plan["provider"]:
        notes += _move(plan, wanted)
    elif wanted not in offered():
        notes.append(f"This site does not run on {wanted}.")
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
    """Put the plan on another provider: types are mapped, places are the user's to choose."""
    notes = [f"Moved from {plan['provider']} to {provider}: choose a region and zones there."]
    offered_there = [_hardware(row) for row in InstanceType.objects.filter(provider=provider)]
    for role in ("database", "client"):
        if role not in plan:
            continue
        name = plan[role]["instance_type"]
        wanted = InstanceType.objects.filter(provider=plan["provider"], name=name).first()
        found = nearest(_hardware(wanted), offered_there) if wanted else None
        if found is None:
            notes.append(f"No {provider} type near {name} is known.")
            continue
        notes.append(str(found))
        plan[role] = {**plan[role], "instance_type": found.found.name, "disks": []}
    plan.update(provider=provider, region=None, zones=[])
    return notes


def _hardware(row: InstanceType) -> Hardware:
    return Hardware(row.name, row.vcpus, row.memory_gib, row.local_disk_gib)
