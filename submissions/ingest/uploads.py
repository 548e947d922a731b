"""Files that wait: for the uploader to complete the facts, or for a worker to read them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import IO, Any

from django.contrib.auth.models import User

from benchsite.refusals import Refusal
from submissions.ingest.files import storage
from submissions.ingest.files.open import UploadedFile, open_upload
from submissions.ingest.logs.group import OfferedFile
from submissions.ingest.pipeline import Prepared, prepare_import
from submissions.ingest.store import Stored, store
from submissions.models import Upload

STAGED_FOR = timedelta(days=1)  # a form left open over night is lost
UNFINISHED = (Upload.Status.STAGED, Upload.Status.FAILED)


def offered(files: Sequence[UploadedFile], trials: Sequence[str] = ()) -> list[OfferedFile]:
    """The logs in the uploaded files; `trials` names the trial of each file ("" or missing: none).

    Raises Refusal for what cannot be opened, or when `trials` is longer than `files`.
    """
    if len(trials) > len(files):
        raise Refusal.at("#/trial", f"{len(trials)} trials for {len(files)} files")
    names = {f"#/files/{index}": trial for index, trial in enumerate(trials)}
    return [OfferedFile(member, names.get(member.pointer) or None) for member in open_upload(files)]


def stage(
    files: Sequence[UploadedFile],
    metadata: Mapping[str, Any],
    *,
    owner: User,
    trials: Sequence[str] = (),
    status: Upload.Status = Upload.Status.STAGED,
) -> Upload:
    """Keep the files as they are and remember the metadata; nothing is parsed or stored yet."""
    return Upload.objects.create(
        owner=owner,
        status=status,
        metadata=metadata,
        files=[
            {
                "name": one.member.name,
                "sha256": storage.keep(one.member),
                "size_bytes": one.member.size_bytes,
                "trial": one.trial or "",
            }
            for one in offered(files, trials)
        ],
    )


def logs_of(upload: Upload) -> list[OfferedFile]:
    """The waiting files, opened again. Raises Refusal."""
    with ExitStack() as stack:
        files = [stack.enter_context(kept(entry["name"], entry["sha256"])) for entry in upload.files]
        return offered(files, [entry["trial"] for entry in upload.files])


def prepare(upload: Upload, metadata: Mapping[str, Any] | None = None) -> list[Prepared]:
    """Read the waiting files with their metadata, or with that given here. Raises Refusal."""
    return prepare_import(upload.metadata if metadata is None else metadata, logs_of(upload))


def finish(upload: Upload, metadata: Mapping[str, Any] | None = None) -> list[Stored]:
    """Store what the upload holds; its status and errors tell the outcome. Raises Refusal.

    Safe to repeat: the same content is found again.
    """
    try:
        prepared = prepare(upload, metadata)
    except Refusal as error:
        upload.errors = [{"pointer": fault.pointer, "detail": fault.detail} for fault in error.faults]
        upload.status = Upload.Status.FAILED
        upload.save(update_fields=["errors", "status"])
        raise
    return store_prepared(upload, prepared)


def store_prepared(upload: Upload, prepared: Sequence[Prepared]) -> list[Stored]:
    """Store what was prepared from the upload, and tell the upload so."""
    stored = [store(one, submitted_by=upload.owner) for one in prepared]
    upload.submissions.set([one.submission for one in stored])
    upload.errors, upload.status = [], Upload.Status.DONE
    upload.save(update_fields=["errors", "status"])
    return stored


def forget_stale(now: datetime) -> int:
    """Delete uploads that nobody completed in a day; how many.

    Their bytes stay in the storage: another upload of the same content may be on its way to them.
    """
    deleted, _ = Upload.objects.filter(status__in=UNFINISHED, created_at__lte=now - STAGED_FOR).delete()
    return deleted


@contextmanager
def kept(name: str, sha256: str) -> Iterator[UploadedFile]:
    """A file of the storage in the form of an uploaded one; FileNotFoundError when it is not there."""
    with storage.open_kept(sha256) as raw:
        yield _Kept(name, raw)


@dataclass(frozen=True, slots=True)
class _Kept:
    """A kept file in the form of an uploaded one."""

    name: str
    raw: IO[bytes]

    def read(self, size: int, /) -> bytes:
        return self.raw.read(size)
