"""Whether an owner has corrected a result: the log may say so only where it is true."""

from django.db.models import Min, Q

from submissions.models import Change, Submission, is_public

NOT_CORRECTED = (
    "needs a correction: since the report, its owner has added no fact to it, and no public result supersedes it"
)


def is_corrected(submission: Submission) -> bool:
    """By a public result that supersedes it, or by facts that its owner added after the first open report."""
    superseded = Q(supersedes=submission.pk, retracted_at=None, hidden_at=None)
    if Submission.objects.filter(superseded & is_public()).exists():
        return True
    reported_at = submission.reports.filter(resolved_at=None).aggregate(first=Min("created_at"))["first"]
    added = Change.objects.filter(submission=submission, document__isnull=False)
    return (added.filter(changed_at__gt=reported_at) if reported_at else added).exists()
