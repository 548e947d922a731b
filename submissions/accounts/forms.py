"""Forms of the account page: a new API token, a retraction."""

from typing import Any

from django import forms
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

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
        help_text="Shown to everyone who opens the page of the submission.",
    )
