"""The logs of a bundle, read once more by a site: a dry run of their upload, which stores nothing."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any

from benchsite_cli.bundle import Bundle
from benchsite_cli.errors import Failure
from benchsite_cli.site import Json, Site

LOGS = frozenset({"load_log", "histogram_log", "graph", "disk_test"})
SAME = 1e-9  # relative: a figure may have been through decimal text
MAX_DOCUMENT_BYTES = 64 * 1024 * 1024
_OF_TRIALS = ("throughput_ops_s", "operations", "errors")
_LATENCIES = tuple(f"latency_{name}_ms" for name in ("mean", "p50", "p95", "p99", "p999", "max"))
_FIGURES = (*_OF_TRIALS, *_LATENCIES)
# what the logs give, and what is the site's own business
_NOT_SENT = frozenset({"trials", "visibility", "embargo_until", "supersedes", "bill", "hosts", "disk_tests"})


@dataclass(frozen=True, slots=True)
class Again:
    """`compared` counts the figures that both readings have."""

    compared: int
    differences: tuple[str, ...]


def parsed_again(site: Site, bundle: Bundle, statement: Json) -> Again:
    """Throughput and latencies of each trial, signed against read. Raises Failure where the site cannot read them."""
    logs = [entry for entry in statement["subject"] if entry["annotations"].get("kind") in LOGS]
    if not logs:
        raise Failure("the bundle has no logs: its figures were stated, and there is nothing to read again")
    sizes = {entry["name"]: int(entry["annotations"]["size_bytes"]) for entry in statement["subject"]}
    document = json.loads(b"".join(bundle.chunks("document.json", min(sizes["document.json"], MAX_DOCUMENT_BYTES))))
    metadata = {name: value for name, value in document.items() if name not in _NOT_SENT}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as files:
        paths = [_copied(bundle, entry, Path(folder, str(n))) for n, entry in enumerate(logs)]

        def build() -> dict[str, Any]:
            parts = [
                ("log", (_base(entry["annotations"]["name"]), files.enter_context(path.open("rb"))))
                for entry, path in zip(logs, paths, strict=True)
            ]
            trials = [
                "" if entry["annotations"]["trial"] is None else str(entry["annotations"]["trial"]) for entry in logs
            ]
            return {"data": {"metadata": json.dumps(metadata), "trial": trials}, "files": parts}

        _, answer = site.post_files("submissions/import/", build, (("dry_run", "true"),))
    results = answer["submissions"]
    if len(results) != 1:
        return Again(0, (f"the logs are {len(results)} results, and not one",))
    return _compared(statement["predicate"]["results"]["trials"], results[0]["trials"])


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
