"""A plan to reproduce a submission: on the same machines, or on the closest ones of another provider."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.utils import timezone

from runners.choices import RunStatus
from runners.load_tools import MODULES, settings_of
from runners.models import Run
from runners.plans.equivalents import Hardware, nearest
from runners.plans.offers import offers_of
from runners.providers.registry import offered, traits_of
from submissions.choices import LoadMode
from submissions.formatting.load import rate_words
from submissions.formatting.names import provider_name, tool_name
from submissions.models import InstanceType, Submission

DEFAULT_MINUTES = 90
OTHER_CLOUD = "other"  # in the place of a provider: the first cloud of this site that is not the submission's


def clouds_beside(provider: str) -> list[str]:
    """The clouds of this site but this one."""
    return [slug for slug in offered() if slug != provider and not traits_of(slug).is_this_machine]


def plan_like(submission: Submission, *, provider: str | None = None) -> tuple[Mapping[str, Any], str]:
    """The plan, and a note for the user about what could not be carried over.

    A submission from a run of this site has its plan; for others it is derived from the document.
    """
    if provider == OTHER_CLOUD:
        others = clouds_beside(submission.provider)
        if not others:
            plan, note = plan_like(submission)
            return plan, f"{note} This site offers no other cloud."
        provider = others[0]
    elif provider not in clouds_beside(""):
        provider = None
    own = Run.objects.filter(submission=submission, status=RunStatus.SUCCEEDED).first()
    plan = dict(own.plan) if own else _from_document(submission)
    notes = [f"Filled in from result #{submission.pk}."]
    tool, target = plan["workload"].get("tool"), provider or plan["provider"]
    if tool not in MODULES:
        notes.append(f"Runs do not support {tool_name(tool)}: choose another load tool.")
    if submission.throttle_ops_s:
        limit = rate_words(submission.throttle_ops_s)
        notes.append(f"Its threads were limited to {limit}: a run limits its load only by a fixed rate.")
    if dropped := sorted(set(plan.get("settings", {})) - set(settings_of(tool))):
        plan["settings"] = {name: value for name, value in plan["settings"].items() if name not in dropped}
        notes.append(f"Settings that a run cannot set were left out: {', '.join(dropped)}.")
    if target != plan["provider"]:
        notes += _move(plan, target, submission)
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
        "fixed_rate_ops_s": submission.fixed_rate_ops_s,
    }
    if workload.get("requested_duration_s"):
        load["duration_seconds"] = round(workload["requested_duration_s"])
    else:
        first = submission.trials.repetitions().first()
        load["operations"] = workload.get("requested_operations") or (first and first.operations)
    if submission.load_mode == LoadMode.CURVE and (highest := submission.load_points.filter(is_peak=True).first()):
        load |= {"threads": highest.threads, "fixed_rate_ops_s": highest.offered_ops_s}
    plan: dict[str, Any] = {
        "provider": document["provider"],
        "region": document.get("region"),
        "zones": document.get("zones") or [],
        "service": document["service"],
        "jdk": document.get("jdk"),
        "settings": document.get("settings") or {},
        "database": _nodes(groups["database"]),
        "workload": {name: value for name, value in load.items() if value is not None},
        "trials": max(3, submission.trials_count),
        "max_duration_minutes": DEFAULT_MINUTES,
        "max_usd": str(settings.MAX_RUN_USD),
    }
    if "client" in groups:
        plan["client"] = _nodes(groups["client"])
    return plan


def _nodes(group: Mapping[str, Any]) -> dict[str, Any]:
    return {"instance_type": group["instance_type"], "count": group["count"], "disks": group.get("disks") or []}


def _move(plan: dict[str, Any], provider: str, submission: Submission) -> list[str]:
    """Move the plan to the usual region of another provider, to as many zones, on the closest instance types."""
    target, traits = provider_name(provider), traits_of(provider)
    region, zones = traits.usual_region, list(traits.usual_zones[: len(plan.get("zones") or [])])
    where = f"{target} {region}: change region and zones if you like" if region else f"{target}: choose a region"
    notes = [f"Moved from {provider_name(plan['provider'])} to {where}."]
    candidates = [offer.hardware for offer in offers_of(provider, region, on=timezone.now().date())]
    for role in ("database", "client"):
        if not plan.get(role):
            continue
        name = plan[role]["instance_type"]
        original = _original(plan, name) or _measured(submission, role)
        equivalent = nearest(original, candidates) if original else None
        if equivalent is None:
            notes.append(f"No instance type of {target} equivalent to {name} is known: choose one.")
            plan[role] = {**plan[role], "instance_type": "", "disks": []}
            continue
        notes.append(f"Closest {role} type: {equivalent}")
        if plan[role].get("disks"):
            notes.append(f"The disks of the {role} nodes were not carried over: order them below.")
        plan[role] = {**plan[role], "instance_type": equivalent.match.name, "disks": []}
    plan.update(provider=provider, region=region, zones=zones, max_usd=str(settings.MAX_RUN_USD))
    return notes


def _original(plan: Mapping[str, Any], name: str) -> Hardware | None:
    """With the price of its own region, which chooses between equivalents of the same size."""
    row = InstanceType.objects.filter(provider=plan["provider"], name=name).first()
    if row is None:
        return None
    offers = offers_of(plan["provider"], plan.get("region"), on=timezone.now().date())
    usd = next((offer.hourly_usd for offer in offers if offer.name == name), None)
    return Hardware(row.name, row.vcpus, row.memory_gib, row.local_disk_gib, usd)


def _measured(submission: Submission, role: str) -> Hardware | None:
    """What the submission says of its machines."""
    for group in submission.document["nodes"]:
        if group["role"] == role and group.get("vcpus") and group.get("memory_gib"):
            return Hardware(group["instance_type"], group["vcpus"], group["memory_gib"])
    return None
