"""Merges the uploader's facts and the log's facts; a contradiction is refused with both values."""

from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from benchsite.http.refusals import Fault, Refusal
from submissions.choices import Role
from submissions.ingest.dates import plausible
from submissions.ingest.document.readings import Facts, MachineReading
from submissions.ingest.logs.databases import contradiction, databases_of
from submissions.vocabulary import slug

# A date without a time, in any time zone, is no contradiction to the log's clock.
CLOCK_TOLERANCE = timedelta(hours=36)
RATE_TOLERANCE = 0.02

# Facts with the same name in the document's workload.
_WORKLOAD = (
    "tool_version",
    "command",
    "consistency_level",
    "replication_factor",
    "columns",
    "value_bytes",
    "key_count",
    "key_distribution",
    "threads",
    "pipeline",
    "fixed_rate_ops_s",
    "throttle_ops_s",
    "requested_operations",
    "requested_duration_s",
)


def clients_facts(files: Sequence[Facts]) -> Facts:
    """What the clients of one trial state together.

    Each may be given the end of its own part of the keys: the highest is the number of all. The first ones to
    state them give the facts that may differ between clients.
    """
    key_count = max((facts.key_count for facts in files if facts.key_count is not None), default=None)
    return common_facts([replace(facts, key_count=key_count) for facts in files])


def common_facts(files: Sequence[Facts]) -> Facts:
    """What all the files of a submission state; Refusal where two state different things."""
    merged: dict[str, Any] = {}
    faults = []
    for field in fields(Facts):
        known = [value for facts in files if (value := getattr(facts, field.name)) is not None]
        if not known:
            continue
        if field.name == "measured_at":
            merged[field.name] = min(known)
        elif field.name == "node_count":
            merged[field.name] = max(known)
        elif field.name in ("command", "title", "operations", "settings"):
            # each client has its own command line and its own measured mix
            merged[field.name] = known[0]
        elif any(not _agrees(value, known[0]) for value in known):
            values = ", ".join(sorted({str(value) for value in known}))
            faults.append(Fault("#/files", f"the logs differ in {field.name}: {values}"))
        else:
            merged[field.name] = known[0]
    if faults:
        raise Refusal(faults)
    return Facts(**merged)


def complete(
    metadata: dict[str, Any], facts: Facts, *, tool: str, threads: int | None
) -> tuple[dict[str, Any], frozenset[str]]:
    """`metadata` with the gaps filled from the log, and the pointers of what was filled or agrees.

    Raises Refusal at every fact for which the uploader and the log state different values.
    """
    filler = _Filler(metadata)
    filler.fill(("service", "name"), facts.service, is_slug=True)
    if facts.service is None:
        filler.fill_database(tool, databases_of(tool, facts))
    filler.fill(("service", "version"), facts.service_version)
    filler.fill(("measured_at",), plausible(facts.measured_at, received_at=datetime.now(UTC)))
    filler.fill(("title",), facts.title, must_agree=False)
    filler.fill(("workload", "tool"), tool, is_slug=True)
    for name in _WORKLOAD:
        value = threads if name == "threads" else getattr(facts, name)
        filler.fill(("workload", name), value, must_agree=name != "command")
    filler.fill(("workload", "operations"), _shares(facts.operations))
    filler.fill(("client_placement",), facts.client_placement)
    for name, value in (facts.settings or {}).items():
        filler.fill(("settings", name), value, must_agree=False)
    filler.fill(("provider",), facts.provider, is_slug=True)
    filler.fill(("region",), facts.region, must_agree=False)
    filler.fill(("zones",), list(facts.zones) if facts.zones else None, must_agree=False)
    filler.fill_machines(facts.machines or ())
    filler.fill_node_count(facts.node_count)
    if filler.faults:
        raise Refusal(filler.faults)
    return filler.document, frozenset(filler.from_log)


def _shares(operations: dict[str, float] | None) -> dict[str, float] | None:
    """Shares above zero, rounded as far as they still sum to one."""
    if not operations:
        return None
    return {name: round(share, 6) for name, share in operations.items() if share > 0} or None


