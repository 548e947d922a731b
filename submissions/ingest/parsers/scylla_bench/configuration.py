"""What scylla-bench prints before it starts, and its command line, as facts."""

import re
import shlex
from collections.abc import Mapping

from submissions.choices import ConsistencyLevel
from submissions.ingest.document.readings import Facts
from submissions.ingest.parsers.numbers import go_seconds, number, whole

LABELS = (
    "Mode",
    "Workload",
    "Consistency level",
    "Partition count",
    "Clustering rows",
    "Clustering row size",
    "Rows per request",
    "Concurrency",
    "Maximum rate",
)
_LINE = re.compile(rf"({'|'.join(LABELS)}):\s{{0,40}}(\S.{{0,80}}?)\s*$")
_COMMAND = re.compile(r"(?:^|[\s/$])scylla-bench\s+(?P<options>-.{1,4000})$")
_RATE = re.compile(r"(\d{1,12}) op/s")
# Before there were distributions of sizes it was a bare number.
_ROW_BYTES = re.compile(r"(?:Fixed\()?(\d{1,12})\)?$")
_OF_ROWS = ("write", "read", "mixed")  # a counter has no size, a scan no rows of its own
_MIXES = {
    **{name: {name: 1.0} for name in ("write", "read", "counter_update", "counter_read", "scan")},
    "mixed": {"read": 0.5, "write": 0.5},  # it takes turns
}
_MAX_NODES = 1000


def setting(line: str) -> tuple[str, str] | None:
    """("Concurrency", "16") of a line of the configuration."""
    match = _LINE.match(line)
    return (match[1], match[2]) if match else None


def command_in(line: str) -> str | None:
    """The command line, where somebody kept it with the output."""
    match = _COMMAND.search(line[:5000])
    return f"scylla-bench {match['options'].strip()}" if match else None


def is_schedule(settings: Mapping[str, str], command: str | None) -> bool:
    """Whether a rate was asked for: it tells when each request was due."""
    return _rate(settings, options_of(command)) is not None


def shows_schedule(command: str | None) -> bool | None:
    """Whether the rows have latencies that count from when a request was due; None where nothing says so."""
    if command is None:
        return None
    return options_of(command).get("latency-type", "raw") == "fixed-coordinated-omission"


def facts(settings: Mapping[str, str], command: str | None) -> Facts:
    options = options_of(command)
    partitions, rows = whole(settings.get("Partition count")), whole(settings.get("Clustering rows"))
    size = _ROW_BYTES.match(settings.get("Clustering row size", ""))
    mode = settings.get("Mode") or options.get("mode", "")
    nodes = [node for node in options.get("nodes", "").split(",") if node]
    return Facts(
        command=command,
        operations=_MIXES.get(mode),
        consistency_level=_consistency(settings.get("Consistency level") or options.get("consistency-level", "")),
        replication_factor=whole(options.get("replication-factor")),
        threads=whole(settings.get("Concurrency")) or whole(options.get("concurrency")),
        fixed_rate_ops_s=_rate(settings, options),
        columns=whole(settings.get("Rows per request")) if mode in _OF_ROWS else None,
        value_bytes=int(size[1]) if size and mode in _OF_ROWS else None,
        key_count=partitions * rows if partitions and rows else None,
        key_distribution=settings.get("Workload") or options.get("workload"),
        requested_duration_s=go_seconds(options.get("duration", "")) or None,
        node_count=len(set(nodes)) if 0 < len(nodes) <= _MAX_NODES else None,
    )


def _rate(settings: Mapping[str, str], options: Mapping[str, str]) -> float | None:
    if printed := settings.get("Maximum rate"):
        rate = _RATE.match(printed)
        return (float(rate[1]) or None) if rate else None
    return number(options.get("max-rate")) or None


def _consistency(level: str) -> str | None:
    # "localquorum" is what gocql makes of -consistency-level=local_quorum in some releases
    names = {each.value.replace("_", ""): each.value for each in ConsistencyLevel}
    return names.get(level.upper().replace("_", ""))


def options_of(command: str | None) -> dict[str, str]:
    """As Go's package `flag` reads them: -name=value, --name value; a switch has no value."""
    options: dict[str, str] = {}
    words = _words(command or "")
    for index, word in enumerate(words):
        if not word.startswith("-"):
            continue
        name, has_value, value = word.lstrip("-").partition("=")
        following = words[index + 1] if index + 1 < len(words) else ""
        options[name] = value if has_value else "" if following.startswith("-") else following
    return options


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:  # a quotation that does not end
        return command.split()
