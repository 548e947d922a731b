"""Makes the pack of published runs that is shipped with the site, from folders of the repositories.

Each run is a folder with <client>_run.txt, perhaps <client>_<OPERATION>.hdr (both also as .gz), and the publisher's
description as scenario.json.
"""

import gzip
import hashlib
import io
import json
import lzma
import re
import tarfile
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from shutil import copyfile
from typing import Any

from submissions.packs.public_runs import archives
from submissions.packs.public_runs.histogram_text import unpacked

SOURCES = (
    archives.Source("mongodb-vs-cassandra-blog", "a444939", "benchANT", "Apache-2.0"),
    archives.Source("aerospike-apache-cassandra-benchmark", "0914d4f", "benchANT", "Apache-2.0"),
    archives.Source("mongodb-vs-scylladb", "4491eab", "benchANT", "Apache-2.0"),
)
# What differs between trials of one configuration: the name of the run, addresses, and prices, which vary by mistake.
_OF_A_RUN = frozenset({"metadata", "monitoring", "costs", "password", "dbmsEndpoints"})
_RUN = re.compile(r"_(?P<number>\d+)_[A-Za-z0-9]{8}(?:_\d+)?$")  # <configuration>_<number of the trial>_<id>
_THREADS = re.compile(r"-\d+-threads$")  # of a configuration that was measured at several loads
_CLIENT = re.compile(r"(?P<client>\d+)_")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = ArgumentParser(prog="python -m tools.make_public_runs", description=__doc__)
    parser.add_argument("folder", type=Path, help="with a folder for each source")
    parser.add_argument("--out", type=Path, default=archives.FOLDER)
    options = parser.parse_args(arguments)
    for source in SOURCES:
        if not any((options.folder / source.name).glob(f"**/{archives.SCENARIO}")):
            parser.error(f"{options.folder / source.name} has no {archives.SCENARIO}")
    print(make(options.folder, options.out))


def make(folder: Path, out: Path) -> str:
    """Write the archives and their index; how many results they have."""
    results = []
    for source in SOURCES:
        found = _configurations(folder / source.name)
        (out / source.name).mkdir(parents=True, exist_ok=True)
        copyfile(folder / source.name / "LICENSE", out / source.name / "LICENSE")
        for name, with_histograms in (("runs", False), ("runs-with-histograms", True)):
            chosen = {key: runs for key, runs in found.items() if _has_histograms(runs) == with_histograms}
            if chosen:
                results += _write_archive(folder / source.name, chosen, out, f"{source.name}/{name}.tar.xz")
    results = _with_curves(results)
    content = {"sources": [asdict(source) for source in SOURCES], "results": results}
    text = json.dumps(content, sort_keys=True)
    version = hashlib.sha256(text.encode()).hexdigest()[:16]
    (out / archives.INDEX).write_text(json.dumps({"version": version, **content}, indent=1) + "\n", encoding="utf-8")
    size = sum(path.stat().st_size for path in out.glob("*/*.tar.xz"))
    return f"{len(results)} results, {size:,} bytes"


def _configurations(source: Path) -> dict[str, list[Path]]:
    """The runs of each configuration, in the order of their numbers; by its key."""
    groups: dict[tuple[str, str], list[Path]] = defaultdict(list)
    for scenario in sorted(source.glob(f"**/{archives.SCENARIO}")):
        run = scenario.parent
        groups[_key(source, run), _constant(json.loads(scenario.read_text()))].append(run)
    found: dict[str, list[Path]] = {}
    for (key, _), runs in sorted(groups.items()):
        name = key if key not in found else f"{key} {len(found)}"
        found[name] = sorted(runs, key=lambda run: (_number(run), run.name))
    return found


def _with_curves(results: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Neighbours that differ in their number of threads alone are one result, in the place of the first."""
    joined = []
    for name, group in groupby(results, key=lambda result: _THREADS.sub("-by-threads", result["key"])):
        same = list(group)
        if len(same) == 1:
            joined += same
            continue
        trials = [trial for result in same for trial in result["trials"]]
        joined.append({**same[0], "key": name, "replaces": [result["key"] for result in same], "trials": trials})
    return joined


def _key(source: Path, run: Path) -> str:
    """Of the configuration, by its place in the repository; a run in the folder of another is none of its parts."""
    parents = [part for part in run.relative_to(source).parent.parts if not _RUN.search(part)]
    return "/".join([source.name, *parents, _RUN.sub("", run.name)])


def _number(run: Path) -> int:
    found = _RUN.search(run.name)
    return int(found["number"]) if found else 0


def _constant(scenario: Mapping[str, Any]) -> str:
    return json.dumps(_without_run(scenario), sort_keys=True)


def _without_run(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_run(item) for name, item in value.items() if name not in _OF_A_RUN}
    return [_without_run(item) for item in value] if isinstance(value, list) else value


def _has_histograms(runs: Iterable[Path]) -> bool:
    return any(path for run in runs for path in run.glob("*.hdr*"))


def _write_archive(
    root: Path, configurations: Mapping[str, list[Path]], out: Path, archive: str
) -> list[dict[str, Any]]:
    results = []
    with (
        lzma.open(out / archive, "wb", preset=9 | lzma.PRESET_EXTREME) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.USTAR_FORMAT) as members,
    ):
        for key, runs in configurations.items():
            trials = [_add_run(members, root, run) for run in runs]
            results.append({"key": key, "source": root.name, "archive": archive, "trials": trials})
    return results


def _add_run(members: tarfile.TarFile, root: Path, run: Path) -> dict[str, Any]:
    folder = run.relative_to(root).as_posix()
    sums = {}
    for name, content in _files(run):
        sums[name] = hashlib.sha256(content).hexdigest()
        stored = unpacked(content) if name.endswith(".hdr") else content
        member = tarfile.TarInfo(f"{folder}/{name}")
        member.size = len(stored)
        members.addfile(member, io.BytesIO(stored))
    return {"folder": folder, "files": sums}


def _files(run: Path) -> Iterable[tuple[str, bytes]]:
    """The description first, then the files of each client by its number."""
    paths = [path for path in run.iterdir() if path.is_file()]
    for path in sorted(paths, key=lambda path: (_client(path.name), path.name)):
        content = path.read_bytes()
        is_packed = path.suffix == ".gz"
        yield (path.stem, gzip.decompress(content)) if is_packed else (path.name, content)


def _client(name: str) -> int:
    found = _CLIENT.match(name)
    return int(found["client"]) if found else -1


if __name__ == "__main__":
    main()
