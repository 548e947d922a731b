"""Many logs at once: each waits by itself, some together are a result, and each result is stored by itself."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from benchsite.http.refusals import Fault, Refusal
from submissions.ingest import uploads
from submissions.ingest.checks import quota
from submissions.ingest.checks.duplicates import Duplicate, allows_duplicates, foreseen_duplicates
from submissions.ingest.files.member import Member
from submissions.ingest.files.open import Unopened
from submissions.ingest.logs.propose import Group, proposed
from submissions.ingest.logs.read import OfferedFile, ReadFile
from submissions.ingest.pipeline import Prepared, prepare_readings
from submissions.ingest.store.store import store_all
from submissions.models import Upload

MOST_LOGS = 100
BY_TOOL = "databases"  # in the facts of a batch: the database of each load tool


@dataclass(frozen=True, slots=True)
class BatchLog:
    """A log of a batch; `file` is None where it could not be read, or was published."""

    upload: Upload
    file: ReadFile | None

    @property
    def name(self) -> str:
        files = self.upload.files
        return str(files[0]["name"] if files else self.upload.metadata.get("name", ""))

    @property
    def is_published(self) -> bool:
        return self.upload.status == Upload.Status.DONE


@dataclass(frozen=True, slots=True)
class Result:
    """Logs that are published together, and what is in the way of it."""

    number: int
    parts: tuple[BatchLog, ...]
    prepared: tuple[Prepared, ...] = ()
    faults: tuple[Fault, ...] = ()
    duplicates: tuple[Duplicate, ...] = ()  # logs that are part of a published result

    @property
    def may_repeat_logs(self) -> bool:
        return any(allows_duplicates(part.upload) for part in self.parts)

    @property
    def files(self) -> list[ReadFile]:
        return [part.file for part in self.parts if part.file is not None]


def stage(read: Sequence[ReadFile | Unopened], *, owner: User) -> Upload:
    """A part for each log, grouped as proposed. Raises Refusal, and then nothing was stored."""
    files = [each for each in read if isinstance(each, ReadFile)]
    quota.check(owner, sum(file.member.size_bytes for file in files))
    with transaction.atomic():
        batch = Upload.objects.create(owner=owner, for_preview=True)
        parts = [_part(batch, place, _entries(each)) for place, each in enumerate(read)]
    _note_unopened(parts, read)
    for part, each in zip(parts, read, strict=True):
        if isinstance(each, ReadFile):
            uploads.cache_readings(part, [each])
    _leave_out_copies(parts)
    propose(load(batch))
    return batch


def _leave_out_copies(parts: Sequence[Upload]) -> None:
    """The same bytes again are no other trial; the uploader may choose them all the same."""
    first: dict[str, str] = {}
    for part in parts:
        for entry in part.files:
            if entry["sha256"] in first:
                part.is_chosen = False
                part.errors = [{"pointer": "#", "detail": f"has the same bytes as {first[entry['sha256']]}"}]
                part.save(update_fields=["is_chosen", "errors"])
            first.setdefault(entry["sha256"], entry["name"])


def stage_unread(opened: Sequence[Member | Unopened], *, owner: User) -> Upload:
    """The same for logs that workers read; each part is to be delivered. Raises Refusal."""
    quota.check(owner, sum(each.size_bytes for each in opened if isinstance(each, Member)))
    batch = Upload.objects.create(owner=owner, for_preview=True)
    parts = [_part(batch, place, _entries(each), Upload.Status.QUEUED) for place, each in enumerate(opened)]
    _note_unopened(parts, opened)
    _leave_out_copies(parts)
    return batch


def _part(
    batch: Upload, place: int, files: list[dict[str, Any]], status: Upload.Status = Upload.Status.STAGED
) -> Upload:
    return Upload.objects.create(
        owner=batch.owner, batch=batch, position=place, for_preview=True, files=files, status=status
    )


def _entries(each: ReadFile | Member | Unopened) -> list[dict[str, Any]]:
    if isinstance(each, Unopened):
        return []
    return [uploads.entry_of(OfferedFile(each.member if isinstance(each, ReadFile) else each))]


def _note_unopened(parts: Sequence[Upload], read: Sequence[object]) -> None:
    for part, each in zip(parts, read, strict=True):
        if isinstance(each, Unopened):
            part.metadata, part.status = {"name": each.name}, Upload.Status.FAILED
            part.errors = [{"pointer": "#", "detail": each.reason}]
            part.save(update_fields=["metadata", "status", "errors"])


def load(batch: Upload, *, with_intervals: bool = False) -> list[BatchLog]:
    """The parts in order, with what was read in those that wait for their uploader."""
    return [
        BatchLog(upload, _reading(upload, with_intervals=with_intervals))
        for upload in batch.parts.select_related("owner").order_by("position")
    ]


def _reading(upload: Upload, *, with_intervals: bool) -> ReadFile | None:
    if upload.status != Upload.Status.STAGED:
        return None
    try:
        files = uploads.cached_readings(upload, with_intervals=with_intervals) or uploads.read_again(upload)
    except Refusal as error:  # by parsers of a newer version
        uploads.note_refusal(upload, error)
        return None
    return files[0]


def propose(parts: Sequence[BatchLog]) -> None:
    """Number the results as the logs suggest."""
    readable = [part for part in parts if part.file is not None]
    _number(readable, proposed([part.file for part in readable if part.file is not None]))


def propose_each(parts: Sequence[BatchLog]) -> None:
    """Number each log as a result of its own."""
    readable = [part for part in parts if part.file is not None]
    _number(readable, [[place] for place in range(len(readable))])


def renumber(parts: Sequence[BatchLog]) -> None:
    """Count the results from 1 in the order of their first logs; a part without a number is a result of its own."""
    groups: dict[object, Group] = {}
    readable = [part for part in parts if part.file is not None]
    for place, part in enumerate(readable):
        key = part.upload.result if part.upload.result is not None else part.upload.pk
        groups.setdefault(key, []).append(place)
    _number(readable, list(groups.values()))


def _number(parts: Sequence[BatchLog], groups: Sequence[Group]) -> None:
    for number, group in enumerate(groups, start=1):
        for place in group:
            parts[place].upload.result = number
    Upload.objects.bulk_update([part.upload for part in parts], ["result", "files", "is_chosen"])


def results(batch: Upload, parts: Sequence[BatchLog]) -> list[Result]:
    """What the chosen logs become with the facts of the batch; faults are part of it and none is raised."""
    made = [_prepared(batch, number, members) for number, members in _chosen(parts)]
    every = [prepared for result in made for prepared in result.prepared]
    duplicates = {each.log.sha256: each for each in foreseen_duplicates(every, batch.owner)}
    return [_with_duplicates(result, duplicates) for result in made]


def _with_duplicates(result: Result, duplicates: Mapping[str, Duplicate]) -> Result:
    """With its logs that are part of another result; faults unless the uploader wants them published again."""
    sums = {file.member.sha256 for file in result.files}
    found = tuple(each for sha256, each in duplicates.items() if sha256 in sums)
    if not found or result.may_repeat_logs:
        return replace(result, duplicates=found)
    faults = tuple(Fault(each.log.pointer, each.reason) for each in found)
    return replace(result, prepared=(), faults=(*result.faults, *faults), duplicates=found)


def _chosen(parts: Sequence[BatchLog]) -> Iterator[tuple[int, tuple[BatchLog, ...]]]:
    groups: dict[int, list[BatchLog]] = {}
    for part in parts:
        if part.file is not None and part.upload.is_chosen and part.upload.result is not None:
            groups.setdefault(part.upload.result, []).append(part)
    for number, members in sorted(groups.items()):
        yield number, tuple(members)


def _prepared(batch: Upload, number: int, members: tuple[BatchLog, ...]) -> Result:
    result = Result(number, members)
    facts = facts_of(batch, members)
    try:
        prepared = prepare_readings(facts, result.files, received_at=batch.created_at)
    except Refusal as error:
        return Result(number, members, faults=error.faults)
    return Result(number, members, tuple(prepared))


def publish(batch: Upload) -> None:
    """Store each chosen result in a transaction of its own; what is refused is noted at its logs.

    Safe to repeat, also at the same time: what was published is not published again.
    """
    parts = load(batch, with_intervals=True)
    for number, members in _chosen(parts):
        try:
            with transaction.atomic():
                _publish(batch, number, members)
        except Refusal as error:
            for part in members:
                part.upload.errors = [{"pointer": fault.pointer, "detail": fault.detail} for fault in error.faults]
                part.upload.save(update_fields=["errors"])
    if batch.parts.filter(status=Upload.Status.DONE).exists():
        Upload.objects.filter(pk=batch.pk).update(status=Upload.Status.DONE)


def _publish(batch: Upload, number: int, members: tuple[BatchLog, ...]) -> None:
    """Raises Refusal."""
    pks = [part.upload.pk for part in members]
    waiting = Upload.objects.select_for_update(of=("self",)).filter(pk__in=pks, status=Upload.Status.STAGED)
    if len(waiting.order_by("pk")) < len(pks):
        return  # published meanwhile
    result = _prepared(batch, number, members)
    if result.faults:
        raise Refusal(result.faults)
    stored = store_all(result.prepared, submitted_by=batch.owner, may_repeat_logs=result.may_repeat_logs)
    for part in members:
        upload = part.upload
        upload.submissions.set([each.submission for each in stored])
        upload.files = [{**entry, "was_known": not any(each.created for each in stored)} for entry in upload.files]
        upload.errors, upload.status = [], Upload.Status.DONE
        upload.save(update_fields=["files", "errors", "status"])
        transaction.on_commit(lambda upload=upload: uploads.forget_readings(upload))  # type: ignore[misc]


def joined(batch: Upload, parts: Sequence[BatchLog]) -> Upload:
    """All logs of a batch as an upload of one result; the batch is gone."""
    files = [part.file for part in parts if part.file is not None]
    with transaction.atomic():
        upload = Upload.objects.create(
            owner=batch.owner, for_preview=True, files=[entry for part in parts for entry in part.upload.files]
        )
        _forget(batch, parts)
    uploads.cache_readings(upload, files)
    return upload


def split(upload: Upload, files: Sequence[ReadFile]) -> Upload:
    """The logs of an upload as a batch with a result for each; the upload is gone."""
    with transaction.atomic():
        batch = Upload.objects.create(owner=upload.owner, for_preview=True, metadata=upload.metadata)
        parts = [_part(batch, place, [{**entry, "trial": ""}]) for place, entry in enumerate(upload.files)]
        uploads.forget(upload)
    for part, file in zip(parts, files, strict=True):
        uploads.cache_readings(part, [file])
    propose_each(load(batch))
    return batch


def _forget(batch: Upload, parts: Sequence[BatchLog]) -> None:
    for part in parts:
        uploads.forget_readings(part.upload)
    batch.delete()


def facts_of(batch: Upload, members: Sequence[BatchLog]) -> dict[str, Any]:
    """Those of all, with the database of the result's tool where it has one, and those of its own."""
    return with_own(shared_facts(batch, members), members[0].upload.metadata)


def shared_facts(batch: Upload, members: Sequence[BatchLog]) -> dict[str, Any]:
    shared = {name: value for name, value in batch.metadata.items() if name != BY_TOOL}
    stated = batch.metadata.get(BY_TOOL) or {}
    database = next((stated[tool] for tool in tools_of(members) if tool in stated), None)
    return with_own(shared, {"service": {"name": database}}) if database else shared


def tools_of(parts: Sequence[BatchLog]) -> list[str]:
    """The load tools of the logs."""
    return sorted({part.file.reading.tool for part in parts if part.file is not None and part.file.reading.trial_sets})


def with_own(shared: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of all with those of one result; None takes one away."""
    made = dict(shared)
    for name, value in own.items():
        before = made.get(name)
        if value is None:
            made.pop(name, None)
        elif isinstance(value, Mapping) and isinstance(before, Mapping):
            made[name] = with_own(before, value)
        else:
            made[name] = value
    return made


def own_facts(shared: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    """What `with_own` adds to the facts of all to get these."""
    made: dict[str, Any] = {}
    for name in {**shared, **facts}:
        before, after = shared.get(name), facts.get(name)
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            made |= {name: inner} if (inner := own_facts(before, after)) else {}
        elif before != after:
            made[name] = after
    return made
