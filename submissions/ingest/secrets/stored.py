"""Masks secrets in what was stored by a version of the site that did not look for them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db import models, transaction
from django.db.models import F, Model, Value
from django.db.models.functions import Coalesce

from benchsite.http.streams import by_key
from submissions.choices import ArtifactKind, Flag
from submissions.ingest.document.fingerprint import fingerprint_of
from submissions.ingest.files import storage
from submissions.ingest.pipeline import content_hash_of
from submissions.ingest.secrets.facts import mask_facts
from submissions.ingest.secrets.mask import mask_text
from submissions.ingest.secrets.sentences import masked_in_file
from submissions.ingest.uploads import forget_readings
from submissions.models import Artifact, Submission, Upload, Workload

_SOURCES = (ArtifactKind.LOAD_LOG, ArtifactKind.HISTOGRAM_LOG, ArtifactKind.GRAPH)  # of a content hash
_BATCH_ROWS = 500


@dataclass(frozen=True, slots=True)
class Finding:
    """Something stored that holds secrets, in words without them."""

    what: str


def mask_stored(*, apply: bool) -> Iterator[Finding]:
    """Each file and each row with secrets; with `apply` they are masked, one after the other.

    Safe to repeat and to interrupt: what is masked is not found again.
    """
    for sha256 in sorted(_stored_sums()):
        yield from _mask_file(sha256, apply=apply)
    for model in apps.get_models():
        columns: tuple[str, ...] = getattr(model, "texts_from_outside", ())
        if columns:
            yield from _mask_rows(model, columns, apply=apply)


def _file_models() -> list[type[Model]]:
    """Every table that points to bytes in the storage by their sum."""
    wanted = {"sha256", "original_sha256", "size_bytes"}
    return [model for model in apps.get_models() if wanted <= {field.name for field in model._meta.fields}]


def _stored_sums() -> set[str]:
    sums: set[str] = set()
    for model in _file_models():
        sums.update(model._default_manager.exclude(sha256=None).values_list("sha256", flat=True).distinct())
    for files in Upload.objects.values_list("files", flat=True):
        sums.update(entry["sha256"] for entry in files)
    return sums


def _mask_file(sha256: str, *, apply: bool) -> Iterator[Finding]:
    try:
        spots = storage.spots_in_stored(sha256)
    except FileNotFoundError:
        return  # taken away by a moderator
    if not spots:
        return
    artifact = Artifact.objects.filter(sha256=sha256).first()
    name = f"submission {artifact.submission_id}, {mask_text(artifact.name)}" if artifact else f"file {sha256[:12]}"
    if apply:
        _replace_file(sha256)
    yield Finding(masked_in_file(name, spots))


def _replace_file(sha256: str) -> None:
    """New bytes first, then the rows, then the old bytes go: whenever it stops, no row is without its file."""
    masked = storage.store_masked(sha256)
    with transaction.atomic():
        submissions = set(Artifact.objects.filter(sha256=sha256).values_list("submission", flat=True))
        hashes = {pk: _has_its_own_hash(pk) for pk in submissions}
        for model in _file_models():
            model._default_manager.filter(sha256=sha256).update(
                sha256=masked.sha256,
                size_bytes=masked.size_bytes,
                original_sha256=Coalesce(F("original_sha256"), Value(sha256)),
            )
        for upload in Upload.objects.filter(files__contains=[{"sha256": sha256}]):
            _point_to(upload, sha256, masked)
        for submission in Submission.objects.filter(pk__in=submissions):
            _note_masked(submission, rehash=hashes[submission.pk])
    storage.delete_stored(sha256)


def _point_to(upload: Upload, sha256: str, masked: storage.StoredFile) -> None:
    new = {"sha256": masked.sha256, "size_bytes": masked.size_bytes, "original_sha256": sha256}
    upload.files = [entry | new if entry["sha256"] == sha256 else entry for entry in upload.files]
    upload.save(update_fields=["files"])
    forget_readings(upload)  # they hold what was read in the old bytes


def _mask_rows(model: type[Model], columns: tuple[str, ...], *, apply: bool) -> Iterator[Finding]:
    for row in by_key(model._default_manager.all(), _BATCH_ROWS):
        old = {name: getattr(row, name) for name in columns}
        new = {name: _fitting(model, name, mask_facts({name: value})[name]) for name, value in old.items()}
        changed = [name for name in columns if new[name] != old[name]]
        if not changed:
            continue
        if apply:
            with transaction.atomic():
                _write_row(row, {name: new[name] for name in changed})
        yield Finding(f"{model._meta.verbose_name} {row.pk}: {', '.join(changed)}")


def _fitting(model: type[Model], name: str, value: Any) -> Any:
    """A mask may be longer than what it masks."""
    field = model._meta.get_field(name)
    return value[: field.max_length] if isinstance(field, models.CharField) else value


def _write_row(row: Model, values: dict[str, Any]) -> None:
    rehash = isinstance(row, Submission) and _has_its_own_hash(row.pk)
    for name, value in values.items():
        setattr(row, name, value)
    row.save(update_fields=list(values))
    if isinstance(row, Submission):
        _note_masked(row, rehash=rehash)
    if isinstance(row, Workload):
        _identify(row)


def _has_its_own_hash(pk: int) -> bool:
    """Whether its content hash is of what it holds now; a document of an older form has another."""
    submission = Submission.objects.get(pk=pk)
    return submission.content_hash == _hash_of(submission)


def _hash_of(submission: Submission) -> str:
    sums = submission.artifacts.filter(kind__in=_SOURCES).values_list("sha256", flat=True)
    return content_hash_of(submission.document, sums)


def _note_masked(submission: Submission, *, rehash: bool) -> None:
    """The flag; and the hash by which the owner's same upload, masked on its way, is found to be this one."""
    if Flag.SECRETS_MASKED not in submission.flags:
        submission.flags = [flag.value for flag in Flag if flag in (*submission.flags, Flag.SECRETS_MASKED)]
    key = _hash_of(submission)
    same = Submission.objects.filter(content_hash=key, submitted_by=submission.submitted_by).exclude(pk=submission.pk)
    if rehash and not same.exists():
        submission.content_hash = key
    submission.save(update_fields=["flags", "content_hash"])


def _identify(workload: Workload) -> None:
    """By what its canonical form is now, unless another has that form."""
    key = fingerprint_of(workload.canonical)
    if not Workload.objects.filter(fingerprint=key).exists():
        workload.fingerprint = key
        workload.save(update_fields=["fingerprint"])
