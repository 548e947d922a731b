"""One download for many hosts: in each zone, the first of those that need the same files serves them to the others.

The mirror is asked by everybody for the checksum, and for the files where the first host does not serve them in time.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence

from runners.load_tools.base import Member

LEAST = 8  # hosts of a zone; fewer download for themselves
PORT = 7099
SECONDS = 900  # then nothing is served any more, and long before where a database starts


def shared(cluster: Sequence[Member], needs: Mapping[str, Hashable]) -> dict[str, tuple[str, str]]:
    """By host: what comes before and after its commands. `needs`: host -> what it downloads."""
    groups: dict[Hashable, list[Member]] = defaultdict(list)
    for member in cluster:
        groups[member.zone, needs[member.name]].append(member)
    words = dict.fromkeys((member.name for member in cluster), ("", ""))
    for members in groups.values():
        if len(members) < LEAST:
            continue
        first, *others = members
        words[first.name] = ("", f" && sh bin/cassandra.sh share {first.address} {PORT} {SECONDS}")
        words |= {member.name: (f"export PEER={first.address}:{PORT}; ", "") for member in others}
    return words
