"""What the owner of a stored submission may still change: who sees it, what it supersedes, facts that are missing.

Measurements and stated facts never change. Every change is noted with its time, its author and the old values.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from pydantic import ConfigDict, Field, ValidationError

from benchsite.http.refusals import Refusal
from submissions.choices import Visibility
from submissions.ingest.changes.facts_added import add_facts
from submissions.ingest.checks.reproduced_trust import compare_again, fall_back, hold, look_for_reproductions
from submissions.ingest.document.faults import refusal
from submissions.ingest.document.submission import Publication
from submissions.ingest.secrets.facts import mask_facts
from submissions.models import MAX_ID, Change, Submission, new_link_key

CHANGEABLE_FOR = timedelta(hours=24)  # facts can be added, and a public result can be taken back

_Number = Annotated[int, Field(ge=1, le=MAX_ID, strict=True)]


class Amendment(Publication):
    """What an owner may change besides facts; what is not given stays."""

    supersedes: _Number | None = Field(None, description="Your older submission that this one replaces; null: none")


class AmendmentBody(Amendment):
    """The body of PATCH: missing facts at their places in the document beside it."""

    model_config = ConfigDict(extra="allow")


def change(submission: Submission, wanted: Mapping[str, Any], *, by: User) -> Submission:
    """Change what `wanted` names: all of it or, with a Refusal of every fault, nothing."""
    fields = {name: value for name, value in wanted.items() if name in Amendment.model_fields}
    facts = mask_facts({name: value for name, value in wanted.items() if name not in Amendment.model_fields})
    try:
        amendment = Amendment.model_validate(fields)
    except ValidationError as error:
        raise refusal(error) from error
    with transaction.atomic():
        locked = Submission.objects.select_for_update(no_key=True).get(pk=submission.pk)
        if locked.retracted_at is not None:
            raise Refusal.at("#", "this submission was retracted: it cannot be changed any more")
        _apply(locked, amendment, facts, by)
    return Submission.objects.get(pk=submission.pk)


def may_add_facts(submission: Submission) -> bool:
    """Whether it was stored less than a day ago."""
    return timezone.now() < facts_end(submission)


def facts_end(submission: Submission) -> datetime:
    """Until when missing facts can be added."""
    return submission.created_at + CHANGEABLE_FOR


def publish_embargoed() -> int:
    """Make the submissions plainly public whose embargo has ended, and compare them as storing does; how many."""
    over = Submission.objects.filter(embargo_until__lte=timezone.now(), retracted_at=None, hidden_at=None)
    numbers = list(over.values_list("pk", flat=True))
    for number in numbers:
        with transaction.atomic():
            submission = Submission.objects.select_for_update(no_key=True).get(pk=number)
            hold({submission.workload_id})
            Submission.objects.filter(pk=number).update(visibility=Visibility.PUBLIC, embargo_until=None, link_key=None)
            submission.refresh_from_db()
            look_for_reproductions([submission])
    return len(numbers)


def _apply(submission: Submission, amendment: Amendment, facts: Mapping[str, Any], by: User) -> None:
    was_open = submission.is_open
    values = {name: getattr(amendment, name) for name in amendment.model_fields_set if name != "supersedes"}
    changes = {name: [_json(getattr(submission, name)), _json(value)] for name, value in values.items()}
    _check_publication(submission, values)
    if "supersedes" in amendment.model_fields_set:
        older = _superseded(submission, amendment.supersedes)
        changes["supersedes"] = [submission.supersedes_id, older and older.pk]
        values["supersedes_id"] = older and older.pk
    if facts and not may_add_facts(submission):
        raise Refusal.at(
            "#", "facts can be added for 24 hours; after that, submit a better result that supersedes this"
        )
    hold({submission.workload_id})
    document = submission.document if facts else None
    changes |= add_facts(submission, facts) if facts else {}
    changes = {name: pair for name, pair in changes.items() if pair[0] != pair[1]}
    if not changes:
        return
    Change.objects.create(submission=submission, changed_by=by, values=changes, document=document)
    if values:
        values |= _link_key(submission, values)
        Submission.objects.filter(pk=submission.pk).update(**values, **_published_at(submission, values))
    _look_again(submission.pk, was_open=was_open, has_new_facts=document is not None)
    _fall_back_of_superseded(changes)


def _link_key(submission: Submission, values: Mapping[str, Any]) -> dict[str, Any]:
    """A new link for what becomes unlisted; a link ends with being unlisted."""
    visibility = values.get("visibility", submission.visibility)
    if visibility == submission.visibility:
        return {}
    return {"link_key": new_link_key() if visibility == Visibility.UNLISTED else None}


def _published_at(submission: Submission, values: Mapping[str, Any]) -> dict[str, Any]:
    """What is public already keeps its time."""
    was_public = submission.is_public
    for name, value in values.items():
        setattr(submission, name, value)
    if was_public and submission.is_public:
        return {}
    return {"published_at": submission.publication}


def _check_publication(submission: Submission, values: Mapping[str, Any]) -> None:
    """What others may have seen and cited for a day is not taken back: it can be retracted."""
    if not submission.is_public or not values:
        return
    after = Submission(
        visibility=values.get("visibility", submission.visibility),
        embargo_until=values.get("embargo_until", submission.embargo_until),
    )
    published_at = submission.published_at or submission.created_at
    if not after.is_public and timezone.now() - published_at >= CHANGEABLE_FOR:
        name = "embargo_until" if values.get("embargo_until") else "visibility"
        raise Refusal.at(f"#/{name}", "has been public for more than 24 hours: it can only be retracted or superseded")


def _superseded(submission: Submission, number: int | None) -> Submission | None:
    """The older one, of the same owner. Raises Refusal."""
    if number is None:
        return None
    older = Submission.objects.filter(pk=number, submitted_by=submission.submitted_by_id).first()
    if older is None or submission.submitted_by_id is None:
        raise Refusal.at("#/supersedes", f"there is no submission {number} of your own")
    others = Submission.objects.filter(supersedes=older.pk, retracted_at=None).exclude(pk=submission.pk)
    if other := others.first():
        raise Refusal.at("#/supersedes", f"submission {number} is superseded by submission {other.pk} already")
    step: Submission | None = older
    while step is not None:
        if step.pk == submission.pk:
            raise Refusal.at("#/supersedes", "must not lead back to this submission")
        step = step.supersedes
    return older


def _look_again(pk: int, *, was_open: bool, has_new_facts: bool) -> None:
    """What storing does for a public one, where it became public or its facts changed; else the reverse."""
    submission = Submission.objects.get(pk=pk)
    hold({submission.workload_id})
    if has_new_facts:
        compare_again(submission)
    elif was_open and not submission.is_open:
        fall_back(submission)
    elif submission.is_open and not was_open:
        look_for_reproductions([submission])


def _fall_back_of_superseded(changes: Mapping[str, Any]) -> None:
    for number in changes.get("supersedes", ()):
        if number is not None:
            fall_back(Submission.objects.get(pk=number))


def _json(value: Any) -> Any:
    if isinstance(value, Visibility):
        return value.value
    return value.isoformat() if hasattr(value, "isoformat") else value
