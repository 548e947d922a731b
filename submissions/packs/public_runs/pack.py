"""The published runs as a pack: their logs by the way of any upload."""

import gzip
import io
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from benchsite.http.refusals import Refusal
from submissions.ingest.pipeline import Prepared, prepare_import
from submissions.ingest.uploads import offered
from submissions.packs.pack import Entry
from submissions.packs.public_runs.archives import FOLDER, SCENARIO, PackedResult, index, read
from submissions.packs.public_runs.scenario import metadata_of


class PublicRuns:
    name = "public_runs"

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder

    @property
    def version(self) -> str:
        return index(self._folder).version

    def entries(self) -> Sequence[Entry]:
        return [_entry(result) for result in index(self._folder).results]

    def prepared(self, keys: Collection[str]) -> Iterator[tuple[Entry, Prepared | Refusal]]:
        for result, files in read(keys, self._folder):
            yield _entry(result), _prepared(result, files)


PUBLIC_RUNS = PublicRuns()


def _entry(result: PackedResult) -> Entry:
    return Entry(result.key, result.source.license, attribution="", replaces=result.replaces)


def _prepared(result: PackedResult, files: Mapping[PurePosixPath, bytes]) -> Prepared | Refusal:
    logs, trials = _uploaded(result, files)
    scenarios = [json.loads(files[PurePosixPath(trial.folder) / SCENARIO]) for trial in result.trials]
    try:
        [prepared] = prepare_import(metadata_of(result, scenarios), offered(logs, trials))
    except Refusal as refusal:
        return refusal
    return prepared


class _PackedLog(io.BytesIO):
    """A log of the pack as an uploaded file."""

    def __init__(self, name: str, content: bytes):
        super().__init__(gzip.compress(content, mtime=0))
        self.name = f"{name}.gz"


def _uploaded(result: PackedResult, files: Mapping[PurePosixPath, bytes]) -> tuple[list[_PackedLog], list[str]]:
    """The logs of all clients of all trials, and the trial of each."""
    logs, trials = [], []
    for number, trial in enumerate(result.trials, start=1):
        folder = PurePosixPath(trial.folder)
        for name in trial.files:
            if name != SCENARIO:
                logs.append(_PackedLog(f"{folder.name}/{name}", files[folder / name]))
                trials.append(str(number))
    return logs, trials
