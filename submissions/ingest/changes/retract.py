"""Takes a submission out of the lists for a stated reason; it is never deleted."""

from django.db import transaction
from django.utils import timezone

from benchsite.http.refusals import Refusal
from submissions.ingest.checks.reproduced_trust import fall_back, hold
from submissions.ingest.secrets.mask import mask_text
from submissions.models import Submission


def retract(submission: Submission, *, reason: str) -> None:
    """Retract for good: the page stays and shows the reason, and it reproduces nothing. Refusal without a reason.

    Secrets are masked in the reason, which is public.
    """
    reason = reason.strip()
    if not reason:
        raise Refusal.at("#/reason", "is required")
    if len(reason) > 500:
        raise Refusal.at("#/reason", "must not have more than 500 characters")
    reason = mask_text(reason)[:500]
    with transaction.atomic():
        hold({submission.workload_id})
        # of two at the same moment the first reason stays
        Submission.objects.filter(pk=submission.pk, retracted_at=None).update(
            retracted_at=timezone.now(), retraction_reason=reason
        )
        fall_back(submission)
    submission.refresh_from_db(fields=["retracted_at", "retraction_reason", "trust", "own_trust"])
