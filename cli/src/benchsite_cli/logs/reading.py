"""What the site reads in each file, by its dry run: nothing is stored."""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from benchsite_cli.errors import Fault, Refused
from benchsite_cli.logs.files import LogFile
from benchsite_cli.metadata.facts import Facts
from benchsite_cli.site import Json, Site

AT_ONCE = 4  # files that are read at the same time
DRY_RUN = (("dry_run", "true"),)
ALLOW_DUPLICATES = (("duplicate", "allow"),)

# Facts that an uploader can state for all files; the value stands in while the rest of the log is read.
_ASKABLE = {
    "#/service": "unknown",
    "#/service/name": "unknown",
    "#/provider": "unknown",
    "#/nodes/0/count": 1,
    "#/nodes/0/instance_type": "unknown",
}
_REQUIRED = "is required"


@dataclass(frozen=True, slots=True)
class Reading:
    """`results` is what the file would become; `missing` the pointers of facts that neither it nor the uploader has."""

    file: LogFile
    results: tuple[Json, ...] = ()
    faults: tuple[Fault, ...] = ()
    missing: frozenset[str] = frozenset()

    @property
    def tool(self) -> str | None:
        return self.results[0]["tool"] if self.results else None

    @property
    def is_readable(self) -> bool:
        return bool(self.results)


def send(
    site: Site,
    files: Sequence[LogFile],
    metadata: Json,
    *,
    is_dry_run: bool,
    is_one_trial: bool = False,
    allows_duplicates: bool = False,
) -> tuple[int, Json]:
    """The status and the answer of an import. Raises Refused."""

    with ExitStack() as opened:

        def build() -> dict[str, Any]:
            fields: dict[str, Any] = {"metadata": json.dumps(metadata)}
            if is_one_trial:
                fields["trial"] = ["1"] * len(files)
            return {"data": fields, "files": [("log", file.part(opened)) for file in files]}

        params = (*(DRY_RUN if is_dry_run else ()), *(ALLOW_DUPLICATES if allows_duplicates else ()))
        return site.post_files("submissions/import/", build, params)


def read_all(site: Site, files: Sequence[LogFile], facts: Facts, advance: Callable[[], None]) -> list[Reading]:
    """In the order of the files; `advance` is called after each."""

    def read_one(file: LogFile) -> Reading:
        reading = read(site, file, facts)
        advance()
        return reading

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(read_one, files))


def read(site: Site, file: LogFile, facts: Facts) -> Reading:
    """With the facts of its own load tool, which is not known before it was read."""
    if not facts.is_by_tool:
        return _read(site, file, facts.document())
    reading = _read(site, file, facts.without_database())
    return _read(site, file, facts.document(reading.tool)) if reading.tool is not None else reading


def _read(site: Site, file: LogFile, metadata: Json) -> Reading:
    missing: frozenset[str] = frozenset()
    for _ in range(3):  # a fact that stands in may show that another one is missing
        try:
            _, answer = send(site, [file], metadata, is_dry_run=True)
        except Refused as error:
            if error.status != 400 and error.status != 413:
                raise
            more = frozenset(fault.pointer for fault in error.faults if _is_askable(fault))
            if not more or len(more) < len(error.faults):
                return Reading(file, faults=tuple(fault for fault in error.faults if not _is_askable(fault)))
            missing |= more
            metadata = _standing_in(metadata, more)
        else:
            return Reading(file, tuple(answer["submissions"]), missing=missing)
    return Reading(file, faults=(Fault("#", "it lacks facts that only its uploader knows"),), missing=missing)


def _is_askable(fault: Fault) -> bool:
    return fault.pointer in _ASKABLE and fault.detail == _REQUIRED


def _standing_in(metadata: Json, pointers: frozenset[str]) -> Json:
    made = deepcopy(metadata)
    for pointer in pointers:
        match pointer.split("/")[1:]:
            case ["service", *_]:
                made["service"] = {**(made.get("service") or {}), "name": _ASKABLE[pointer]}
            case ["nodes", "0", name]:
                made["nodes"][0][name] = _ASKABLE[pointer]
            case [name]:
                made[name] = _ASKABLE[pointer]
    return made
