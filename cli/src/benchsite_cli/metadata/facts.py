"""What the uploader states once for all files: the metadata of an import."""

import json
import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from benchsite_cli.errors import Failure
from benchsite_cli.metadata.clusters import Cluster

OF_ALL_TOOLS = ""
# Names under which a tool is called, and the one by which the site calls it.
_TOOLS = {
    "cql-stress": "cassandra-stress",
    "easy-cass-stress": "cassandra-easy-stress",
    "memtier": "memtier-benchmark",
    "nb5": "nosqlbench",
    "oltpbench": "benchbase",
    "oltp-bench": "benchbase",
    "tlp-stress": "cassandra-easy-stress",
    "valkey-benchmark": "redis-benchmark",
}


@dataclass(frozen=True, slots=True)
class Facts:
    """`services`: the database by load tool, OF_ALL_TOOLS for all others. `others` is the rest of the document."""

    cluster: Cluster = Cluster()
    clients: Cluster | None = None
    services: Mapping[str, str] = field(default_factory=dict)
    service_version: str | None = None
    pricing_model: str | None = None
    hourly_usd: str | None = None
    command: str | None = None
    others: Mapping[str, Any] = field(default_factory=dict)

    def document(self, tool: str | None = None) -> dict[str, Any]:
        """The metadata of a log of this load tool; without the facts that are not stated."""
        document = deepcopy(dict(self.others))
        own = {"provider": self.cluster.provider, "region": self.cluster.region}
        document |= {name: value for name, value in own.items() if value is not None}
        if self.cluster.zone is not None:
            document["zones"] = [self.cluster.zone]
        if "nodes" not in document or self.cluster != Cluster():
            document["nodes"] = self._nodes()
        service = {"name": self.service_of(tool), "version": self.service_version}
        if stated := {name: value for name, value in service.items() if value is not None}:
            document["service"] = {**_section(document, "service"), **stated}
        if self.command is not None:
            document["workload"] = {**_section(document, "workload"), "command": self.command}
        return document

    def service_of(self, tool: str | None) -> str | None:
        return self.services.get(tool or OF_ALL_TOOLS) or self.services.get(OF_ALL_TOOLS)

    @property
    def is_by_tool(self) -> bool:
        return any(tool != OF_ALL_TOOLS for tool in self.services)

    def without_database(self) -> dict[str, Any]:
        """The metadata of a log whose load tool is not known yet: a database of another tool would be refused."""
        document = replace(self, services={}).document()
        section = {name: value for name, value in _section(document, "service").items() if name != "name"}
        document.pop("service", None)
        return {**document, "service": section} if section else document

    def _nodes(self) -> list[dict[str, Any]]:
        price = {"pricing_model": self.pricing_model, "hourly_usd": self.hourly_usd}
        nodes = [_group("database", self.cluster, price)]
        if self.clients is not None:
            nodes.append(_group("client", self.clients, {}))
        return nodes


def _group(role: str, cluster: Cluster, price: Mapping[str, str | None]) -> dict[str, Any]:
    facts = {
        "role": role,
        "count": cluster.count,
        "instance_type": cluster.instance_type,
        "vcpus": cluster.vcpus,
        "memory_gib": cluster.memory_gib,
        "cpu_model": cluster.cpu_model,
        **price,
    }
    return {name: value for name, value in facts.items() if value is not None}


def _section(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    content = document.get(name)
    return content if isinstance(content, Mapping) else {}


def parse_services(texts: Sequence[str]) -> dict[str, str]:
    """`cassandra` for all load tools, `pgbench=postgresql` for one. Raises Failure."""
    services: dict[str, str] = {}
    for text in texts:
        tool, equals, name = text.partition("=")
        tool, name = (tool.strip(), name.strip()) if equals else (OF_ALL_TOOLS, tool.strip())
        if not name or (equals and not tool):
            raise Failure(f"--service {text!r}: write the database, or TOOL=DATABASE")
        services[_tool(tool)] = name
    return services


def _tool(name: str) -> str:
    """As the site writes it: `memtier-benchmark` of memtier_benchmark, `ycsb` of YCSB."""
    word = re.sub(r"[\s_]+", "-", name.lower())
    return _TOOLS.get(word, word)


def read_mapping(path: Path, what: str) -> dict[str, Any]:
    """A JSON or YAML file with one mapping. Raises Failure."""
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except (OSError, UnicodeError, ValueError, yaml.YAMLError) as error:
        raise Failure(f"{what} {path} cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise Failure(f"{what} {path} must contain a mapping of names to values")
    return content
