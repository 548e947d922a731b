"""Results by everything but one fact: those of one key differ in that fact alone."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from json import dumps
from typing import Any

from django.db.models import Prefetch

from submissions import facts
from submissions.analysis.documents import facts as facts_of_document
from submissions.choices import Trust
from submissions.ingest.document.fingerprint import fingerprint_of
from submissions.models import Submission, Trial, Workload
from submissions.questions.grid.parameters import FactValue, Parameter
from submissions.questions.grid.rows import grid_submissions, on_boards

MOST_ROWS = 2_000  # the newest

# Places in a document (see analysis/documents.py) that state a fact, or follow from it.
_DATABASE = "nodes.database*."
_PLACES: dict[str, tuple[str, ...]] = {
    facts.NODE_COUNT.key: (f"{_DATABASE}count",),
    facts.CLIENT_COUNT.key: ("nodes.client*.count",),
    facts.INSTANCE_TYPE.key: tuple(
        f"{_DATABASE}{name}" for name in ("instance_type", "architecture", "vcpus", "memory_gib", "cpu_model")
    ),
    facts.CPU_MODEL.key: (f"{_DATABASE}cpu_model",),
    # no machine type has two
    facts.ARCHITECTURE.key: tuple(f"{_DATABASE}{name}" for name in ("architecture", "instance_type", "cpu_model")),
    # types may not differ: their size would, too
    facts.DEPLOYMENT.key: ("deployment", f"{_DATABASE}kind"),
    facts.DISK_KIND.key: (f"{_DATABASE}disks",),
    facts.REGION.key: ("region", "zones"),
    facts.LOAD_MODE.key: ("workload.threads", "workload.fixed_rate_ops_s", "workload.throttle_ops_s"),
    facts.DURATION.key: ("workload.requested_duration_s", "workload.requested_operations"),
}
# What is no property of the system or its load, or states the facts again.
_NOT_COMPARED = (
    "measured_at*", "workload.command", "nodes.*.hourly_usd", "nodes.*.pricing_model", "settings.disk_test*", "bill*",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FactRow:
    """A result with its value of the fact. `key` is equal where all other facts are."""

    submission: Submission
    value: FactValue
    key: str
    system_key: str  # of the facts of the system alone, without the workload's
    base: tuple[Any, ...]  # of a relative figure; () of an absolute one
    rates: tuple[float, ...]
    unknown: tuple[str, ...]  # nouns of facts that it does not state

    @property
    def is_relative(self) -> bool:
        return bool(self.base)


def fact_rows(parameter: Parameter, workload: str, trust: Trust | None) -> tuple[list[FactRow], list[int] | None]:
    """Those that state the fact, the newest MOST_ROWS + 1 at most, and the workloads that they are of; None: all.

    Three queries.
    With a `workload`: of the workloads that are equal to it apart from the fact.
    """
    rows = grid_submissions()
    of_workloads = _workloads(parameter, workload)
    if of_workloads is not None:
        rows = rows.filter(workload__in=of_workloads)
    columns = ("submission", "index", "throughput_ops_s", "relative_throughput", "started_at")
    trials = Prefetch("trials", Trial.objects.repetitions().only(*columns))
    newest = on_boards(rows, trust).select_related("workload").prefetch_related(trials).order_by("-pk")
    found = [_row(parameter, submission) for submission in newest[: MOST_ROWS + 1]]
    return [row for row in found if row is not None], of_workloads


def _workloads(parameter: Parameter, workload: str) -> list[int] | None:
    """Those that can be in a pair; None: all. A fact of the system has pairs within each workload."""
    if not workload and not parameter.is_of_workload:
        return None
    families: dict[str, list[tuple[int, str]]] = {}
    for pk, fingerprint, canonical in Workload.objects.values_list("pk", "fingerprint", "canonical"):
        shared = {name: value for name, value in canonical.items() if name != parameter.key}
        families.setdefault(fingerprint_of(shared), []).append((pk, fingerprint))
    wanted = [
        family
        for family in families.values()
        if (any(fingerprint == workload for _, fingerprint in family) if workload else len(family) > 1)
    ]
    return [pk for family in wanted for pk, _ in family]


def _row(parameter: Parameter, submission: Any) -> FactRow | None:
    canonical = submission.workload.canonical
    columns = {name: getattr(submission, name) for name in parameter.columns}
    value = parameter.value_in(columns, canonical)
    if value is None or value == (_NOT_STATED,):
        return None
    others = _other_facts(parameter, submission.document)
    if parameter.key != facts.DURATION.key:
        others["duration"] = canonical.get("duration")
    is_relative = submission.throughput_ops_s is None
    source = (submission.base_source, submission.base_submitter) if is_relative else ()
    system = {name: fact for name, fact in others.items() if not name.startswith(("workload.", "duration"))}
    return FactRow(
        submission=submission,
        value=value,
        key=dumps([others, source], sort_keys=True, default=str),
        system_key=dumps([system, source], sort_keys=True, default=str),
        base=(submission.base, *source) if is_relative else (),
        rates=_rates(submission, is_relative=is_relative),
        unknown=tuple(fact.noun for fact in _WANTED if fact is not parameter.fact and _is_unknown(fact, submission)),
    )


_NOT_STATED = "not stated"  # the instance type of an article that names none
_WANTED = (
    facts.INSTANCE_TYPE,
    facts.CPU_MODEL,
    facts.SERVICE_VERSION,
    facts.JDK_VERSION,
    facts.CONSISTENCY_LEVEL,
    facts.CLIENT_COUNT,
    facts.THREADS,
)


def _is_unknown(fact: facts.Fact, submission: Submission) -> bool:
    return getattr(submission, fact.column) in (None, _NOT_STATED)


def _other_facts(parameter: Parameter, document: Mapping[str, Any]) -> dict[str, Any]:
    flat = facts_of_document(dict(document))
    others = {name: value for name, value in flat.items() if not _is_own(parameter.key, parameter.fact.place, name)}
    if parameter.key == facts.DISK_KIND.key:
        for name, disks in flat.items():
            if fnmatchcase(name, f"{_DATABASE}disks"):
                others[name] = [{key: value for key, value in disk.items() if key != "kind"} for disk in disks]
    return others


@lru_cache(10_000)  # names are those of documents
def _is_own(key: str, place: str, name: str) -> bool:
    place = re.sub(r"^nodes\.", _DATABASE, place)
    patterns = _PLACES.get(key) or (place, f"{place}.*")
    return any(fnmatchcase(name, pattern) for pattern in (*patterns, *_NOT_COMPARED))


def _rates(submission: Submission, *, is_relative: bool) -> tuple[float, ...]:
    trials = submission.trials.all()
    rates = [trial.relative_throughput if is_relative else trial.throughput_ops_s for trial in trials]
    headline = submission.relative_throughput if is_relative else submission.throughput_ops_s
    return tuple(rate for rate in rates if rate) or ((headline,) if headline else ())
