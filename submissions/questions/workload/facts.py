"""What a workload is, in words: its canonical form for readers."""

from collections.abc import Mapping
from typing import Any

from submissions.choices import LoadMode
from submissions.formatting import facts as fact_words

NOT_STATED = "not stated"
_LABELS = {
    "service": "Service",
    "tool": "Load tool",
    "operations": "Operations",
    "command": "Command",
    "consistency_level": "Consistency level",
    "replication_factor": "Replication factor",
    "columns": "Columns of a row",
    "value_bytes": "Value size of a column, bytes",
    "key_distribution": "Key distribution",
    "key_count": "Keys",
    "load_mode": "Load",
    "duration": "Duration class",
}
_LOAD_MODES = {
    LoadMode.THREADS: "threads that wait for their answers (closed loop)",
    LoadMode.FIXED_RATE: "a fixed rate (open loop)",
}


def workload_facts(canonical: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(what, value) of every fact that the fingerprint hashes; a command only where no mix was read from it."""
    return [
        (label, _words(name, canonical.get(name)))
        for name, label in _LABELS.items()
        if name != "command" or canonical.get(name)
    ]


def _words(name: str, value: Any) -> str:
    if value is None:
        return NOT_STATED
    if name == "operations":
        largest_first = sorted(value.items(), key=lambda pair: (-pair[1], pair[0]))
        return ", ".join(f"{share * 100:.4g} % {operation}" for operation, share in largest_first)
    if name == "load_mode":
        return _LOAD_MODES.get(value, str(value))
    return fact_words.shown(f"workload.{name}", value) or NOT_STATED
