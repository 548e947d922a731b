"""Takes a submission out of the lists for a stated reason; it is never deleted."""

from django.utils import timezone

from submissions.ingest.errors import IngestError
from submissions.models import Submission


def retract(submission: Submission, *, reason: str) -> None:
    """Retract for good; the page stays and says why. IngestError without a reason."""
    reason = reason.strip()
    if not reason:
        raise IngestError.at("#/reason", "is required")
    if len(reason) > 500:
        raise IngestError.at("#/reason", "must not have more than 500 characters")
    # of two at the same moment the first reason stays
    Submission.objects.filter(pk=submission.pk, retracted_at=None).update(
        retracted_at=timezone.now(), retraction_reason=reason
    )
    submission.refresh_from_db(fields=["retracted_at", "retraction_reason"])
