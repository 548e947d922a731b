"""Uploads on their way to a submission: files wait for the uploader's facts, or for a worker; each log is parsed once.

The raw bytes and the readings wait in the storage. The readings can be made again from the bytes at any time.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import partial
from tempfile import TemporaryFile
from typing import IO, Any

from django.contrib.auth.models import User

from benchsite.http.refusals import Conflict, Refusal
from submissions.ingest.checks import quota
from submissions.ingest.checks.duplicates import ALLOW, allows_duplicates, with_parameter
from submissions.ingest.files import storage
from submissions.ingest.files.limits import UploadLimits
from submissions.ingest.files.member import Member
from submissions.ingest.files.open import UploadedFile, open_upload
from submissions.ingest.logs.document import submissions_of_logs
from submissions.ingest.logs.read import UNSTATED, OfferedFile, ReadFile, StatedLoad, read_logs
from submissions.ingest.logs.reading_file import load_readings, write_readings
from submissions.ingest.pipeline import Prepared, prepare_readings
from submissions.ingest.secrets.facts import mask_facts
from submissions.ingest.store.store import Stored, store_all
from submissions.models import Upload

STAGED_FOR = timedelta(days=1)  # a form left open overnight is lost
UNFINISHED = (Upload.Status.STAGED, Upload.Status.FAILED)


def offered(
    files: Sequence[UploadedFile], trials: Sequence[str] = (), loads: Sequence[StatedLoad] = ()
) -> list[OfferedFile]:
    """The logs in the uploaded files; `trials` names the trial of each file ("" or missing: none), `loads` its load.

    Raises Refusal for what cannot be opened, or when `trials` is longer than `files`.
    """
    if len(trials) > len(files):
        raise Refusal.at("#/trial", f"{len(trials)} trials for {len(files)} files")
    names = {f"#/files/{index}": trial for index, trial in enumerate(trials)}
    stated = {f"#/files/{index}": load for index, load in enumerate(loads)}
    return [
        OfferedFile(member, names.get(member.pointer) or None, stated.get(member.pointer, UNSTATED))
        for member in open_upload(files)
    ]


def stage(
    files: Sequence[UploadedFile],
    metadata: Mapping[str, Any],
    *,
    owner: User,
    trials: Sequence[str] = (),
    loads: Sequence[StatedLoad] = (),
    status: Upload.Status = Upload.Status.STAGED,
    for_preview: bool = False,
    may_repeat_logs: bool = False,
) -> Upload:
    """Store the files, their secrets masked, with the metadata; nothing is parsed yet. Raises Refusal."""
    logs = offered(files, trials, loads)
    upload = stage_logs(logs, metadata, owner=owner, status=status, for_preview=for_preview)
    if may_repeat_logs:
        upload.files = [{**entry, "duplicate": ALLOW} for entry in upload.files]
        upload.save(update_fields=["files"])
    return upload


def stage_logs(
    members: Sequence[OfferedFile],
    metadata: Mapping[str, Any],
    *,
    owner: User,
    status: Upload.Status,
    for_preview: bool = False,
) -> Upload:
    """The same for logs that were opened."""
    quota.check(owner, sum(log.member.size_bytes for log in members))
    return Upload.objects.create(
        owner=owner,
        status=status,
        for_preview=for_preview,
        metadata=mask_facts(metadata),
        files=[entry_of(log) for log in members],
    )


def stage_readings(read: Sequence[ReadFile], *, owner: User) -> Upload:
    """Stage files that were read. Raises Refusal, and then nothing was stored."""
    submissions_of_logs(read)
    quota.check(owner, sum(file.member.size_bytes for file in read))
    entries = [entry_of(OfferedFile(file.member, file.trial, file.load)) for file in read]
    upload = Upload.objects.create(owner=owner, for_preview=True, files=entries)
    cache_readings(upload, read)
    return upload


def cached_readings(upload: Upload, *, with_intervals: bool = True) -> list[ReadFile] | None:
    """The readings of the upload's files, in the trials that it states now; None where they must be read again.

    Without intervals it is quick for a log of any size, and enough for everything but storing.
    """
    try:
        with storage.open_scratch(_readings_name(upload)) as raw:
            return load_readings(raw, _reopened(upload), with_intervals=with_intervals)
    except FileNotFoundError:
        return None


def read_again(upload: Upload) -> list[ReadFile]:
    """Parse the waiting files and cache their readings. Raises Refusal."""
    read = read_logs(_reopened(upload))
    if upload.batch_id is None:  # a histogram file is a part of a batch, and no submission
        submissions_of_logs(read)
    cache_readings(upload, read)
    return read


def read_for_preview(upload: Upload) -> None:
    """A worker's part of an upload by the form; its status and errors show the outcome. Raises Refusal."""
    with _refusals_noted(upload):
        read_again(upload)
    # of two workers the slower one changes nothing: the uploader may have saved meanwhile
    running = Upload.objects.filter(pk=upload.pk, status=Upload.Status.RUNNING)
    running.update(status=Upload.Status.STAGED, errors=[], attempts=0)  # storing it counts anew


