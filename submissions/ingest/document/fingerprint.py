"""What makes two workloads the same: only equal fingerprints may share a chart (design: methodology)."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any

from submissions.choices import ClientPlacement, LoadMode
from submissions.ingest.document.load import load_mode, without_load
from submissions.ingest.document.submission import SubmissionDocument, WorkloadDocument

# Tools that put the same load on a system and measure it alike.
_FAMILIES = {"go-ycsb": "ycsb"}

# Upper bounds in seconds: a burst into memtables and an hour with compaction are two workloads.
_DURATION_CLASSES = ((60, "under 1 min"), (600, "1 to 10 min"), (3_600, "10 to 60 min"))

# Threads without a rate, the usual load, are not named.
_LOADS = {LoadMode.FIXED_RATE: "fixed rate", LoadMode.CURVE: "load curve"}

# Facts that a title begins with, as one phrase
WORK = ("tool", "operations")

# cassandra-stress names its one operation in the command itself
_SINGLE_OPERATIONS = ("write", "read", "counter_write", "counter_read")


def canonical(document: SubmissionDocument) -> dict[str, Any]:
    """The facts that are hashed: no cloud, instance, JDK, disk, node count, version or network.

    Of the load its mode, but neither its rate nor its threads, which are facts of a trial.
    """
    workload = document.workload
    mix = operation_mix(workload)
    # left out where they say nothing, so that fingerprints from before there were these facts stay
    added: dict[str, Any] = {} if workload.pipeline is None else {"pipeline": workload.pipeline}
    if document.client_placement == ClientPlacement.ON_DATABASE:
        added["client_placement"] = document.client_placement
    return {
        **added,
        "service": document.service.name,
        "tool": _FAMILIES.get(workload.tool, workload.tool),
        "operations": {name: round(share, 2) for name, share in sorted(mix.items())} or None,
        # a command that could not be parsed equals only itself
        "command": None if mix else without_load(workload),
        "consistency_level": workload.consistency_level,
        "replication_factor": workload.replication_factor,
        "columns": workload.columns,
        "value_bytes": workload.value_bytes,
        "key_distribution": workload.key_distribution,
        "key_count": workload.key_count,
        "load_mode": load_mode(document),
        "duration": duration_class(document),
    }


def fingerprint(document: SubmissionDocument) -> str:
    """Sixteen hex digits of the canonical form's SHA-256."""
    return fingerprint_of(canonical(document))


def fingerprint_of(form: dict[str, Any]) -> str:
    text = json.dumps(form, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def operation_mix(workload: WorkloadDocument) -> dict[str, float]:
    """Share of each operation type; empty when neither the document nor the command states it."""
    if workload.operations:
        return {name.lower(): share for name, share in workload.operations.items()}
    words = (workload.command or "").lower().split()
    named = [word for word in words if word in _SINGLE_OPERATIONS]
    return {named[0]: 1.0} if len(named) == 1 else {}


def operation_name(workload: WorkloadDocument) -> str:
    """The facet's value: the one operation, or `mixed`."""
    mix = operation_mix(workload)
    if not mix:
        return "unknown"
    return next(iter(mix))[:50] if len(mix) == 1 else "mixed"


def duration_class(document: SubmissionDocument) -> str | None:
    """The class of the requested duration, else of the median measured duration; None when unknown."""
    requested = document.workload.requested_duration_s
    measured = [trial.duration_s for trial in document.trials if trial.duration_s is not None]
    if requested is None and not measured:
        return None
    seconds = requested if requested is not None else median(measured)
    return next((name for limit, name in _DURATION_CLASSES if seconds < limit), "over 1 h")


def workload_title(form: dict[str, Any], service: str = "", tool: str = "") -> str:
    """The canonical form in words, for headings and selectors; `service` and `tool` are their display names."""
    return f"{service or form['service']}: {_words(form, tool, form['consistency_level'])}"[:300]


def load_title(form: dict[str, Any], tool: str = "") -> str:
    """As `workload_title`, without the database and the consistency level."""
    return _words(form, tool, None)[:300]


def workload_facts(form: Mapping[str, Any], tool: str = "") -> dict[str, str | None]:
    """Each fact of the canonical form in words, in the order of a title; None where it is not stated."""
    mix = sorted((form.get("operations") or {}).items())  # a stored form has them in another order
    names = " + ".join(name if len(mix) == 1 else f"{share:.0%} {name}" for name, share in mix)
    size = form.get("columns") and form.get("value_bytes") is not None
    return {
        "tool": tool or form.get("tool"),
        "operations": (names or form.get("command") or "")[:200] or None,
        "consistency_level": form.get("consistency_level"),
        "pipeline": f"pipeline {form['pipeline']}" if form.get("pipeline") else None,
        "client_placement": "clients on the database's machine" if form.get("client_placement") else None,
        "replication_factor": f"RF {form['replication_factor']}" if form.get("replication_factor") else None,
        "size": f"{form['columns']} × {form['value_bytes']} B" if size else None,
        "key_count": f"{form['key_count']:,} keys" if form.get("key_count") else None,
        "key_distribution": form.get("key_distribution"),
        "load_mode": _LOADS.get(form["load_mode"]) if form.get("load_mode") else None,
        "duration": form.get("duration"),
    }


def joined_facts(facts: Iterable[tuple[str, str | None]]) -> str:
    """Names and words of `workload_facts` as one text: "YCSB 95% read + 5% update, RF 3"."""
    words = {name: text for name, text in facts if text}
    work = " ".join(words.pop(name) for name in WORK if name in words)[:200]
    return ", ".join(filter(None, [work, *words.values()]))


def _words(form: dict[str, Any], tool: str, consistency_level: str | None) -> str:
    return joined_facts((workload_facts(form, tool) | {"consistency_level": consistency_level}).items())
