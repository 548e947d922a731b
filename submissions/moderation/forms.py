"""Forms of reports and decisions."""

from django import forms

from submissions.choices import Outcome, ReportReason
from submissions.models import Report
from submissions.moderation.bans import ALL_AT_ONCE
from submissions.moderation.decisions import EFFECTS, MAX_REASON
from submissions.moderation.sentences import OUTCOME_CHOICES

_PUBLIC = "Published in the moderation log: name nobody, and quote nothing that must not be public."


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
        help_text="What a moderator should look at, and how you know. Only moderators read it.",
    )


class DecisionForm(forms.Form):
    outcome = forms.ChoiceField(
        choices=[(outcome.value, OUTCOME_CHOICES[outcome]) for outcome in EFFECTS],
        widget=forms.RadioSelect,
        label="What to do",
    )
    reason = forms.CharField(
        max_length=MAX_REASON, widget=forms.Textarea(attrs={"rows": 3}), label="Reason", help_text=_PUBLIC
    )

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
