"""Forms of reports and decisions."""

from django import forms
from django.http import QueryDict

from submissions.choices import Outcome, ReportReason
from submissions.models import Report, Submission
from submissions.moderation.bans import ALL_AT_ONCE
from submissions.moderation.corrections import is_corrected
from submissions.moderation.decisions import EFFECTS, MAX_REASON
from submissions.moderation.sentences import OUTCOME_CHOICES

_OUTCOMES = [(outcome.value, OUTCOME_CHOICES[outcome]) for outcome in EFFECTS]
_PUBLIC = "Published in the moderation log: do not name anyone or quote anything that must not be public."


class ReportForm(forms.Form):
    reason = forms.ChoiceField(
        choices=[(reason.value, reason.label.capitalize()) for reason in ReportReason],
        widget=forms.RadioSelect,
        label="What is wrong?",
    )
    text = forms.CharField(
        required=False,
        max_length=Report.MAX_TEXT,
        widget=forms.Textarea(attrs={"rows": 4}),
        label="Details",
        help_text="What should a moderator look at, and how do you know? Only moderators read this.",
    )


class DecisionForm(forms.Form):
    """About one submission; “corrected” is offered where its owner has corrected it."""

    outcome = forms.ChoiceField(
        choices=_OUTCOMES,
        widget=forms.RadioSelect,
        label="What to do",
    )
    reason = forms.CharField(
        max_length=MAX_REASON, widget=forms.Textarea(attrs={"rows": 3}), label="Reason", help_text=_PUBLIC
    )

    def __init__(self, data: QueryDict | None, submission: Submission):
        super().__init__(data)
        if not is_corrected(submission):
            choices = [(value, label) for value, label in _OUTCOMES if value != Outcome.CORRECTED.value]
            self.fields["outcome"].choices = choices  # type: ignore[attr-defined] # a ChoiceField
            self.fields["outcome"].help_text = "“Corrected” is offered once its owner has corrected or superseded it."

    def clean_outcome(self) -> Outcome:
        return Outcome(self.cleaned_data["outcome"])


class AccountForm(forms.Form):
    outcome = forms.ChoiceField(
        choices=[(outcome.value, OUTCOME_CHOICES[outcome]) for outcome in ALL_AT_ONCE],
        widget=forms.RadioSelect,
        label="All submissions of this account",
    )
    close = forms.BooleanField(
        required=False,
        label="Close the account",
        help_text="It can no longer sign in; its API tokens are revoked, and its runs are cancelled.",
    )
    reason = forms.CharField(
        max_length=MAX_REASON, widget=forms.Textarea(attrs={"rows": 3}), label="Reason", help_text=_PUBLIC
    )

    def clean_outcome(self) -> Outcome:
        return Outcome(self.cleaned_data["outcome"])
