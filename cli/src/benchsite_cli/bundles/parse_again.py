"""The logs of a bundle, read once more by a site: a dry run of their upload, which stores nothing."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any

from benchsite_cli.bundles.bundle import Bundle
from benchsite_cli.errors import Failure, Refused
from benchsite_cli.logs.reading import DRY_RUN
from benchsite_cli.site import Build, Json, Site

LOGS = frozenset({"load_log", "histogram_log", "graph", "disk_test"})
SAME = 1e-9  # relative: a figure may have been through decimal text
MAX_DOCUMENT_BYTES = 64 * 1024 * 1024
ATTEMPTS = 4
_LATENCIES = tuple(f"latency_{name}_ms" for name in ("mean", "p50", "p95", "p99", "p999", "max"))
_FIGURES = ("throughput_ops_s", "operations", "errors", *_LATENCIES)
# what the logs give, and what is the site's own business
_NOT_SENT = frozenset({"trials", "visibility", "embargo_until", "supersedes", "bill", "hosts", "disk_tests"})


@dataclass(frozen=True, slots=True)
class Again:
    """`compared` counts the figures that one of the readings has."""

    compared: int
    differences: tuple[str, ...]


def parsed_again(site: Site, bundle: Bundle, statement: Json) -> Again:
    """Throughput and latencies of each trial, signed against read. Raises Failure where the site cannot read them."""
    logs = [entry for entry in statement["subject"] if entry["annotations"].get("kind") in LOGS]
    if not logs:
        raise Failure("the bundle has no logs: its figures were stated, and there is nothing to read again")
    document = json.loads(b"".join(bundle.chunks("document.json", MAX_DOCUMENT_BYTES)))
    metadata = {name: value for name, value in document.items() if name not in _NOT_SENT}
    with tempfile.TemporaryDirectory() as folder:
        paths = [_copied(bundle, entry, Path(folder, str(number))) for number, entry in enumerate(logs)]
        answer = _read(site, metadata, logs, paths)
    signed = statement["predicate"]["results"]["trials"]
    # a log of several loads may hold several results, of which the bundle is one
    readings = [_compared(signed, result["trials"]) for result in answer["submissions"]]
    return min(readings, key=lambda reading: len(reading.differences))


def _read(site: Site, metadata: Json, logs: list[Json], paths: list[Path]) -> Json:
    """The answer of a dry run. Raises Refused.

    Of several loads or operations in a log each result has its own facts, which contradict those of the others: they
    are left out, since the figures come from the log.
    """
    for _ in range(ATTEMPTS):
        with ExitStack() as files:
            try:
                return site.post_files("submissions/import/", _form(metadata, logs, paths, files), DRY_RUN)[1]
            except Refused as error:
                fewer = deepcopy(metadata)
                if error.status != 400 or not all(_taken_out(fewer, fault.pointer) for fault in error.faults):
                    raise
                metadata = fewer
    raise Failure("the site finds other facts in the logs than the bundle states")


def _form(metadata: Json, logs: list[Json], paths: list[Path], files: ExitStack) -> Build:
    trials = [entry["annotations"]["trial"] for entry in logs]
    fields = {"metadata": json.dumps(metadata), "trial": ["" if trial is None else str(trial) for trial in trials]}
    names = [_base(entry["annotations"]["name"]) for entry in logs]

    def build() -> dict[str, Any]:
        opened = [files.enter_context(path.open("rb")) for path in paths]
        return {"data": fields, "files": [("log", part) for part in zip(names, opened, strict=True)]}

    return build


def _taken_out(metadata: Json, pointer: str) -> bool:
    """Whether there was a fact at this place, which is no longer there."""
    *above, last = pointer.removeprefix("#/").split("/")
    part: Any = metadata
    for name in above:
        part = part.get(name) if isinstance(part, dict) else None
    return isinstance(part, dict) and part.pop(last, None) is not None


def _copied(bundle: Bundle, entry: Json, path: Path) -> Path:
    with path.open("wb") as file:
        for chunk in bundle.chunks(entry["name"], int(entry["annotations"]["size_bytes"])):
            file.write(chunk)
    return path


def _base(name: str) -> str:
    return name.replace("\\", "/").rsplit("/", 1)[-1]


def _compared(signed: list[Json], read: list[Json]) -> Again:
    if len(signed) != len(read):
        return Again(0, (f"{len(signed)} trials were signed, {len(read)} were read",))
    compared, differences = 0, []
    for number, (before, now) in enumerate(zip(signed, read, strict=True), start=1):
        for name, old, new in _pairs(before, now):
            compared += 1
            if (old is None) != (new is None) or (old is not None and not isclose(old, new, rel_tol=SAME)):
                differences.append(f"trial {number}: {name}: signed {old}, read {new}")
    return Again(compared, tuple(differences))


def _pairs(signed: Json, read: Json) -> Iterator[tuple[str, Any, Any]]:
    """Figures that at least one of them has."""
    for name in _FIGURES:
        if signed.get(name) is not None or read.get(name) is not None:
            yield name, signed.get(name), read.get(name)