def prepare(upload: Upload, metadata: Mapping[str, Any] | None = None) -> list[Prepared]:
    """Read the waiting files with their metadata, or with that given here. Raises Refusal."""
    facts = upload.metadata if metadata is None else metadata
    return prepare_readings(facts, read_logs(_reopened(upload)), received_at=upload.created_at)


def finish(upload: Upload, metadata: Mapping[str, Any] | None = None) -> list[Stored]:
    """Store what the upload holds; its status and errors show the outcome. Raises Refusal.

    Safe to repeat: the same content is found again.
    """
    with _refusals_noted(upload):
        try:
            return store_prepared(upload, prepare(upload, metadata))
        except Conflict as error:
            raise with_parameter(error) from error


def store_prepared(upload: Upload, prepared: Sequence[Prepared]) -> list[Stored]:
    """Store what was prepared from the upload, which is then done. Raises Refusal, and then nothing was stored."""
    stored = store_all(prepared, submitted_by=upload.owner, may_repeat_logs=allows_duplicates(upload))
    upload.submissions.set([result.submission for result in stored])
    upload.files = [{**entry, "was_known": not any(each.created for each in stored)} for entry in upload.files]
    upload.errors, upload.status = [], Upload.Status.DONE
    upload.save(update_fields=["files", "errors", "status"])
    forget_readings(upload)
    return stored


def forget_stale(now: datetime) -> int:
    """Delete uploads that were not completed within a day; returns how many.

    Their bytes stay for a week (benchsite/storage/orphans.py): another upload of the same content may need them.
    """
    stale = list(Upload.objects.filter(status__in=UNFINISHED, created_at__lte=now - STAGED_FOR))
    for upload in stale:
        forget_readings(upload)
    deleted, _ = Upload.objects.filter(pk__in=[upload.pk for upload in stale], status__in=UNFINISHED).delete()
    return deleted


def forget_readings(upload: Upload) -> None:
    """They are read again from the bytes when they are needed."""
    storage.delete_scratch(_readings_name(upload))


def forget(upload: Upload) -> None:
    """Delete an upload whatever its status; its raw bytes stay."""
    storage.delete_scratch(_readings_name(upload))
    upload.delete()


@contextmanager
def stored_file(name: str, sha256: str) -> Iterator[UploadedFile]:
    """A file of the storage in the form of an uploaded one; FileNotFoundError when it is not there."""
    with storage.open_stored(sha256) as raw:
        yield _StoredFile(name, raw)


@dataclass(frozen=True, slots=True)
class _StoredFile:
    name: str
    raw: IO[bytes]

    def read(self, size: int, /) -> bytes:
        return self.raw.read(size)


def entry_of(log: OfferedFile) -> dict[str, Any]:
    """A log's entry in `Upload.files`, its bytes stored: all that is needed to open it again."""
    member = log.member
    return {
        "name": member.name,
        "sha256": storage.store_member(member),
        "size_bytes": member.size_bytes,
        "trial": log.trial or "",
        **{name: value for name, value in asdict(log.load).items() if value is not None},
        "encoding": member.encoding,
        "is_gzip": member.is_gzip,
        "warnings": list(member.warnings),
        "original_sha256": member.original_sha256,
        "modified_at": member.modified_at and member.modified_at.isoformat(),
    }


def _reopened(upload: Upload) -> list[OfferedFile]:
    """The waiting files, which were checked when they were staged. Raises Refusal."""
    if all("encoding" in entry for entry in upload.files):
        return [
            OfferedFile(
                _member(entry, f"#/files/{index}"),
                entry["trial"] or None,
                StatedLoad(entry.get("offered_ops_s"), entry.get("threads")),
            )
            for index, entry in enumerate(upload.files)
        ]
    with ExitStack() as stack:  # staged by a version that did not note how to open them
        files = [stack.enter_context(stored_file(entry["name"], entry["sha256"])) for entry in upload.files]
        return offered(files, [entry["trial"] for entry in upload.files])


def _member(entry: Mapping[str, Any], pointer: str) -> Member:
    return Member(
        name=entry["name"],
        pointer=pointer,
        sha256=entry["sha256"],
        size_bytes=entry["size_bytes"],
        warnings=tuple(entry["warnings"]),
        line_characters=UploadLimits().line_characters,
        encoding=entry["encoding"],
        is_gzip=entry["is_gzip"],
        open_raw=partial(storage.open_stored, entry["sha256"]),
        original_sha256=entry.get("original_sha256"),
        modified_at=datetime.fromisoformat(stated) if (stated := entry.get("modified_at")) else None,
    )


def cache_readings(upload: Upload, files: Sequence[ReadFile]) -> None:
    with TemporaryFile() as out:
        write_readings(files, out)
        out.seek(0)
        storage.write_scratch(_readings_name(upload), out)


def _readings_name(upload: Upload) -> str:
    return f"readings/{upload.pk}.json.gz"


@contextmanager
def _refusals_noted(upload: Upload) -> Iterator[None]:
    try:
        yield
    except Refusal as error:
        note_refusal(upload, error)
        raise


def note_refusal(upload: Upload, error: Refusal) -> None:
    upload.errors = [{"pointer": fault.pointer, "detail": fault.detail} for fault in error.faults]
    upload.status = Upload.Status.FAILED
    upload.save(update_fields=["errors", "status"])
