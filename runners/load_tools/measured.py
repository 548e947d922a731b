"""The cluster in a run's document: what was ordered from the provider, and the facts that the hosts reported."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from runners.plan_schema.run_plan import NodesPlan, RunPlan
from submissions.choices import Role


def cluster_document(plan: RunPlan, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Everything but the workload; unknown facts are omitted. `facts`: by host name, from scripts/facts.py."""
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
    times = sorted(str(host["at"]) for host in database if host.get("at"))
    if times:
        document["measured_at"] = times[-1]  # after the installation, minutes before the first trial
    return {key: value for key, value in document.items() if value not in (None, "", [], {})}


def groups(plan: RunPlan, facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The node groups; machines of one type with different processors form separate groups."""
    names = plan.node_names()
    result = []
    for role, group in ((Role.DATABASE, plan.database), (Role.CLIENT, plan.client)):
        if group is None:
            continue
        hosts = _facts_of(facts, names, role)
        models = Counter(host.get("cpu_model") for host in hosts)
        models[None] += group.count - len(hosts)
        for model, count in sorted(models.items(), key=lambda pair: (-pair[1], pair[0] or "")):
            if count:
                same = [host for host in hosts if host.get("cpu_model") == model]
                result.append(_group(plan, group, role, count, model, same))
    return result


def jdk(plan: RunPlan, database: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The JDK that ran, if all hosts report the same; else the one in the plan."""
    reported = [
        (java.get("vendor"), java.get("version")) for host in database if isinstance(java := host.get("java"), dict)
    ]
    if reported and len(set(reported)) == 1:
        result = dict(zip(("vendor", "version"), reported[0], strict=True))
    else:
        result = plan.jdk.model_dump() if plan.jdk else {}
    return {key: value for key, value in result.items() if value is not None} or None


def host_settings(database: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Kernel, operating system and disk test, for readers to compare; one value where all hosts agree."""
    result: dict[str, Any] = {}
    for key in ("kernel", "os", "architecture"):
        values = sorted({str(host[key]) for host in database if host.get(key)})
        if values:
            result[key] = values[0] if len(values) == 1 else values[:20]
    tests = [host["disk_test"] for host in database if isinstance(host.get("disk_test"), dict)]
    if tests:
        result["disk_test"] = _disk_tests(tests)
    return result


def _disk_tests(tests: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The slowest and the fastest disk of all hosts in each test: a mean would hide a slow one."""
    result: dict[str, dict[str, float]] = {}
    for figures in (figures for test in tests for figures in test.values() if isinstance(figures, dict)):
        kind = result.setdefault(str(figures.get("test")), {})
        for key in ("mb_s", "iops", "latency_p99_ms"):
            value = figures.get(key)
            if isinstance(value, int | float):
                kind[f"{key}_min"] = min(kind.get(f"{key}_min", value), value)
                kind[f"{key}_max"] = max(kind.get(f"{key}_max", value), value)
    return result


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
    """The smallest value, if all hosts report one: memory may differ by a page or two."""
    values = [host[key] for host in same if isinstance(host.get(key), int | float)]
    return min(values) if values and len(values) == len(same) else None


def _facts_of(facts: Mapping[str, Any], names: Sequence[tuple[str, str, int]], role: Role) -> list[Mapping[str, Any]]:
    return [
        facts[name]
        for name, node_role, _ in names
        if node_role == role and isinstance(facts.get(name), dict) and facts[name]
    ]
