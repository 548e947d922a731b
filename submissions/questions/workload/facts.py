"""What a workload is, in words: its canonical form for readers."""

from collections.abc import Mapping
from typing import Any

from submissions import facts
from submissions.choices import LoadMode
from submissions.facts import Fact
from submissions.formatting.facts import field_text
from submissions.formatting.names import service_name, tool_name
from submissions.questions.boards.grouping import NOT_STATED

_FACTS = (
    facts.SERVICE,
    facts.TOOL,
    facts.OPERATION_MIX,
    facts.COMMAND,
    facts.CONSISTENCY_LEVEL,
    facts.REPLICATION_FACTOR,
    facts.COLUMNS,
    facts.VALUE_BYTES,
    facts.KEY_DISTRIBUTION,
    facts.KEY_COUNT,
    facts.PIPELINE,
    facts.CLIENT_PLACEMENT,
    facts.LOAD_MODE,
    facts.DURATION,
)
_WHERE_STATED = (facts.COMMAND, facts.PIPELINE, facts.CLIENT_PLACEMENT)  # a fingerprint has them only there
_LOAD_MODES = {
    LoadMode.THREADS: "threads that wait for each answer (closed loop)",
    LoadMode.FIXED_RATE: "a fixed rate (open loop)",
    LoadMode.CURVE: "several loads, one after the other",
}


def workload_facts(canonical: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(label, value) of every fact that the fingerprint hashes; a command only where no mix was read from it."""
    return [
        (fact.label_with_unit, _words(fact, canonical.get(fact.key)))
        for fact in _FACTS
        if fact not in _WHERE_STATED or canonical.get(fact.key)
    ]


def _words(fact: Fact, value: Any) -> str:
    if value is None:
        return NOT_STATED
    if fact is facts.SERVICE:
        return service_name(value)
    if fact is facts.TOOL:
        return tool_name(value)
    if fact is facts.OPERATION_MIX:
        largest_first = sorted(value.items(), key=lambda pair: (-pair[1], pair[0]))
        return ", ".join(f"{share * 100:.4g} % {operation}" for operation, share in largest_first)
    if fact is facts.LOAD_MODE:
        return _LOAD_MODES.get(value, str(value))
    return field_text(fact.place or f"workload.{fact.key}", value) or NOT_STATED
