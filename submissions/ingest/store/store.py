"""The only code that writes submissions: the same content once, all of it or nothing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from benchsite.http.refusals import Refusal
from submissions import licenses
from submissions.choices import ArtifactKind
from submissions.ingest.checks import outliers, quota
from submissions.ingest.checks.newcomers import unranked_until
from submissions.ingest.checks.reproduced_trust import look_for_reproductions
from submissions.ingest.curves import intervals
from submissions.ingest.curves.interval_curves import curves_of_results
from submissions.ingest.curves.stored_curves import new_row
from submissions.ingest.files import storage
from submissions.ingest.pipeline import Prepared
from submissions.ingest.store import rows
from submissions.ingest.store.insert import NewRows, insert
from submissions.ingest.store.lookups import Lookups, look_up
from submissions.models import Artifact, IntervalCurves, Submission, Workload, is_public


@dataclass(frozen=True, slots=True)
class Stored:
    submission: Submission
    created: bool  # False: the same content was there before
    rows: NewRows | None = None  # of a created one: all that was written


@dataclass(frozen=True, slots=True)
class Origin:
    """Where results come from that nobody submitted."""

    license: str  # an SPDX identifier
    attribution: str = ""  # the words that every copy must carry
    pack: str = ""  # the name of the pack that they come with


_UPLOADED = Origin(licenses.UPLOADS.spdx)
_UNKNOWN = Origin(license="")


@dataclass(frozen=True, slots=True)
class ExtraFile:
    """A file that belongs to a submission without being its source: samples, disk tests, a host summary."""

    name: str
    kind: ArtifactKind
    sha256: str  # of bytes that are in the storage
    size_bytes: int
    trial_index: int | None = None
    original_sha256: str | None = None  # before secrets were masked


def store(prepared: Prepared, *, submitted_by: User | None, origin: Origin = _UNKNOWN) -> Stored:
    """Write a submission with its trials, node groups and artifacts, or find the first of its kind."""
    return store_all([prepared], submitted_by=submitted_by, origin=origin)[0]


def store_all(batch: Sequence[Prepared], *, submitted_by: User | None, origin: Origin = _UNKNOWN) -> list[Stored]:
    """Store all of a batch or, where one is over a limit of the account, nothing. Raises Refusal."""
    answers = _store(batch, submitted_by, origin, is_whole=True)
    return [answer for answer in answers if isinstance(answer, Stored)]  # a refusal was raised


def store_each(batch: Sequence[Prepared], *, submitted_by: User | None) -> list[Stored | Refusal]:
    """The same, but what is over a limit of the account is refused by itself."""
    return _store(batch, submitted_by, _UNKNOWN, is_whole=False)


def _store(
    batch: Sequence[Prepared], submitted_by: User | None, origin: Origin, *, is_whole: bool
) -> list[Stored | Refusal]:
    """Store a batch in one transaction and a constant number of queries; answers in its order.

    Whoever submits agrees to the licence of uploads; `origin` is for what nobody submitted.
    Files go to the storage before the rows: a crash between leaves bytes nobody points to, never a
    row without its bytes. Of two connections with the same content the second waits and finds the first.
    """
    hashes = [prepared.content_hash for prepared in batch]
    wanted = dict(zip(hashes, batch, strict=True))
    stored, artifacts = _with_files(wanted, submitted_by)
    written: dict[str, NewRows] = {}
    refused: dict[str, Refusal] = {}
    if len(stored) < len(wanted):
        waiting = {key: prepared for key, prepared in wanted.items() if key not in stored}
        with transaction.atomic():
            lookups = look_up(waiting.values(), submitted_by)
            if lookups.is_any_stored:
                stored |= _stored_before(waiting, submitted_by)
            missing = {key: prepared for key, prepared in waiting.items() if key not in stored}
            refused = _over_limits(missing, lookups.usage, is_whole=is_whole)
            missing = {key: prepared for key, prepared in missing.items() if key not in refused}
            if missing:
                written = _write(missing, artifacts, lookups, submitted_by, _UPLOADED if submitted_by else origin)
    answers: list[Stored | Refusal] = []
    for key in hashes:
        if key in refused:
            answers.append(refused[key])
            continue
        rows = written.get(key)
        answers.append(Stored(rows.submission if rows else stored[key], created=rows is not None, rows=rows))
        if rows:  # the same content again in this batch finds the first
            stored[key] = written.pop(key).submission
    return answers


def _over_limits(missing: Mapping[str, Prepared], usage: quota.Usage | None, *, is_whole: bool) -> dict[str, Refusal]:
    """Of what is not there yet. Raises the first Refusal of a batch that is stored whole."""
    answers = zip(missing, quota.refusals(usage, list(missing.values())), strict=True)
    refused = {key: refusal for key, refusal in answers if refusal is not None}
    if is_whole and refused:
        raise next(iter(refused.values()))
    return refused


def _with_files(
    wanted: Mapping[str, Prepared], submitted_by: User | None
) -> tuple[dict[str, Submission], dict[str, list[Artifact]]]:
    """Of the contents that have files: those stored before, and of the others their files, now in the storage."""
    with_files = {key: prepared for key, prepared in wanted.items() if prepared.files or _has_series(prepared)}
    stored = _stored_before(with_files, submitted_by) if with_files else {}
    return stored, {key: _artifacts(prepared) for key, prepared in with_files.items() if key not in stored}


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


def _write(
    missing: dict[str, Prepared],
    artifacts: Mapping[str, list[Artifact]],
    lookups: Lookups,
    submitted_by: User | None,
    origin: Origin,
) -> dict[str, NewRows]:
    waits = unranked_until(lookups.usage, [prepared.trust for prepared in missing.values()])
    workloads = _workloads(missing.values(), lookups)
    flagged = list(missing.values())
    if not origin.pack:  # its rates are real, however high: whoever made the pack has checked them
        flagged = outliers.flagged(flagged, lookups.workloads)
    written = {
        key: NewRows(
            Submission(
                workload=workloads[prepared.fingerprint],
                submitted_by=submitted_by,
                unranked_until=wait,
                license=origin.license,
                attribution=origin.attribution,
                pack=origin.pack,
                **rows.submission_columns(prepared, lookups.memory),
            ),
            rows.trial_columns(prepared),
            rows.node_group_columns(prepared),
            artifacts.get(key, []),
            rows.load_point_columns(prepared),
        )
        for key, prepared, wait in zip(missing, flagged, waits, strict=True)
    }
    insert(list(written.values()))
    files = [artifact for new in written.values() for artifact in new.artifacts]
    IntervalCurves.objects.bulk_create(artifact.curves for artifact in files if Artifact.curves.is_cached(artifact))
    look_for_reproductions([new.submission for new in written.values()])
    return written


def _workloads(batch: Iterable[Prepared], lookups: Lookups) -> dict[str, Workload]:
    """The workload rows of a batch by fingerprint, made where they are new."""
    workloads = {fingerprint: stored.workload for fingerprint, stored in lookups.workloads.items()}
    columns = {each.fingerprint: rows.workload_columns(each) for each in batch if each.fingerprint not in workloads}
    if columns:
        new = [Workload(**columns[key]) for key in sorted(columns)]
        Workload.objects.bulk_create(new, ignore_conflicts=True)
        created = Workload.objects.filter(fingerprint__in=list(columns))
        workloads |= {workload.fingerprint: workload for workload in created}
    return workloads


def _has_series(prepared: Prepared) -> bool:
    return any(trial.intervals for trial in prepared.trials)


def _artifacts(prepared: Prepared) -> list[Artifact]:
    """Artifact rows, not yet saved, whose bytes are in the storage; that of the intervals with its curves."""
    artifacts = [
        Artifact(
            trial_index=owned.trial_index,
            kind=owned.file.kind.value,
            name=owned.file.member.name,
            sha256=storage.store_member(owned.file.member),
            size_bytes=owned.file.member.size_bytes,
            original_sha256=owned.file.member.original_sha256,
            lines_not_read=owned.file.reading.lines_not_read_count,
            first_lines_not_read=list(owned.file.reading.lines_not_read),
        )
        for owned in prepared.files
    ]
    series = intervals.packed(prepared.trials)
    if series is not None:
        file = Artifact(
            kind=ArtifactKind.INTERVALS.value,
            name="intervals.json.gz",
            sha256=storage.store_bytes(series),
            size_bytes=len(series),
        )
        repetitions = {id(trial) for trial in prepared.repetitions}
        at_peak = {index for index, trial in enumerate(prepared.trials) if id(trial) in repetitions}
        new_row(file, curves_of_results(prepared.trials, at_peak))
        artifacts.append(file)
    return artifacts
