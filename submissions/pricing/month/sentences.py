"""The parts of a month in words, and what is not in it."""

from collections.abc import Collection

from submissions.pricing.month.kinds import BACKUP_DAYS, Kind

_LABELS = {
    Kind.NODES: "nodes",
    Kind.DISKS: "disks",
    Kind.ZONE_TRAFFIC: "traffic between zones",
    Kind.BACKUP: f"backup: a full copy and the writes of {BACKUP_DAYS} days",
    Kind.PUBLIC_ADDRESSES: "public IPv4 addresses",
}
_NEVER = (
    "traffic between clients and the nodes that they ask",
    "protocol overhead, acknowledgements, digests, repairs: only payload counts",
    "compression, which lowers the traffic",
    "load clients",
    "traffic to other regions and to the internet",
    "licenses, support and taxes",
)
_OPTIONAL = {
    Kind.BACKUP: "backups",
    Kind.PUBLIC_ADDRESSES: "public IPv4 addresses",
}


def label_of(kind: Kind) -> str:
    return _LABELS[kind]


def not_included(kinds: Collection[Kind]) -> tuple[str, ...]:
    """What a bill of these parts leaves out."""
    return (*_NEVER, *(words for kind, words in _OPTIONAL.items() if kind not in kinds))
