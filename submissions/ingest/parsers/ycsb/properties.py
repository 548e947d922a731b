"""What the properties of a YCSB run (Java or Go) say of the workload."""

import re
from collections.abc import Mapping

from submissions.choices import ConsistencyLevel
from submissions.ingest.document.readings import Facts
from submissions.ingest.parsers.numbers import number, observed_shares, whole

READ_MODIFY_WRITE = "read-modify-write"
_PROPORTIONS = {
    "readproportion": "read",
    "updateproportion": "update",
    "insertproportion": "insert",
    "scanproportion": "scan",
    "readmodifywriteproportion": READ_MODIFY_WRITE,
}
# The two whose default is not 0, in YCSB and in go-ycsb.
_NEEDED_PROPORTIONS = frozenset({"readproportion", "updateproportion"})
_FORKS = {"deleteproportion": "delete"}  # a fork's operations; 0 where they are not given
_READS = frozenset({"read", "scan"})
_FIELD_LENGTHS = ("fieldlengthdistribution", "fieldlength", "minfieldlength")
_NO_LIMIT = 2**31 - 1
_PUNCTUATION = re.compile(r"\W+")
_MASKS = frozenset({"", "masked", "suppressed", "redacted"})
_SECRET = re.compile(r"passw|secret|token|credential", re.IGNORECASE)

EXPOSED_WARNING = "the file has a password in it: whoever can see the submission can download it"


def facts(
    properties: Mapping[str, str],
    counts: Mapping[str, int],
    *,
    is_complete: bool,
    is_response_time: bool = False,
    tool_version: str | None = None,
    command: str | None = None,
) -> Facts:
    """Facts from the properties, and the mix from `counts` where the properties do not give it.

    `counts` are the attempts of each operation type; `is_complete`: no property came from a file
    that the log does not show; `is_response_time`: the target is a schedule, which the latencies
    are measured against, and not only a brake.
    """
    is_load = properties.get("dotransactions") == "false"
    target = number(properties.get("target"))
    rate = target if target and target > 0 else None
    size = _constant_field_bytes(properties)
    wanted = properties.get("insertcount") or properties.get("recordcount")
    return Facts(
        tool_version=tool_version,
        command=without_secrets(command) if command else None,
        operations=_asked_shares(properties, is_load, is_complete) or observed_shares(counts),
        consistency_level=_consistency_level(properties, counts),
        threads=whole(properties.get("threadcount")),
        fixed_rate_ops_s=rate if is_response_time else None,
        throttle_ops_s=None if is_response_time else rate,
        columns=whole(properties.get("fieldcount")),
        value_bytes=size,
        key_count=whole(properties.get("recordcount")),
        key_distribution=None if is_load else properties.get("requestdistribution"),
        requested_operations=_limit(whole(wanted if is_load else properties.get("operationcount"))),
        requested_duration_s=_positive(number(properties.get("maxexecutiontime"))),
        settings=_field_lengths(properties),
    )


def attempts(counts: Mapping[str, int]) -> dict[str, int]:
    """Attempts of each type as they were asked for.

    A read-modify-write is also measured as the read and the update that it consists of.
    """
    composite = counts.get(READ_MODIFY_WRITE, 0)
    parts = ("read", "update") if composite else ()
    return {name: max(0, count - composite) if name in parts else count for name, count in counts.items()}


def has_secret(properties: Mapping[str, str]) -> bool:
    return any(_SECRET.search(name) and is_exposed(value) for name, value in properties.items())


def is_exposed(value: str) -> bool:
    """Whether it is more than the mask that was put over a secret."""
    return _PUNCTUATION.sub("", value).lower() not in _MASKS


def without_secrets(command: str) -> str:
    """The command line, with the values of secret properties replaced by ***."""
    return re.sub(
        r"(?<!\S)([^\s=]{1,200})=\S+",
        lambda pair: f"{pair[1]}=***" if _SECRET.search(pair[1]) else pair[0],
        command,
    )


def _asked_shares(properties: Mapping[str, str], is_load: bool, is_complete: bool) -> dict[str, float] | None:
    if is_load:
        return {"insert": 1.0}
    given = _PROPORTIONS.keys() & properties.keys()
    if not given >= (_NEEDED_PROPORTIONS if is_complete else _PROPORTIONS.keys()):
        return None
    names = {**_PROPORTIONS, **_FORKS}
    weights = {names[name]: number(properties[name]) or 0.0 for name in sorted(names.keys() & properties.keys())}
    total = sum(weights.values())
    if total <= 0 or min(weights.values()) < 0:
        return None
    return {name: weight / total for name, weight in weights.items() if weight}


def _consistency_level(properties: Mapping[str, str], counts: Mapping[str, int]) -> str | None:
    """The level of all operations; None when reads and writes have different ones."""
    done = {name for name, count in counts.items() if count}
    sides = []
    if done & _READS or READ_MODIFY_WRITE in done:
        sides.append("read")
    if done - _READS:
        sides.append("write")
    levels = {
        properties.get(f"cassandra.{side}consistencylevel") or properties.get(f"scylla.{side}consistencylevel")
        for side in sides
    }
    level = (levels.pop() or "").upper() if len(levels) == 1 else ""
    return level if level in set(ConsistencyLevel) else None


def _constant_field_bytes(properties: Mapping[str, str]) -> int | None:
    if properties.get("fieldlengthdistribution", "constant") != "constant":
        return None
    return whole(properties.get("fieldlength"))


def _field_lengths(properties: Mapping[str, str]) -> dict[str, str | int | float] | None:
    """Where they vary: of them no other fact says how long they are."""
    if properties.get("fieldlengthdistribution", "constant") == "constant":
        return None
    return {name: properties[name] for name in _FIELD_LENGTHS if name in properties}


def _limit(operations: int | None) -> int | None:
    """None for the largest number that YCSB takes, which is given to runs that a time limit ends."""
    return None if operations == _NO_LIMIT else operations


def _positive(value: float | None) -> float | None:
    return value if value and value > 0 else None
