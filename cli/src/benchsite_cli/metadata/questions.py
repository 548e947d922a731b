"""Facts that are missing: asked for on a terminal; named, each with its option, where nobody can answer."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import typer

from benchsite_cli.errors import Failure
from benchsite_cli.logs.reading import Reading
from benchsite_cli.metadata.clusters import parse
from benchsite_cli.metadata.facts import OF_ALL_TOOLS, Facts
from benchsite_cli.site import Json

_MACHINES = frozenset({"#/provider", "#/nodes/0/count", "#/nodes/0/instance_type"})
_SERVICE = frozenset({"#/service", "#/service/name"})
_PROVIDERS = {"aws": "aws", "gcp": "gce", "gce": "gce", "local": "on-premises"}


@dataclass(frozen=True, slots=True)
class Missing:
    what: str
    option: str
    files: tuple[str, ...]

    def __str__(self) -> str:
        more = len(self.files) - 3
        shown = ", ".join(self.files[:3]) + (f" and {more} more" if more > 0 else "")
        return f"{self.what} ({shown}): {self.option}"

    def as_json(self) -> Json:
        return {"missing": self.what, "option": self.option, "files": list(self.files)}


class FactsMissing(Failure):
    def __init__(self, missing: Sequence[Missing]):
        self.missing = tuple(missing)
        lines = "\n".join(f"  - {each}" for each in missing)
        super().__init__(f"Nothing was published. Still to state:\n{lines}")


def is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def completed(facts: Facts, readings: Sequence[Reading]) -> Facts:
    """With what the files lack. Raises FactsMissing where nobody can be asked."""
    missing = _missing(facts, readings)
    if not missing:
        return facts
    if not is_terminal():
        raise FactsMissing(missing)
    return _answered(facts, readings)


def _missing(facts: Facts, readings: Sequence[Reading]) -> list[Missing]:
    lacking = [
        Missing(
            f"the database that {tool} loaded",
            f"--service {tool}=NAME, or --service NAME for all",
            _files(readings, _SERVICE, tool),
        )
        for tool in _tools_without_service(readings)
    ]
    if files := _files(readings, _MACHINES):
        option = '--aws "3x m5.xlarge us-east-1", --gcp "3x n2-standard-8 us-central1", --local "3x TYPE", or --here'
        if facts.cluster.instance_type is not None:
            option = f'how many there were: --nodes 3, or "3x {facts.cluster.instance_type} ..."'
        lacking.append(Missing("the machines of the database", option, files))
    return lacking


def _files(readings: Sequence[Reading], pointers: frozenset[str], tool: str | None = None) -> tuple[str, ...]:
    lacking = (each for each in readings if each.is_readable and each.missing & pointers)
    return tuple(each.file.name for each in lacking if tool is None or each.tool == tool)


def _tools_without_service(readings: Sequence[Reading]) -> list[str]:
    return sorted({each.tool for each in readings if each.tool is not None and each.missing & _SERVICE})


def _answered(facts: Facts, readings: Sequence[Reading]) -> Facts:
    services = dict(facts.services)
    for tool in _tools_without_service(readings):
        count = len(_files(readings, _SERVICE, tool))
        files = "1 file" if count == 1 else f"{count} files"
        services[tool] = typer.prompt(f"Which database did {tool} load? ({files})", err=True).strip()
    services = {tool: name for tool, name in services.items() if name or tool == OF_ALL_TOOLS}
    facts = replace(facts, services=services)
    if not _files(readings, _MACHINES):
        return facts
    cluster = facts.cluster
    if cluster.instance_type is not None:
        count = typer.prompt(f"How many {cluster.instance_type}?", type=int, err=True)
        return replace(facts, cluster=replace(cluster, count=count))
    named = cluster.provider or typer.prompt("Where did the database run? (aws, gcp, local, or another)", err=True)
    provider = _PROVIDERS.get(named.strip().lower(), named.strip().lower())
    machines = typer.prompt("On which machines? (such as 3x m5.xlarge us-east-1)", err=True)
    return replace(facts, cluster=parse(machines, provider))
