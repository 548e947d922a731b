"""The command line of cassandra-easy-stress and its forerunners, as facts."""

import re
import shlex
from collections.abc import Mapping

from submissions.choices import ConsistencyLevel, LatencyKind
from submissions.ingest.document.readings import Facts
from submissions.ingest.parsers.numbers import number

# easy-cass-stress and cassandra-easy-stress count from when the rate had the request due, in its queue;
# tlp-stress from when it was sent.
RESPONSE_TIME = re.compile(r"easy[-_ ]cass[-_]stress|cassandra[-_]easy[-_]stress")
SERVICE_TIME = re.compile(r"tlp[-_]stress")
COMMAND = re.compile(
    r"(?:^#? {0,3}|[\s/$](?:tlp-stress|easy-cass-stress|cassandra-easy-stress) )(?P<words>run [A-Z]\w*.{0,4000})$"
)
_NAMES = {"r": "readrate", "reads": "readrate", "n": "iterations", "i": "iterations", "d": "duration", "t": "threads"}
_NAMES |= {"p": "partitions", "deletes": "deleterate", "pg": "partitiongenerator"}
_COUNT = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)([kmb]?)", re.IGNORECASE)
_SCALES = {"": 1, "k": 1_000, "m": 1_000_000, "b": 1_000_000_000}
_TIME = re.compile(r"(\d{1,9})\s{0,3}([dhms])")
_SECONDS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
_REPLICATION = re.compile(r"'?replication_factor'?\s{0,5}:\s{0,5}'?(\d{1,4})")


def facts(command: str | None, kind: LatencyKind, counts: Mapping[str, int]) -> Facts:
    """`counts` are the operations of each type, from which the mix follows."""
    options = _options(command)
    rate = _count(options.get("rate", ""))
    replication = _REPLICATION.search(options.get("replication", ""))
    level = options.get("cl", "").upper()
    total = sum(counts.values())
    return Facts(
        command=command,
        operations={name: round(count / total, 2) for name, count in counts.items()} if total else None,
        consistency_level=level if level in set(ConsistencyLevel) else None,
        replication_factor=int(replication[1]) if replication else None,
        fixed_rate_ops_s=float(rate) if rate and kind == LatencyKind.RESPONSE_TIME else None,
        throttle_ops_s=float(rate) if rate and kind != LatencyKind.RESPONSE_TIME else None,
        # they have a default that the output does not show
        has_unknown_limit=True if not rate and kind == LatencyKind.RESPONSE_TIME else None,
        key_count=_count(options.get("partitions", "")),
        key_distribution=options.get("partitiongenerator", "").lower() or None,
        requested_duration_s=_seconds(options.get("duration", "")),
    )


def workload_of(command: str | None) -> str | None:
    """ "keyvalue" of "run KeyValue -d 2m"."""
    words = (command or "").split()
    return words[1].lower()[:50] if len(words) > 1 else None


def _options(command: str | None) -> dict[str, str]:
    try:
        words = shlex.split(command or "")
    except ValueError:  # a quotation that does not end
        words = (command or "").split()
    options: dict[str, str] = {}
    for place, word in enumerate(words):
        if word.startswith("-"):
            values = []
            for following in words[place + 1 :]:
                if following.startswith("-"):
                    break
                values.append(following)
            name = word.lstrip("-")
            options[_NAMES.get(name, name)] = " ".join(values)
    return options


def _count(text: str) -> int | None:
    """20k, 100M."""
    match = _COUNT.fullmatch(text)
    value = number(match[1]) if match else None
    return round(value * _SCALES[match[2].lower()]) or None if match and value else None


def _seconds(text: str) -> float | None:
    """75m, "1d 3h 15m"; a bare number was minutes in some releases and seconds in others."""
    total = sum(int(value) * _SECONDS[unit] for value, unit in _TIME.findall(text[:100]))
    return float(total) or None
