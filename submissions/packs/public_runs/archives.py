"""The archives of the project: which results they have, and the files of each, read from solid archives."""

import json
import tarfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from submissions.packs.public_runs.histogram_text import packed

FOLDER = Path(__file__).resolve().parents[2] / "data" / "packs" / "public_runs"
INDEX = "index.json"
SCENARIO = "scenario.json"


@dataclass(frozen=True, slots=True)
class Source:
    """A repository, and its state that the pack has."""

    name: str
    commit: str
    publisher: str
    license: str

    @property
    def url(self) -> str:
        return f"https://github.com/{self.publisher}/{self.name}"

    def url_of(self, folder: str) -> str:
        return f"{self.url}/tree/{self.commit}/results/{folder}"


@dataclass(frozen=True, slots=True)
class PackedTrial:
    """A run of one configuration: the log of each client, perhaps its histograms, and what the publisher says of it."""

    folder: str
    files: Mapping[str, str]  # name -> SHA-256


@dataclass(frozen=True, slots=True)
class PackedResult:
    """One configuration and all of its trials; with several loads they are a load curve."""

    key: str  # never changes: what is loaded is known by it
    source: Source
    archive: str
    trials: tuple[PackedTrial, ...]
    replaces: tuple[str, ...] = ()  # keys of earlier versions of the pack, which had parts of it as results


@dataclass(frozen=True, slots=True)
class Index:
    version: str  # another one: everything is loaded again, and what differs is replaced
    results: tuple[PackedResult, ...]  # in the order of the archives


@cache
def index(folder: Path = FOLDER) -> Index:
    content = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    sources = {each["name"]: Source(**each) for each in content["sources"]}
    results = tuple(
        PackedResult(
            each["key"],
            sources[each["source"]],
            each["archive"],
            tuple(PackedTrial(trial["folder"], trial["files"]) for trial in each["trials"]),
            tuple(each.get("replaces", ())),
        )
        for each in content["results"]
    )
    return Index(content["version"], results)


def read(keys: Collection[str], folder: Path = FOLDER) -> Iterator[tuple[PackedResult, dict[PurePosixPath, bytes]]]:
    """Each of these results with its files by their path, in the order of the pack; only its own are in memory."""
    wanted = [result for result in index(folder).results if result.key in keys]
    for archive in dict.fromkeys(result.archive for result in wanted):
        of_archive = iter([result for result in wanted if result.archive == archive])
        with tarfile.open(folder / archive, "r|xz") as members:
            yield from _grouped(members, of_archive)


def _grouped(
    members: tarfile.TarFile, results: Iterator[PackedResult]
) -> Iterator[tuple[PackedResult, dict[PurePosixPath, bytes]]]:
    """The members of a result follow each other, in the order of the results."""
    result = next(results, None)
    files: dict[PurePosixPath, bytes] = {}
    for member in members:
        if result is None:
            return
        path = PurePosixPath(member.name)
        if not any(path.parent == PurePosixPath(trial.folder) for trial in result.trials):
            continue
        files[path] = _content(members, member)
        if len(files) == sum(len(trial.files) for trial in result.trials):
            yield result, files
            result, files = next(results, None), {}
    if result is not None:
        raise ValueError(f"the files of {result.key} are incomplete")


def _content(members: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = members.extractfile(member)
    if file is None:
        raise ValueError(f"{member.name} is not a file")
    content = file.read()
    return packed(content) if member.name.endswith(".hdr") else content
