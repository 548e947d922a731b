"""Forms of the account page: a new API token, a retraction, closing the account."""

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.exceptions import ValidationError

from submissions.models import ApiToken


class TokenForm(forms.Form):
    """A new API token of an account."""

    name = forms.CharField(
        max_length=100, help_text="What will use the token: “laptop”, “nightly benchmark”.", label="Name"
    )
    scopes = forms.MultipleChoiceField(
        choices=[
            (ApiToken.Scope.SUBMIT, "submit: upload results"),
            (ApiToken.Scope.RUN, "run: start benchmark runs, which cost money"),
        ],
        widget=forms.CheckboxSelectMultiple,
        label="Permissions",
    )
    expires_in_days = forms.TypedChoiceField(
        choices=[("30", "in 30 days"), ("90", "in 90 days"), ("365", "in a year"), ("", "never")],
        coerce=int,
        empty_value=None,
        required=False,
        initial="365",
        label="Expires",
    )

    def __init__(self, user: AbstractBaseUser | AnonymousUser, *args: Any, **kwargs: Any):
        self._user = user
        super().__init__(*args, **kwargs)

    def clean(self) -> dict[str, Any]:
        if ApiToken.objects.filter(user=self._user.pk).count() >= ApiToken.MAX_PER_ACCOUNT:
            raise forms.ValidationError(
                f"An account can have at most {ApiToken.MAX_PER_ACCOUNT} tokens. Revoke one that you no longer use."
            )
        return self.cleaned_data

    def save(self) -> str:
        """The text of the token; only its digest is stored."""
        text: str
        days = self.cleaned_data["expires_in_days"]
        _, text = ApiToken.objects.create(
            user=self._user,
            name=self.cleaned_data["name"],
            scopes=sorted(self.cleaned_data["scopes"]),
            expiry=days and timedelta(days=days),
        )
        return text


class RetractForm(forms.Form):
    reason = forms.CharField(
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Shown to everyone who opens the page of the submission.",
    )


class CloseForm(forms.Form):
    """The password again: whoever finds an open browser must not erase its owner."""

    password = forms.CharField(
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        label="Your password",
    )

    def __init__(self, user: AbstractBaseUser, *args: Any, **kwargs: Any):
        self._user = user
        super().__init__(*args, **kwargs)

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not self._user.check_password(password):
            raise ValidationError("This is not your password.")
        return password
