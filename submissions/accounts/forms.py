"""Forms of the account page."""

from typing import Any

from django import forms
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from submissions.models import ApiToken


class TokenForm(forms.Form):
    """A new token of the API for one account."""

    name = forms.CharField(max_length=100, help_text="What uses it: “laptop”, “nightly benchmark”.", label="Name")
    scopes = forms.MultipleChoiceField(
        choices=[
            (ApiToken.Scope.SUBMIT, "submit: upload results"),
            (ApiToken.Scope.RUN, "run: start benchmark runs, which cost money"),
        ],
        widget=forms.CheckboxSelectMultiple,
        label="It may",
    )

    def __init__(self, user: AbstractBaseUser | AnonymousUser, *args: Any, **kwargs: Any):
        self._user = user
        super().__init__(*args, **kwargs)

    def clean(self) -> dict[str, Any]:
        if ApiToken.objects.filter(user=self._user.pk).count() >= ApiToken.MAX_PER_ACCOUNT:
            raise forms.ValidationError(
                f"An account has at most {ApiToken.MAX_PER_ACCOUNT} tokens: revoke one that is not used."
            )
        return self.cleaned_data

    def save(self) -> str:
        """The token itself; only its digest is stored."""
        _, text = ApiToken.objects.create(
            user=self._user,
            name=self.cleaned_data["name"],
            scopes=sorted(self.cleaned_data["scopes"]),
        )
        return text


class RetractForm(forms.Form):
    reason = forms.CharField(
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Everybody who opens the submission reads it.",
    )
