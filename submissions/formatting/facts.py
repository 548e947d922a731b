"""Facts of a document in words: "nodes.database.instance_type" -> "Database nodes: instance type"."""

from decimal import Decimal
from typing import Any

from submissions.facts import BY_PLACE, OPERATION_MIX, PROVIDER, SERVICE, TOOL, Fact
from submissions.formatting.names import provider_name, service_name, tool_name

_DISPLAY_NAMES = {PROVIDER.place: provider_name, SERVICE.place: service_name, TOOL.place: tool_name}


def field_label(field: str) -> str:
    """What a reader calls a flat fact of analysis/documents.py."""
    section, _, rest = field.partition(".")
    if section == "settings":
        return f"Setting {rest}"
    if section == "nodes":
        group, _, name = rest.partition(".")
        return f"{group.capitalize()} nodes: {_noun_with_unit(BY_PLACE.get(f'nodes.{name}'), name)}"
    if field.startswith(f"{OPERATION_MIX.place}."):
        return f"Share of {rest.partition('.')[2]} operations"
    fact = BY_PLACE.get(field)
    return fact.label_with_unit if fact else _words(rest or section)


def field_text(field: str, value: Any) -> str | None:
    """The value in words; None, for a fact that is not stated, stays None."""
    if value is None:
        return None
    place = _place(field)
    if place.startswith(f"{OPERATION_MIX.place}.") and isinstance(value, int | float):
        return f"{value * 100:.4g} %"
    if place in _DISPLAY_NAMES:
        return _DISPLAY_NAMES[place](str(value))
    fact = BY_PLACE.get(place)
    if fact and fact.choices and value in list(fact.choices):
        return fact.choices(value).label
    if place.endswith("hourly_usd"):
        return f"{Decimal(value).normalize():f}"
    return _plain(value)


def fact_text(fact: Fact, value: Any) -> str | None:
    """The value of its column in words; None where it is unknown."""
    if fact.choices and value in list(fact.choices):
        return fact.choices(value).label
    return field_text(fact.place, value)


def disk_text(facts: dict[str, Any]) -> str:
    """{"kind": "local-ssd", "count": 2, "size_gib": 80} -> "2× local-ssd, 80 GiB"."""
    parts = [f"{facts.get('count') or 1}× {facts['kind']}"]
    if facts.get("size_gib") is not None:
        parts.append(f"{facts['size_gib']:g} GiB")
    parts += [str(facts[name]) for name in ("raid", "filesystem") if facts.get(name) not in (None, "none")]
    if facts.get("iops"):
        parts.append(f"{facts['iops']:,} IOPS")
    if facts.get("throughput_mibps"):
        parts.append(f"{facts['throughput_mibps']:,} MiB/s")
    return ", ".join(parts)


def _place(field: str) -> str:
    """Without the role of a node group: "nodes.database 2.count" -> "nodes.count"; "nodes.count" stays."""
    parts = field.split(".")
    return f"nodes.{'.'.join(parts[2:])}" if parts[0] == "nodes" and len(parts) > 2 else field


def _noun_with_unit(fact: Fact | None, name: str) -> str:
    if fact is None:
        return name.replace("_", " ")
    return f"{fact.noun} ({fact.unit})" if fact.unit else fact.noun


def _words(name: str) -> str:
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.10g}"
    if isinstance(value, dict):
        return disk_text(value) if "kind" in value else _pairs(value)
    if isinstance(value, list | tuple):
        return ", ".join(_plain(item) for item in value)
    return str(value)


def _pairs(value: dict[str, Any]) -> str:
    return ", ".join(f"{name}: {_plain(item)}" for name, item in value.items())
