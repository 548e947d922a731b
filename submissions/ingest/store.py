"""The only code that writes submissions: the same content once, all of it or nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction

from submissions.choices import ArtifactKind
from submissions.ingest import intervals, rows, storage
from submissions.ingest.pipeline import Prepared
from submissions.models import Artifact, NodeGroup, Submission, Trial, Workload


@dataclass(frozen=True, slots=True)
class Stored:
    submission: Submission
    created: bool  # False: the same content was there before


def store(prepared: Prepared, *, submitted_by: AbstractBaseUser | None) -> Stored:
    """Write a submission with its trials, node groups and artifacts, or find the first of its kind."""
    return store_all([prepared], submitted_by=submitted_by)[0]


def store_all(batch: Sequence[Prepared], *, submitted_by: AbstractBaseUser | None) -> list[Stored]:
    """Store a batch in one transaction and a constant number of queries; answers in its order.

    Files go to the storage before the rows: a crash between leaves bytes nobody points to, never a
    row without its bytes. Two of the same content at the same moment: the unique content hash lets
    one through, and the other finds it.
    """
    hashes = [one.content_hash for one in batch]
    wanted = dict(zip(hashes, batch, strict=True))
    found = _stored_before(hashes)
    missing = {key: one for key, one in wanted.items() if key not in found}
    artifacts = {key: _kept_artifacts(one) for key, one in missing.items()}
    new: set[str] = set()
    while missing:
        try:
            with transaction.atomic():
                created = _write(missing, artifacts, submitted_by)
        except IntegrityError:
            found = _stored_before(hashes)
            faster = missing.keys() & found.keys()
            if not faster:
                raise  # another rule than the hash was broken: that is our bug
            missing = {key: one for key, one in missing.items() if key not in faster}
        else:
            found, new, missing = found | created, set(created), {}
    answers = []
    for key in hashes:
        answers.append(Stored(found[key], created=key in new))
        new.discard(key)  # the same content again in this batch finds the first
    return answers


def _stored_before(hashes: Iterable[str]) -> dict[str, Submission]:
    rows_found = Submission.objects.filter(content_hash__in=list(hashes))
    return {submission.content_hash: submission for submission in rows_found}


def _write(
    missing: dict[str, Prepared],
    artifacts: dict[str, list[Artifact]],
    submitted_by: AbstractBaseUser | None,
) -> dict[str, Submission]:
    workloads = _workloads(missing.values())
    # in the order of the hashes: two batches with the same content wait for, not on, each other
    submissions = {
        key: Submission(
            workload=workloads[one.fingerprint],
            submitted_by=submitted_by,
            **rows.submission_columns(one),
        )
        for key, one in sorted(missing.items())
    }
    Submission.objects.bulk_create(submissions.values())
    Trial.objects.bulk_create(
        Trial(submission=submissions[key], index=index, **trial.columns())
        for key, one in missing.items()
        for index, trial in enumerate(one.trials)
    )
    NodeGroup.objects.bulk_create(
        NodeGroup(submission=submissions[key], **columns)
        for key, one in missing.items()
        for columns in rows.node_group_columns(one)
    )
    for key in missing:
        for artifact in artifacts[key]:
            artifact.submission = submissions[key]
    Artifact.objects.bulk_create(artifact for key in missing for artifact in artifacts[key])
    return submissions


def _workloads(batch: Iterable[Prepared]) -> dict[str, Workload]:
    """The workload rows of a batch by fingerprint, made where they are new."""
    columns = {one.fingerprint: rows.workload_columns(one) for one in batch}
    known = Workload.objects.filter(fingerprint__in=columns)
    found = {workload.fingerprint: workload for workload in known}
    if new := [Workload(**columns[key]) for key in sorted(columns.keys() - found.keys())]:
        Workload.objects.bulk_create(new, ignore_conflicts=True)
        found |= {
            workload.fingerprint: workload
            for workload in Workload.objects.filter(fingerprint__in=columns.keys() - found.keys())
        }
    return found


def _kept_artifacts(prepared: Prepared) -> list[Artifact]:
    """Artifact rows, not yet saved, whose bytes are in the storage."""
    rows = [
        Artifact(
            trial_index=owned.trial_index,
            kind=owned.file.kind.value,
            name=owned.file.member.name,
            sha256=storage.keep(owned.file.member),
            size_bytes=owned.file.member.size_bytes,
        )
        for owned in prepared.files
    ]
    series = intervals.packed(prepared.trials)
    if series is not None:
        rows.append(
            Artifact(
                kind=ArtifactKind.INTERVALS.value,
                name="intervals.json.gz",
                sha256=storage.keep_bytes(series),
                size_bytes=len(series),
            )
        )
    return rows
