"""Many logs in one import, `per_file=true`: grouped into results, each stored or refused by itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request

from benchsite.http.problems import status_of
from benchsite.http.refusals import Conflict, Fault, Refusal, UploadTooLarge
from submissions.api.schema import FaultSerializer
from submissions.ingest.batches import MOST_LOGS
from submissions.ingest.checks import quota
from submissions.ingest.checks.duplicates import with_parameter
from submissions.ingest.files.open import Unopened, open_each
from submissions.ingest.logs.each import figures_of, read_each
from submissions.ingest.logs.propose import proposed
from submissions.ingest.logs.read import ReadFile, StatedLoad
from submissions.ingest.pipeline import Prepared, prepare_readings
from submissions.ingest.store.store import Stored, store_all
from submissions.records.api.nested import NextSerializer
from submissions.records.api.serializers import SubmissionSerializer, stored_json
from submissions.upload.api.next_steps import next_steps
from submissions.upload.api.submit import dry_run_answers

PER_FILE_PARAMETER = OpenApiParameter(
    "per_file",
    bool,
    default=False,
    description=f"Up to {MOST_LOGS} logs of different results: each result is stored or refused by itself, and the"
    " answer 207 has the outcome of each file. Larger logs are sent one result at a time, without it",
)
_FILE = inline_serializer(
    "FileOutcome",
    {
        "file": serializers.CharField(help_text="Its name, with its path in an archive"),
        "status": serializers.IntegerField(
            help_text="201 stored, 200 known or dry run, 400 refused, 409 part of another result, 413 or 429 over a"
            " limit of the account"
        ),
        "result": serializers.IntegerField(allow_null=True, help_text="Files of one result have the same number"),
        "tool": serializers.CharField(allow_null=True),
        "throughput_ops_s": serializers.FloatField(allow_null=True),
        "latency_p99_ms": serializers.FloatField(allow_null=True),
        "submissions": serializers.ListField(child=serializers.IntegerField(), help_text="Their places in the list"),
        "errors": FaultSerializer(many=True),
    },
    many=True,
)
PER_FILE = inline_serializer(
    "ImportedPerFile",
    {"files": _FILE, "submissions": SubmissionSerializer(many=True), "next": NextSerializer(allow_null=True)},
)


def field_of(place: str) -> str:
    """The pipeline counts files; the sender knows them as the form's field `log`."""
    return f"#/log{place.removeprefix('#/files')}" if place.startswith("#/files") else place


@dataclass(slots=True)
class _File:
    read: ReadFile | Unopened
    result: int | None = None
    status: int = 400
    submissions: list[int] = field(default_factory=list)
    faults: Sequence[Fault] = ()

    def as_json(self) -> dict[str, Any]:
        is_read = isinstance(self.read, ReadFile)
        figures = figures_of(self.read) if isinstance(self.read, ReadFile) else None
        return {
            "file": self.read.member.name if isinstance(self.read, ReadFile) else self.read.name,
            "status": self.status,
            "result": self.result,
            "tool": self.read.reading.tool if is_read and isinstance(self.read, ReadFile) else None,
            "throughput_ops_s": figures and figures.throughput_ops_s,
            "latency_p99_ms": figures and figures.latency_p99_ms,
            "submissions": self.submissions,
            "errors": [{"pointer": field_of(fault.pointer), "detail": fault.detail} for fault in self.faults],
        }


@dataclass(slots=True)
class Answer:
    files: list[_File]
    outcomes: list[Prepared | Stored] = field(default_factory=list)

    def content(self, request: Request) -> dict[str, Any]:
        prepared = [each for each in self.outcomes if isinstance(each, Prepared)]
        stored = [stored_json(each, request) for each in self.outcomes if isinstance(each, Stored)]
        return {
            "files": [file.as_json() for file in self.files],
            "submissions": stored or dry_run_answers(prepared, request),
            "next": next_steps(stored, request),
        }


def per_file(
    files: Sequence["UploadedFile[bytes]"],
    metadata: Mapping[str, Any],
    trials: Sequence[str],
    loads: Sequence[StatedLoad],
    results: Sequence[str],
    *,
    owner: User,
    is_dry_run: bool,
    may_repeat_logs: bool,
) -> Answer:
    """Raises Refusal for what is wrong with the request as a whole, and then nothing was stored."""
    for name, stated in (("trial", trials), ("result", results)):
        if len(stated) > len(files):
            raise Refusal.at(f"#/{name}", f"{len(stated)} values for {len(files)} files")
    if sum(file.size or 0 for file in files) > settings.IMPORT_IN_REQUEST_BYTES:
        most = f"{settings.IMPORT_IN_REQUEST_BYTES:,}"
        raise UploadTooLarge.at("#/log", f"over {most} bytes in one request: send larger logs one result at a time")
    read = read_each(
        open_each(files, MOST_LOGS),
        {f"#/files/{place}": trial for place, trial in enumerate(trials)},
        {f"#/files/{place}": load for place, load in enumerate(loads)},
    )
    answer = Answer([_File(each) for each in read])
    for file in answer.files:
        if isinstance(file.read, Unopened):
            file.faults = [Fault("#", file.read.reason)]
    good = [file for file in answer.files if isinstance(file.read, ReadFile)]
    if not is_dry_run:
        quota.check(owner, sum(file.read.member.size_bytes for file in good if isinstance(file.read, ReadFile)))
    for number, group in enumerate(_groups(good, results), start=1):
        _store(answer, group, number, metadata, None if is_dry_run else owner, may_repeat_logs=may_repeat_logs)
    return answer


def _groups(files: Sequence[_File], results: Sequence[str]) -> list[list[_File]]:
    """As stated; the others as proposed."""
    names = {f"#/files/{place}": name for place, name in enumerate(results) if name}
    named: dict[str, list[_File]] = {}
    others: list[tuple[_File, ReadFile]] = []
    for file in files:
        assert isinstance(file.read, ReadFile)  # noqa: S101 (only those that were read are grouped)
        if name := names.get(file.read.member.pointer):
            named.setdefault(name, []).append(file)
        else:
            others.append((file, file.read))
    groups = proposed([read for _, read in others])
    return [*named.values(), *([others[place][0] for place in group] for group in groups)]


def _store(
    answer: Answer,
    group: list[_File],
    number: int,
    metadata: Mapping[str, Any],
    owner: User | None,
    *,
    may_repeat_logs: bool,
) -> None:
    """One result, in a transaction of its own; without an owner nothing is stored."""
    status = 200
    faults: tuple[Fault, ...] = ()
    outcomes: Sequence[Stored | Prepared] = []
    try:
        prepared = prepare_readings(metadata, [file.read for file in group if isinstance(file.read, ReadFile)])
        outcomes = store_all(prepared, submitted_by=owner, may_repeat_logs=may_repeat_logs) if owner else prepared
        status = 201 if any(isinstance(each, Stored) and each.created for each in outcomes) else 200
    except Conflict as error:
        status, faults = status_of(error), with_parameter(error).faults
    except Refusal as error:
        status, faults = status_of(error), error.faults
    places = list(range(len(answer.outcomes), len(answer.outcomes) + len(outcomes)))
    answer.outcomes += outcomes
    for file in group:
        file.result, file.status, file.submissions, file.faults = number, status, places, faults
