"""The load of each trial of the logs: one that all share is a fact of the workload, others make a load curve."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchsite.http.refusals import Fault, Refusal
from submissions.choices import Role
from submissions.ingest.document.load import RateLimits
from submissions.ingest.document.readings import Facts
from submissions.ingest.logs.complete import RATE_TOLERANCE, common_facts
from submissions.ingest.logs.group import LoggedTrial, TrialFiles
from submissions.ingest.logs.limits import with_limits
from submissions.ingest.logs.read import StatedLoad

_MIX_TOLERANCE = 0.05  # measured shares of the same mix differ by chance
_NAMES = ("threads", "fixed_rate_ops_s", "throttle_ops_s", "has_unknown_limit")
_LENGTHS = ("requested_operations", "requested_duration_s")  # at a higher rate people ask for more operations


@dataclass(frozen=True, slots=True)
class Load:
    """Of one trial; None is unknown."""

    threads: int | None  # of one client
    limits: RateLimits  # all clients together
    has_unknown_limit: bool
    stated: StatedLoad  # what the uploader adds to the log

    @property
    def key(self) -> tuple[int | None, float | None]:
        return self.threads or self.stated.threads, self.limits.ops_s or self.stated.offered_ops_s


@dataclass(frozen=True, slots=True)
class Loads:
    """Of the trials of a submission. `facts` has the load where all share it; of a curve each trial has its own."""

    facts: Facts
    of_trials: tuple[Load, ...]
    is_curve: bool


def loads_of(metadata: Mapping[str, Any], trials: Sequence[LoggedTrial], facts: Sequence[Facts], *, tool: str) -> Loads:
    """`facts` are those of each trial. Raises Refusal where logs of one load differ, or contradict what is stated."""
    loads = tuple(_load(metadata, trial, each, tool) for trial, each in zip(trials, facts, strict=True))
    is_curve = len({load.key for load in loads}) > 1
    _refuse_other_operations(facts)
    left_out = (*_NAMES, *(_LENGTHS if is_curve and _differ(facts, _LENGTHS) else ()))
    common = common_facts([replace(each, **dict.fromkeys(left_out)) for each in facts])
    if is_curve:
        _refuse_stated(metadata, loads)
        unknown = any(load.has_unknown_limit and load.stated.offered_ops_s is None for load in loads)
        return Loads(replace(common, has_unknown_limit=unknown), loads, is_curve=True)
    first = loads[0]
    shared = replace(
        common,
        threads=first.threads,
        throttle_ops_s=first.limits.throttle_ops_s,
        fixed_rate_ops_s=first.limits.fixed_rate_ops_s,
        has_unknown_limit=first.has_unknown_limit and first.stated.offered_ops_s is None,
    )
    return Loads(shared, loads, is_curve=False)


def _load(metadata: Mapping[str, Any], trial: LoggedTrial, facts: Facts, tool: str) -> Load:
    printed = {client.threads for client in trial.clients}
    if len(printed) > 1:
        shown = ", ".join(str(count) for count in sorted(printed, key=str))
        raise Refusal.at(trial.group.logs[0].member.pointer, f"the clients of this trial differ in threads ({shown})")
    threads = printed.pop() or facts.threads or _of_vcpus(metadata, facts)
    facts = _with_own_rate(facts, trial)
    limited = with_limits(metadata, facts, tool=tool, clients=[len(trial.clients)])
    limits = RateLimits(limited.throttle_ops_s, limited.fixed_rate_ops_s)
    stated = _stated(trial.group)
    _refuse_contradiction(trial.group, stated, threads, limits.ops_s)
    return Load(threads, limits, bool(limited.has_unknown_limit), stated)


def _with_own_rate(facts: Facts, trial: LoggedTrial) -> Facts:
    """Of a run in a file of several, where they differ in it."""
    client = trial.clients[0]
    if client.throttle_ops_s is None and client.fixed_rate_ops_s is None:
        return facts
    return replace(facts, throttle_ops_s=client.throttle_ops_s, fixed_rate_ops_s=client.fixed_rate_ops_s)


def _of_vcpus(metadata: Mapping[str, Any], facts: Facts) -> int | None:
    """Of a load that grows with the machine: known where the vCPUs of the only one are stated."""
    nodes = metadata.get("nodes")
    if facts.threads_per_vcpu is None or not isinstance(nodes, Sequence):
        return None
    machines = [group for group in nodes if isinstance(group, Mapping) and group.get("role") == Role.DATABASE]
    vcpus = machines[0].get("vcpus") if len(machines) == 1 else None
    return facts.threads_per_vcpu * vcpus if type(vcpus) is int and vcpus > 0 else None


def _stated(group: TrialFiles) -> StatedLoad:
    """Of the clients of a trial together. Raises Refusal where two of their files have different ones."""
    values = {}
    for name in ("offered_ops_s", "threads"):
        known = {value for file in group.logs if (value := getattr(file.load, name)) is not None}
        if len(known) > 1:
            shown = ", ".join(f"{value:g}" for value in sorted(known))
            raise Refusal.at(group.logs[0].member.pointer, f"the files of this trial state different {name}: {shown}")
        values[name] = known.pop() if known else None
    return StatedLoad(**values)


def _refuse_contradiction(group: TrialFiles, stated: StatedLoad, threads: int | None, ops_s: float | None) -> None:
    faults = []
    place = group.logs[0].member.pointer
    if stated.threads is not None and threads is not None and stated.threads != threads:
        faults.append(Fault(place, f"threads: the log says {threads}, the upload says {stated.threads}"))
    offered = stated.offered_ops_s
    if offered is not None and ops_s is not None and abs(offered - ops_s) > RATE_TOLERANCE * ops_s:
        faults.append(Fault(place, f"offered_ops_s: the log says {ops_s:g}, the upload says {offered:g}"))
    if faults:
        raise Refusal(faults)


def _refuse_stated(metadata: Mapping[str, Any], loads: Sequence[Load]) -> None:
    """A load that the uploader states for all trials, where the logs have several."""
    workload = metadata.get("workload")
    if not isinstance(workload, Mapping):
        return
    said: dict[str, set[int | None] | set[float | None]] = {
        "threads": {load.threads for load in loads},
        "fixed_rate_ops_s": {load.limits.fixed_rate_ops_s for load in loads},
        "throttle_ops_s": {load.limits.throttle_ops_s for load in loads},
    }
    faults = []
    for name, values in said.items():
        known = sorted(value for value in values if value is not None)
        if workload.get(name) is not None and len(known) > 1:
            shown = ", ".join(f"{value:g}" for value in known)
            faults.append(Fault(f"#/workload/{name}", f"the logs say {shown}, the upload says {workload[name]}"))
    if faults:
        raise Refusal(faults)


def _refuse_other_operations(facts: Sequence[Facts]) -> None:
    """Reads and writes are two workloads, whatever their loads."""
    mixes = [each.operations for each in facts if each.operations]
    for mix in mixes[1:]:
        names = {*mixes[0], *mix}
        if any(abs(mixes[0].get(name, 0) - mix.get(name, 0)) > _MIX_TOLERANCE for name in names):
            shown = "; ".join(_mix_words(each) for each in (mixes[0], mix))
            raise Refusal.at("#/files", f"the logs differ in operations ({shown}): upload them separately")


def _mix_words(mix: Mapping[str, float]) -> str:
    return " + ".join(f"{share:.0%} {name}" for name, share in mix.items())[:200]


def _differ(facts: Sequence[Facts], names: Sequence[str]) -> bool:
    return any(len({getattr(each, name) for each in facts}) > 1 for name in names)
