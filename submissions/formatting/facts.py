"""Facts of a document in words: "nodes.database.instance_type" -> "Database nodes: instance type"."""

from decimal import Decimal
from typing import Any

_WHOLE = {
    "service.name": "Service",
    "service.version": "Service version",
    "provider": "Provider",
    "region": "Region",
    "zones": "Zones",
    "measured_at": "Measured at",
    "title": "Title",
    "notes": "Notes",
    "source": "Source",
    "source_url": "Source address",
    "jdk.vendor": "JDK vendor",
    "jdk.version": "JDK version",
    "network.kind": "Network",
    "network.encryption": "Network encryption",
    "workload.tool": "Load tool",
    "workload.tool_version": "Load tool version",
    "workload.value_bytes": "Value size of a column, bytes",
    "workload.threads": "Threads of one client",
    "workload.fixed_rate_ops_s": "Fixed rate, ops/s",
    "workload.requested_duration_s": "Requested duration, s",
    "workload.key_count": "Keys",
}
_WORDS = {
    "cpu_model": "CPU model",
    "vcpus": "vCPUs",
    "memory_gib": "memory, GiB",
    "hourly_usd": "USD per node and hour",
    "size_gib": "size, GiB",
    "iops": "IOPS",
    "throughput_mibps": "throughput, MiB/s",
    "raid": "RAID",
}


def label(field: str) -> str:
    """What a reader calls a flat fact of analysis/documents.py."""
    if field in _WHOLE:
        return _WHOLE[field]
    section, _, rest = field.partition(".")
    if section == "settings":
        return f"Setting {rest}"
    if section == "nodes":
        group, _, name = rest.partition(".")
        return f"{group.capitalize()} nodes: {_words(name)}"
    if rest.startswith("operations."):
        return f"Share of {rest.removeprefix('operations.')}"
    words = _words(rest or section)
    return words[:1].upper() + words[1:]


def shown(field: str, value: Any) -> str | None:
    """The value in words; None stays None, for "not said"."""
    if value is None:
        return None
    if field.startswith("workload.operations.") and isinstance(value, int | float):
        return f"{value * 100:.4g} %"
    if field.endswith(("pricing_model", "network.encryption")):
        return str(value).replace("_", " ")
    if field.endswith("hourly_usd"):
        return f"{Decimal(value).normalize():f}"
    return _plain(value)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.10g}"
    if isinstance(value, dict):
        return disk(value) if "kind" in value else _pairs(value)
    if isinstance(value, list | tuple):
        return ", ".join(_plain(item) for item in value)
    return str(value)


def disk(facts: dict[str, Any]) -> str:
    """{"kind": "local-ssd", "count": 2, "size_gib": 80} -> "2 x local-ssd, 80 GiB"."""
    parts = [f"{facts.get('count') or 1} x {facts['kind']}"]
    if facts.get("size_gib") is not None:
        parts.append(f"{facts['size_gib']:g} GiB")
    parts += [str(facts[name]) for name in ("raid", "filesystem") if facts.get(name) not in (None, "none")]
    if facts.get("iops"):
        parts.append(f"{facts['iops']:,} IOPS")
    if facts.get("throughput_mibps"):
        parts.append(f"{facts['throughput_mibps']:,} MiB/s")
    return ", ".join(parts)


def _pairs(value: dict[str, Any]) -> str:
    return ", ".join(f"{name}: {_plain(item)}" for name, item in value.items())


def _words(name: str) -> str:
    return _WORDS.get(name, name.replace("_", " "))
