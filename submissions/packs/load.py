"""Stores the published runs of the pack one after the other, by the way of any upload; what is loaded is left."""

import gzip
import io
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import structlog
from django.db import transaction
from django.utils import timezone

from benchsite.refusals import Refusal
from submissions.ingest.pipeline import prepare_import
from submissions.packs.public_runs.pack import FOLDER, SCENARIO, PackedResult, index, read
from submissions.packs.public_runs.scenario import metadata_of
from submissions.ingest.store import store
from submissions.ingest.uploads import offered
from submissions.models import PublicRun, Submission

log = structlog.get_logger(__name__)

REPLACED = "Replaced: this version of the site reads the published logs of this result more completely."


@dataclass(frozen=True, slots=True)
class Progress:
    loaded: int
    refused: int
    total: int

    @property
    def waiting(self) -> int:
        return self.total - self.loaded - self.refused


def progress(folder: Path = FOLDER) -> Progress:
    """One query."""
    pack = index(folder)
    of_pack = PublicRun.objects.filter(version=pack.version).values_list("problem", flat=True)
    refused = [bool(problem) for problem in of_pack]
    return Progress(refused.count(False), refused.count(True), len(pack.results))


def load_waiting(*, seconds: float | None = None, folder: Path = FOLDER) -> Progress:
    """Load what is not loaded of this version; a result that was begun within `seconds` is finished."""
    until = None if seconds is None else time.monotonic() + seconds
    version = index(folder).version
    done = set(PublicRun.objects.filter(version=version).values_list("key", flat=True))
    waiting = [result.key for result in index(folder).results if result.key not in done]
    for result, files in read(waiting, folder):
        _load(result, files, version)
        if until is not None and time.monotonic() >= until:
            break
    return progress(folder)


def _load(result: PackedResult, files: Mapping[PurePosixPath, bytes], version: str) -> None:
    """One result; the row that says so is written with it, or with why it was refused."""
    logs, trials = _uploaded(result, files)
    scenarios = [json.loads(files[PurePosixPath(trial.folder) / SCENARIO]) for trial in result.trials]
    try:
        [prepared] = prepare_import(metadata_of(result, scenarios), offered(logs, trials))
        with transaction.atomic():
            stored = store(prepared, submitted_by=None, source_license=result.source.license).submission
            _note(result, version, submission=stored)
    except Refusal as refusal:
        log.warning("a published run was refused", key=result.key, problem=str(refusal))
        _note(result, version, problem=str(refusal))


def _note(result: PackedResult, version: str, *, submission: Submission | None = None, problem: str = "") -> None:
    """What an earlier version made of the same files is retracted."""
    earlier = PublicRun.objects.filter(key__in=(result.key, *result.replaces), submission__isnull=False)
    before = set(earlier.values_list("submission", flat=True))
    PublicRun.objects.update_or_create(
        key=result.key, defaults={"version": version, "submission": submission, "problem": problem}
    )
    if submission is None:
        return
    if before - {submission.pk}:
        old = Submission.objects.filter(pk__in=before - {submission.pk}, retracted_at=None)
        old.update(retracted_at=timezone.now(), retraction_reason=REPLACED)
    Submission.objects.filter(pk=submission.pk, retraction_reason=REPLACED).update(
        retracted_at=None, retraction_reason=""
    )


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
