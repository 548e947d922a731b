"""The results of public articles that come with the site, stored through the same pipeline as any upload.

Each file of data/published/ holds what its submissions have in `common` and, by name, what each of them
adds or replaces: a JSON merge patch (RFC 7396). None of the articles names a licence of its figures.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from benchsite.http.refusals import Refusal
from submissions import licenses
from submissions.choices import Trust
from submissions.ingest.attach_prices import load_book
from submissions.ingest.document.submission import SubmissionDocument
from submissions.ingest.pipeline import Prepared, checked, prepare_checked
from submissions.ingest.store.store import Origin, store_all
from submissions.models import Submission, SubmissionQuerySet

FOLDER = Path(__file__).resolve().parent.parent / "data" / "published"

REPLACED = "Replaced: this version of the site has a corrected or completed transcription of its source."


@dataclass(frozen=True, slots=True)
class Loaded:
    created: int
    there_before: int
    replaced: int  # retracted: transcribed differently by an earlier version
    unpriced: int  # of all of them: with a throughput but no known price


@transaction.atomic
def load_published(folder: Path = FOLDER) -> Loaded:
    """Store the published results; loading them again changes nothing.

    A submission is immutable: when a file has changed since it was loaded, the changed document is a
    new submission and the old one is retracted with REPLACED; it comes back when its document does.
    Raises Refusal, whose pointers begin with the submission's name, for a document with faults.
    """
    prepared = _prepared(dict(documents(folder)))
    stored = store_all(prepared, submitted_by=None, origin=Origin(licenses.NOT_STATED))
    current = [result.submission.pk for result in stored]
    loaded().filter(pk__in=current, retraction_reason=REPLACED).update(retracted_at=None, retraction_reason="")
    loaded().filter(license="").update(license=licenses.NOT_STATED)  # of earlier versions
    old = loaded().filter(retracted_at=None).exclude(pk__in=current)
    created = sum(result.created for result in stored)
    return Loaded(
        created=created,
        there_before=len(stored) - created,
        replaced=old.update(retracted_at=timezone.now(), retraction_reason=REPLACED),
        unpriced=Submission.objects.with_rate().filter(pk__in=current, hourly_usd=None).count(),
    )


def loaded() -> SubmissionQuerySet:
    """What this module has stored: only packs store other results without a submitter."""
    return Submission.objects.filter(trust=Trust.HISTORICAL, submitted_by=None, pack="")


def documents(folder: Path = FOLDER) -> Iterator[tuple[str, dict[str, Any]]]:
    """(name, submission document) of every file, in the files' order."""
    for path in sorted(folder.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        for name, patch in content["submissions"].items():
            yield name, merge_patch(content["common"], patch)


def merge_patch(target: Any, patch: Any) -> Any:
    """RFC 7396: objects are merged, null removes a key, everything else replaces."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged


def _prepared(contents: dict[str, dict[str, Any]]) -> list[Prepared]:
    read = [_checked(name, content) for name, content in contents.items()]
    book = load_book(read)
    return [prepare_checked(document, trust=Trust.HISTORICAL, book=book) for document in read]


def _checked(name: str, content: dict[str, Any]) -> SubmissionDocument:
    try:
        return checked(content, Trust.HISTORICAL)
    except Refusal as error:
        raise Refusal.at(f"{name}{error.faults[0].pointer}", error.faults[0].detail) from error