class _Filler:
    def __init__(self, metadata: dict[str, Any]):
        self.document = _copied(metadata)
        self.from_log: set[str] = set()
        self.faults: list[Fault] = []

    def fill(
        self,
        place: tuple[str, ...],
        from_log: Any,
        *,
        is_slug: bool = False,
        must_agree: bool = True,
    ) -> None:
        """Set the value at `place` unless it is there; compare it when it is."""
        pointer = "#/" + "/".join(place)
        home: Any = self.document
        for name in place[:-1]:
            if name not in home or home[name] is None:
                if from_log is None:
                    return
                home[name] = {}
            home = home[name]
            if not isinstance(home, dict):
                return  # the document's own check reports it
        stated = home.get(place[-1])
        if stated in (None, "", {}):
            if from_log is not None:
                home[place[-1]] = _plain(from_log)
                self.from_log.add(pointer)
            return
        if from_log is not None and must_agree and not _agrees(stated, from_log, is_slug=is_slug):
            self.faults.append(Fault(pointer, f"the log says {_shown(from_log)}, the upload says {_shown(stated)}"))
        elif from_log is not None:
            self.from_log.add(pointer)

    def fill_database(self, tool: str, databases: Sequence[str]) -> None:
        """The only one that the tool can have loaded where none is stated; one that it cannot is a fault."""
        service = self.document.get("service")
        stated = service.get("name") if isinstance(service, dict) else None
        if len(databases) == 1 and stated in (None, ""):
            self.fill(("service", "name"), databases[0])
        elif reason := contradiction(stated, tool=tool, databases=databases):
            self.faults.append(Fault("#/service/name", reason))

    def fill_machines(self, machines: Sequence[MachineReading]) -> None:
        """The groups of machines that are not stated; where a role has as many, one after the other is compared."""
        groups = self.document.setdefault("nodes", []) if machines else None
        if not isinstance(groups, list):
            return
        for role in dict.fromkeys(machine.role for machine in machines):
            alike = [machine for machine in machines if machine.role == role]
            stated = [index for index, group in enumerate(groups) if _role(group) == role]
            if len(stated) == 1 and "instance_type" not in groups[stated[0]]:
                stated += range(len(groups), len(groups) + len(alike) - 1)
                groups += [{"role": role.value} for _ in alike[1:]]
            elif not stated:
                stated = list(range(len(groups), len(groups) + len(alike)))
                groups += [{"role": role.value} for _ in alike]
            if len(stated) == len(alike):
                for index, machine in zip(stated, alike, strict=True):
                    self._fill_machine(groups[index], index, machine)

    def _fill_machine(self, group: dict[str, Any], index: int, machine: MachineReading) -> None:
        for name in ("instance_type", "count", "vcpus"):
            from_log, pointer = getattr(machine, name), f"#/nodes/{index}/{name}"
            if from_log is None:
                continue
            stated = group.get(name)
            if stated in (None, ""):
                group[name] = from_log
                self.from_log.add(pointer)
            elif _agrees(stated, from_log):
                self.from_log.add(pointer)
            else:
                self.faults.append(Fault(pointer, f"the log says {_shown(from_log)}, the upload says {_shown(stated)}"))

    def fill_node_count(self, node_count: int | None) -> None:
        """A log names at least the nodes it used: the cluster may be larger, never smaller."""
        groups = self.document.get("nodes")
        if node_count is None or not isinstance(groups, list):
            return
        databases = [
            (index, group)
            for index, group in enumerate(groups)
            if isinstance(group, dict) and group.get("role") == Role.DATABASE
        ]
        if len(databases) == 1 and databases[0][1].get("count") is None:
            index, group = databases[0]
            group["count"] = node_count
            self.from_log.add(f"#/nodes/{index}/count")
            return
        counts = [group.get("count") for _, group in databases]
        known = [count for count in counts if type(count) is int]
        if known and len(known) == len(counts) and sum(known) < node_count:
            self.faults.append(
                Fault(
                    f"#/nodes/{databases[0][0]}/count",
                    f"the log names {node_count} nodes, the upload says {sum(known)}",
                )
            )


def _role(group: Any) -> object:
    return group.get("role") if isinstance(group, dict) else None


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copied(item) for item in value]
    return value


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _shown(value: Any) -> str:
    return str(_plain(value))[:200]


def _agrees(stated: Any, from_log: Any, *, is_slug: bool = False) -> bool:
    if isinstance(from_log, datetime):
        return _same_day(stated, from_log)
    if isinstance(from_log, dict):
        return isinstance(stated, dict) and _same_mix(stated, from_log)
    if isinstance(from_log, float) and isinstance(stated, int | float):
        return abs(stated - from_log) <= RATE_TOLERANCE * abs(from_log)
    if isinstance(from_log, str) and isinstance(stated, str):
        if is_slug:
            try:
                return slug(stated) == slug(from_log)
            except ValueError:
                return True  # not a slug: the document's own check reports it
        return stated.strip().casefold() == from_log.strip().casefold()
    # a value of another type is refused by the document's own check, with its reason
    return type(stated) is not type(from_log) or bool(stated == from_log)


def _same_day(stated: Any, from_log: datetime) -> bool:
    if isinstance(stated, str):
        try:
            stated = datetime.fromisoformat(stated)
        except ValueError:
            return True
    if not isinstance(stated, datetime) or stated.tzinfo is None:
        return True
    return abs(stated - from_log) <= CLOCK_TOLERANCE


def _same_mix(stated: dict[str, Any], from_log: dict[str, float]) -> bool:
    names = {str(name).lower() for name in stated} | {name.lower() for name in from_log}
    known = {str(name).lower(): share for name, share in stated.items()}
    logged = {name.lower(): share for name, share in from_log.items()}
    return all(
        isinstance(known.get(name, 0), int | float) and abs(known.get(name, 0) - logged.get(name, 0)) <= RATE_TOLERANCE
        for name in names
    )
