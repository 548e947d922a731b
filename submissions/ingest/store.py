"""The only code that writes submissions: the same content once, all of it or nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Q

from submissions import licenses
from submissions.choices import ArtifactKind
from submissions.ingest import intervals, rows
from submissions.ingest.files import storage
from submissions.ingest.newcomers import unranked_until
from submissions.ingest.outliers import with_outliers_flagged
from submissions.ingest.pipeline import Prepared
from submissions.ingest.reproduction import look_for_reproductions
from submissions.models import Artifact, NodeGroup, Submission, Trial, Workload, is_public


@dataclass(frozen=True, slots=True)
class Stored:
    submission: Submission
    created: bool  # False: the same content was there before


@dataclass(frozen=True, slots=True)
class ExtraFile:
    """A file that belongs to a submission without being its source: samples, disk tests, a host summary."""

    name: str
    kind: ArtifactKind
    sha256: str  # of bytes that are in the storage
    size_bytes: int
    trial_index: int | None = None
    original_sha256: str | None = None  # before secrets were masked


def store(prepared: Prepared, *, submitted_by: User | None, source_license: str = "") -> Stored:
    """Write a submission with its trials, node groups and artifacts, or find the first of its kind."""
    return store_all([prepared], submitted_by=submitted_by, source_license=source_license)[0]


def store_all(batch: Sequence[Prepared], *, submitted_by: User | None, source_license: str = "") -> list[Stored]:
    """Store a batch in one transaction and a constant number of queries; answers in its order.

    Whoever submits agrees to the licence of uploads; `source_license` is for what nobody submitted.
    Files go to the storage before the rows: a crash between leaves bytes nobody points to, never a
    row without its bytes. Of two connections with the same content the second waits and finds the first.
    """
    hashes = [prepared.content_hash for prepared in batch]
    wanted = dict(zip(hashes, batch, strict=True))
    stored = _stored_before(hashes, submitted_by)
    artifacts = {key: _artifacts(prepared) for key, prepared in wanted.items() if key not in stored}
    new: set[str] = set()
    if artifacts:
        with transaction.atomic():
            _lock(artifacts)
            stored |= _stored_before(artifacts, submitted_by)
            missing = {key: wanted[key] for key in artifacts if key not in stored}
            license = licenses.UPLOADS.spdx if submitted_by else source_license
            stored |= _write(missing, artifacts, submitted_by, license)
            new = set(missing)
    answers = []
    for key in hashes:
        answers.append(Stored(stored[key], created=key in new))
        new.discard(key)  # the same content again in this batch finds the first
    return answers


def attach(submission: Submission, files: Iterable[ExtraFile]) -> None:
    """Add files to a submission, each name once, however often it is repeated."""
    known = set(submission.artifacts.values_list("name", flat=True))
    Artifact.objects.bulk_create(
        Artifact(
            submission=submission,
            trial_index=file.trial_index,
            kind=file.kind.value,
            name=file.name,
            sha256=file.sha256,
            size_bytes=file.size_bytes,
            original_sha256=file.original_sha256,
        )
        for file in files
        if file.name not in known
    )


def _stored_before(hashes: Iterable[str], submitted_by: User | None) -> dict[str, Submission]:
    """The submitter's own of these contents, else the first one open to all: a stranger's private one is not read."""
    is_open = is_public() & Q(hidden_at=None)
    same = Submission.objects.filter(content_hash__in=list(hashes)).filter(is_open | Q(submitted_by=submitted_by))
    stored: dict[str, Submission] = {}
    for submission in same.order_by("pk"):
        if submission.content_hash not in stored or submission.submitted_by_id == (submitted_by and submitted_by.pk):
            stored[submission.content_hash] = submission
    return stored


def _lock(hashes: Iterable[str]) -> None:
    """Until the transaction ends, no other writes these; in one order, so that none waits for ever."""
    keys = sorted(int(key[:15], 16) for key in hashes)  # 60 bits fit a bigint
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(key) FROM unnest(%s::bigint[]) AS key", [keys])


def _write(
    missing: dict[str, Prepared],
    artifacts: dict[str, list[Artifact]],
    submitted_by: User | None,
    license: str,
) -> dict[str, Submission]:
    workloads = _workloads(missing.values())
    waits = unranked_until(submitted_by, [prepared.trust for prepared in missing.values()])
    flagged = with_outliers_flagged(list(missing.values()), submitted_by)
    missing = dict(zip(missing, flagged, strict=True))
    submissions = {
        key: Submission(
            workload=workloads[prepared.fingerprint],
            submitted_by=submitted_by,
            unranked_until=wait,
            license=license,
            **rows.submission_columns(prepared),
        )
        for (key, prepared), wait in zip(missing.items(), waits, strict=True)
    }
    Submission.objects.bulk_create(submissions.values())
    Trial.objects.bulk_create(
        Trial(submission=submissions[key], index=index, **trial.columns())
        for key, prepared in missing.items()
        for index, trial in enumerate(prepared.trials)
    )
    NodeGroup.objects.bulk_create(
        NodeGroup(submission=submissions[key], **columns)
        for key, prepared in missing.items()
        for columns in rows.node_group_columns(prepared)
    )
    for key in missing:
        for artifact in artifacts[key]:
            artifact.submission = submissions[key]
    Artifact.objects.bulk_create(artifact for key in missing for artifact in artifacts[key])
    look_for_reproductions(list(submissions.values()))
    return submissions


def _workloads(batch: Iterable[Prepared]) -> dict[str, Workload]:
    """The workload rows of a batch by fingerprint, made where they are new."""
    columns = {prepared.fingerprint: rows.workload_columns(prepared) for prepared in batch}
    workloads = _workloads_of(columns)
    if new := [Workload(**columns[key]) for key in sorted(columns.keys() - workloads.keys())]:
        Workload.objects.bulk_create(new, ignore_conflicts=True)
        workloads |= _workloads_of(columns.keys() - workloads.keys())
    return workloads


def _workloads_of(fingerprints: Iterable[str]) -> dict[str, Workload]:
    known = Workload.objects.filter(fingerprint__in=list(fingerprints))
    return {workload.fingerprint: workload for workload in known}


def _artifacts(prepared: Prepared) -> list[Artifact]:
    """Artifact rows, not yet saved, whose bytes are in the storage."""
    artifacts = [
        Artifact(
            trial_index=owned.trial_index,
            kind=owned.file.kind.value,
            name=owned.file.member.name,
            sha256=storage.store_member(owned.file.member),
            size_bytes=owned.file.member.size_bytes,
            original_sha256=owned.file.member.original_sha256,
        )
        for owned in prepared.files
    ]
    series = intervals.packed(prepared.trials)
    if series is not None:
        artifacts.append(
            Artifact(
                kind=ArtifactKind.INTERVALS.value,
                name="intervals.json.gz",
                sha256=storage.store_bytes(series),
                size_bytes=len(series),
            )
        )
    return artifacts
