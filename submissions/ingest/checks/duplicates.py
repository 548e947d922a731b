"""What was stored before: the same content, and logs that would count twice if published again with other facts."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Q

from benchsite.http.refusals import Conflict, Fault
from submissions.analysis.documents import differs
from submissions.choices import ArtifactKind, Visibility
from submissions.formatting.facts import field_label
from submissions.formatting.text import in_sentence, join_and
from submissions.ingest.files.member import Member
from submissions.ingest.pipeline import Prepared
from submissions.models import Artifact, Submission, Upload, address_of, is_public

ALLOW = "allow"  # of the parameter `duplicate`, and of a file of an upload
# Histograms and disk tests may be part of several results.
_LOGS = (ArtifactKind.LOAD_LOG, ArtifactKind.GRAPH)
_MOST_DIFFERENCES = 4


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A log, and the first result that has it with other facts."""

    log: Member
    submission: Submission
    differences: tuple[str, ...]  # facts by their names; empty where it was read in another way
    is_own: bool

    @property
    def reason(self) -> str:
        """ "a.log is already published as result #7 (/submissions/7/), which differs in: region"."""
        return f"{self.log.name} is already {self.place} ({self.address}){self.differing}"

    @property
    def address(self) -> str:
        return self.submission.get_absolute_url() if self.is_own else address_of(self.submission.pk)

    @property
    def place(self) -> str:
        number = f"result #{self.submission.pk}"
        if self.submission.is_open:
            return f"published as {number}"
        if self.submission.embargo_until is not None or self.submission.hidden_at is not None:
            return f"in your {number}"
        return f"in your {Visibility(self.submission.visibility).label} {number}"

    @property
    def differing(self) -> str:
        names = self.differences[:_MOST_DIFFERENCES]
        if not names:
            return ", where it was read in another way or has another source"
        more = len(self.differences) - len(names)
        return f", which differs in: {join_and([*names, f'{more} more facts'] if more else names)}"


def stored_before(contents: Iterable[str], account: User | None) -> dict[str, Submission]:
    """The account's own of these contents, else the first one open to all: a stranger's private one is not read."""
    is_open = is_public() & Q(hidden_at=None)
    same = Submission.objects.filter(content_hash__in=list(contents)).filter(is_open | Q(submitted_by=account))
    stored: dict[str, Submission] = {}
    for submission in same.order_by("pk"):
        if submission.content_hash not in stored or submission.submitted_by_id == (account and account.pk):
            stored[submission.content_hash] = submission
    return stored


def logs_of(batch: Collection[Prepared]) -> dict[str, tuple[Member, Prepared]]:
    """The load logs of these results by their sums."""
    return {
        owned.file.member.sha256: (owned.file.member, prepared)
        for prepared in batch
        for owned in prepared.files
        if owned.file.kind in _LOGS
    }


def duplicates_in(batch: Collection[Prepared], contents: Collection[str], account: User | None) -> list[Duplicate]:
    """Of these new results. One query; none without a log.

    `contents`: the hashes of all results that are stored together, whose logs may be the same. Only what is open to all
    and the account's own is looked at, so nothing of another's private result shows, not even by the time it takes.
    """
    logs = logs_of(batch)
    if not logs:
        return []
    is_open = is_public("submission__") & Q(submission__hidden_at=None)
    rows = Artifact.objects.filter(
        is_open | Q(submission__submitted_by=account),
        sha256__in=list(logs),
        kind__in=_LOGS,
        submission__retracted_at=None,
    ).exclude(submission__content_hash__in=list(contents))
    first = rows.select_related("submission").order_by("sha256", "submission_id").distinct("sha256")
    return [_duplicate(*logs[row.sha256], row.submission, account) for row in first]


def foreseen_duplicates(batch: Collection[Prepared], account: User | None) -> list[Duplicate]:
    """Of what may be stored later; the same content again is none. Two queries; none without a log."""
    if not logs_of(batch):
        return []
    contents = {prepared.content_hash: prepared for prepared in batch}
    stored = stored_before(contents, account)
    return duplicates_in([each for key, each in contents.items() if key not in stored], contents, account)


def allows_duplicates(upload: Upload) -> bool:
    """Whether its sender wants its logs published again."""
    return any(entry.get("duplicate") == ALLOW for entry in upload.files)


def refuse_duplicates(batch: Collection[Prepared], contents: Collection[str], account: User | None) -> None:
    """Raises Conflict."""
    faults = list(_faults(duplicates_in(batch, contents, account)))
    if faults:
        raise Conflict(faults)


def _faults(found: Collection[Duplicate]) -> Iterator[Fault]:
    for each in found:
        yield Fault(each.log.pointer, each.reason)


def with_parameter(conflict: Conflict) -> Conflict:
    """For senders of requests: how to publish it again."""
    more = f". Send ?duplicate={ALLOW} to publish it again"
    return Conflict([Fault(fault.pointer, f"{fault.detail}{more}") for fault in conflict.faults])


def _duplicate(log: Member, prepared: Prepared, submission: Submission, account: User | None) -> Duplicate:
    facts = differs(submission.document, dict(prepared.content))
    names = dict.fromkeys(in_sentence(field_label(each["field"])) for each in facts)
    return Duplicate(log, submission, tuple(names), submission.submitted_by_id == (account and account.pk))
