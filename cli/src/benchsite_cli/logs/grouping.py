"""Which files are trials of one result: those that the site accepts together; each other file is its own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

from benchsite_cli.errors import Refused
from benchsite_cli.logs.files import LogFile
from benchsite_cli.logs.reading import Reading, send
from benchsite_cli.metadata.facts import Facts
from benchsite_cli.site import Json, Site

_HISTOGRAMS = frozenset({".hdr", ".hgrm"})
# Trials of one result ran one after the other: alike in all that a log can tell, and on one day. With different threads
# or rates they are its load curve.
_ALIKE = ("tool", "workload", "service", "service_version")
_CURVE = "curve"


class Trials(StrEnum):
    AUTO = "auto"
    TOGETHER = "together"
    EACH = "each"
    CLIENTS = "clients"


@dataclass(frozen=True, slots=True)
class Group:
    """Files that are sent together."""

    readings: tuple[Reading, ...]

    @property
    def files(self) -> list[LogFile]:
        return [reading.file for reading in self.readings]

    @property
    def tool(self) -> str | None:
        return next((reading.tool for reading in self.readings if reading.tool), None)

    def with_one(self, reading: Reading) -> "Group":
        return Group((*self.readings, reading))


def grouped(site: Site, readings: Sequence[Reading], facts: Facts, trials: Trials) -> list[Group]:
    """All that can be published; a file that was refused and belongs to no group is in none."""
    readable = [reading for reading in readings if reading.is_readable]
    if trials in (Trials.TOGETHER, Trials.CLIENTS):
        return [Group(tuple(readings))] if readable else []
    if trials == Trials.EACH:
        return [Group((reading,)) for reading in readable]

    def accepts(group: Group) -> bool:
        return _is_accepted(site, group, facts)

    groups = [group for bucket in _alike(readable) for group in _together_or_each(bucket, accepts)]
    for reading in readings:
        if not reading.is_readable and _may_accompany(reading):
            _attach(reading, groups, accepts)
    return groups


def _alike(readings: Sequence[Reading]) -> list[list[Reading]]:
    buckets: dict[object, list[Reading]] = {}
    for reading in readings:
        # a log of several results or loads is never a trial of another one
        is_one = len(reading.results) == 1 and reading.results[0].get("load_mode") != _CURVE
        key = (reading.file.path.parent, *_likeness(reading.results[0])) if is_one else reading.file
        buckets.setdefault(key, []).append(reading)
    return list(buckets.values())


def _likeness(result: Json) -> tuple[object, ...]:
    return (*(result[name] for name in _ALIKE), (result["measured_at"] or "")[:10])


def _together_or_each(bucket: Sequence[Reading], accepts: Callable[[Group], bool]) -> list[Group]:
    together = Group(tuple(bucket))
    if len(bucket) == 1 or accepts(together):
        return [together]
    return [Group((reading,)) for reading in bucket]


def _attach(reading: Reading, groups: list[Group], accepts: Callable[[Group], bool]) -> None:
    """Add a histogram or a disk test to the result that it belongs to, where there is no doubt."""
    near = [group for group in groups if reading.file.path.parent in {file.path.parent for file in group.files}]
    named = [group for group in near if any(_is_named_like(reading.file, file) for file in group.files)]
    candidates = named or near
    if len(candidates) == 1 and accepts(larger := candidates[0].with_one(reading)):
        groups[groups.index(candidates[0])] = larger


def _is_accepted(site: Site, group: Group, facts: Facts) -> bool:
    try:
        _, answer = send(site, group.files, facts.document(group.tool), is_dry_run=True)
    except Refused as error:
        if error.status not in (400, 413):
            raise
        return False
    return len(answer["submissions"]) == 1


def _may_accompany(reading: Reading) -> bool:
    is_disk_test = any("a disk test (" in fault.detail for fault in reading.faults)
    return is_disk_test or reading.file.path.suffix in _HISTOGRAMS


def _is_named_like(file: LogFile, log: LogFile) -> bool:
    return PurePath(log.path).name.startswith(PurePath(file.path).name.split(".")[0])
