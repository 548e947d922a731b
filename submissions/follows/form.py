"""The form of a new follow, and that of a comment."""

from collections.abc import Sequence
from typing import Any

from django import forms

from submissions.api.number_fields import NumberField, WholeNumberField
from submissions.follows import manage
from submissions.models import ChangeComment


class FollowForm(forms.Form):
    """What is followed comes from the address; the cluster can be chosen here."""

    cluster = forms.ChoiceField(required=False, label="Cluster")
    by_email = forms.BooleanField(required=False, label="Email to your verified address")
    webhook_url = forms.CharField(
        required=False,
        max_length=500,
        label="Webhook",
        help_text="An https address that receives a signed POST. It is not shown again.",
        widget=forms.URLInput(attrs={"autocomplete": "off"}),
    )
    has_feed = forms.BooleanField(
        required=False, label="Feed", help_text="A secret address for a feed reader, which needs no sign-in."
    )
    threshold_percent = NumberField(
        unit="%",
        required=False,
        min_value=0.1,
        max_value=manage.MOST_PERCENT,
        label="Smallest change, percent",
        help_text="Empty: every significant change.",
    )
    quiet_after_days = WholeNumberField(
        unit="days",
        required=False,
        min_value=1,
        max_value=manage.MOST_DAYS,
        label="Days without a new result",
        help_text="Notify when no new result has arrived for this many days. Empty: never.",
    )

    def __init__(self, *args: Any, clusters: Sequence[tuple[str, str]], no_mail: str, **kwargs: Any):
        super().__init__(*args, **kwargs)
        choice = self.fields["cluster"]
        assert isinstance(choice, forms.ChoiceField)  # noqa: S101 declared above
        choice.choices = [("", "All clusters"), *clusters]
        if no_mail:
            self.fields["by_email"].disabled = True
            self.fields["by_email"].help_text = f"Not available: {no_mail}."


class CommentForm(forms.Form):
    text = forms.CharField(
        max_length=ChangeComment.MAX_TEXT,
        label="Comment",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Public, with the name of your account. Passwords and keys are masked.",
    )
