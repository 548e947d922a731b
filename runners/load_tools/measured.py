"""The cluster part of a run's document: what was asked of the provider, and what the hosts said of themselves."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from runners.plan import NodesPlan, RunPlan
from submissions.choices import Role


def cluster_document(plan: RunPlan, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Everything but the workload; what no host said is left out. `facts`: by host name, of scripts/facts.py."""
    names = plan.node_names()
    database = _facts_of(facts, names, Role.DATABASE)
    document: dict[str, Any] = {
        "service": plan.service.model_dump(mode="json", exclude_none=True),
        "title": plan.title,
        "provider": plan.provider,
        "region": plan.region,
        "zones": list(plan.zones),
        "nodes": groups(plan, facts),
        "jdk": jdk(plan, database),
        "settings": {**plan.settings, **host_settings(database)},
    }
    times = sorted(str(one["at"]) for one in database if one.get("at"))
    if times:
        document["measured_at"] = times[-1]  # after the installation, minutes before the first trial
    return {key: value for key, value in document.items() if value not in (None, "", [], {})}


def groups(plan: RunPlan, facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The node groups; machines of one type with different processors become groups of their own."""
    names = plan.node_names()
    found = []
    for role, group in ((Role.DATABASE, plan.database), (Role.CLIENT, plan.client)):
        if group is None:
            continue
        said = _facts_of(facts, names, role)
        models = Counter(one.get("cpu_model") for one in said)
        models[None] += group.count - len(said)
        for model, count in sorted(models.items(), key=lambda pair: (-pair[1], pair[0] or "")):
            if count:
                same = [one for one in said if one.get("cpu_model") == model]
                found.append(_group(plan, group, role, count, model, same))
    return found


def jdk(plan: RunPlan, database: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The JDK that ran, where all hosts say the same; else the one that was asked for."""
    said = [(java.get("vendor"), java.get("version")) for one in database if isinstance(java := one.get("java"), dict)]
    if said and len(set(said)) == 1:
        found = dict(zip(("vendor", "version"), said[0], strict=True))
    else:
        found = plan.jdk.model_dump() if plan.jdk else {}
    return {key: value for key, value in found.items() if value is not None} or None


def host_settings(database: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Kernel, system and disk test, for people to compare; each once where all hosts agree."""
    found: dict[str, Any] = {}
    for key in ("kernel", "os", "architecture"):
        values = sorted({str(one[key]) for one in database if one.get(key)})
        if values:
            found[key] = values[0] if len(values) == 1 else values[:20]
    tests = [one["disk_test"] for one in database if isinstance(one.get("disk_test"), dict)]
    if tests:
        found["disk_test"] = _disk_tests(tests)
    return found


def _disk_tests(tests: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Of each test the slowest and the fastest disk of all hosts: a skewed one shows, a mean would hide it."""
    found: dict[str, dict[str, float]] = {}
    for one in (figures for test in tests for figures in test.values() if isinstance(figures, dict)):
        kind = found.setdefault(str(one.get("test")), {})
        for key in ("mb_s", "iops", "latency_p99_ms"):
            value = one.get(key)
            if isinstance(value, int | float):
                kind[f"{key}_min"] = min(kind.get(f"{key}_min", value), value)
                kind[f"{key}_max"] = max(kind.get(f"{key}_max", value), value)
    return found


def _group(
    plan: RunPlan, group: NodesPlan, role: Role, count: int, model: str | None, same: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    content = {
        "role": role.value,
        "count": count,
        "instance_type": group.instance_type,
        "cpu_model": model,
        "vcpus": _common(same, "vcpus"),
        "memory_gib": _common(same, "memory_gib"),
        "disks": [disk.model_dump(mode="json", exclude_none=True) for disk in group.disks],
        "pricing_model": plan.pricing_model,
    }
    return {key: value for key, value in content.items() if value not in (None, [])}


def _common(same: Sequence[Mapping[str, Any]], key: str) -> Any:
    """The value that all hosts give; the smallest where memory differs by a page or two."""
    values = [one[key] for one in same if isinstance(one.get(key), int | float)]
    return min(values) if values and len(values) == len(same) else None


def _facts_of(facts: Mapping[str, Any], names: Sequence[tuple[str, str, int]], wanted: Role) -> list[Mapping[str, Any]]:
    return [
        facts[name] for name, role, _ in names if role == wanted and isinstance(facts.get(name), dict) and facts[name]
    ]
