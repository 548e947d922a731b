"""What readers report, and what moderators decided: a log that nobody can change."""

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import Case, F, When

from submissions.choices import Outcome, ReportReason
from submissions.models.results.publication import is_public
from submissions.models.versions.data_version import Subject, new_version_on


class DecisionQuerySet(models.QuerySet["ModerationDecision"]):
    def public(self) -> "DecisionQuerySet":
        """Without names; `public_submission` is null where the page of the submission is not public."""
        is_open = is_public("submission__") & models.Q(submission__isnull=False, submission__hidden_at=None)
        number = Case(When(is_open, then=F("submission_id")), default=None)
        return self.annotate(public_submission=number).defer("moderator", "account")


class ModerationDecision(models.Model):
    """Who decided what about which submission or account, when and why. PostgreSQL refuses to change or delete a row.

    The log outlives what it names: a private submission that its owner erases leaves its number here.
    """

    created_at = models.DateTimeField(auto_now_add=True)
    # null: by a command of the operators
    moderator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.DO_NOTHING, null=True, db_constraint=False, related_name="decisions"
    )
    submission = models.ForeignKey(
        "submissions.Submission", models.DO_NOTHING, null=True, db_constraint=False, related_name="decisions"
    )
    account = models.ForeignKey(  # of a decision about everything of an account
        settings.AUTH_USER_MODEL, models.DO_NOTHING, null=True, db_constraint=False, related_name="decisions_about"
    )
    outcome = models.CharField(max_length=20, choices=Outcome.pairs)
    reason = models.CharField(max_length=500)  # public

    objects = DecisionQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        triggers = [
            pgtrigger.Protect(name="append_only", operation=pgtrigger.Update | pgtrigger.Delete),
            new_version_on(pgtrigger.Insert, Subject.PAGES),
        ]

    def __str__(self) -> str:
        return f"{self.outcome}: {self.reason}"


class Report(models.Model):
    """A reader's complaint about a submission; open until a moderator decides about it."""

    MAX_TEXT = 2000

    submission = models.ForeignKey("submissions.Submission", on_delete=models.CASCADE, related_name="reports")
    reason = models.CharField(max_length=20, choices=ReportReason.pairs)
    text = models.TextField(max_length=MAX_TEXT, blank=True)
    reporter = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)  # null: no account
    address_hash = models.CharField(max_length=64, blank=True)  # limits how often one address reports; kept for a day
    created_at = models.DateTimeField(auto_now_add=True)
    resolved_at = models.DateTimeField(null=True)
    decision = models.ForeignKey(ModerationDecision, models.PROTECT, null=True, related_name="reports")

    texts_from_outside = ("text",)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["submission"], condition=models.Q(resolved_at=None), name="open_reports"),
            models.Index(fields=["address_hash", "created_at"], name="reports_of_an_address"),
        ]

    def __str__(self) -> str:
        return f"{self.reason}: submission {self.submission_id}"
