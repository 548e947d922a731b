"""Forms of accounts: sign-up, password reset, a new API token, a retraction, closing the account."""

from datetime import timedelta
from typing import Any

from allauth.account.forms import ResetPasswordForm, SignupForm
from django import forms
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import AbstractBaseUser, User
from django.contrib.auth.password_validation import get_default_password_validators, password_validators_help_text_html
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from submissions.accounts.tokens import RevokesTokens, make_token
from submissions.models import ApiToken
from submissions.tasks import mail_reset_link


class SignUpForm(SignupForm):
    """Does as much for an address that has an account as for a new one: the time it takes tells nobody which it is."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        # a new account has no sessions and no tokens that its password could end
        validators = [one for one in get_default_password_validators() if not isinstance(one, RevokesTokens)]
        self.fields["password1"].help_text = password_validators_help_text_html(validators)

    def try_save(self, request: HttpRequest) -> Any:
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        return super().try_save(request)


class ResetForm(ResetPasswordForm):
    """A worker looks whether there is an account: what is done here is the same, and takes the same time."""

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        email: str = self.cleaned_data["email"]
        mail_reset_link.delay(email, request.build_absolute_uri("/"))
        return email


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

    def __init__(self, user: User, *args: Any, **kwargs: Any):
        self._user = user
        super().__init__(*args, **kwargs)

    def save(self) -> str:
        """The text of the token; only its digest is stored. Raises Refusal."""
        days = self.cleaned_data["expires_in_days"]
        _, text = make_token(
            self._user,
            name=self.cleaned_data["name"],
            scopes=self.cleaned_data["scopes"],
            valid_for=days and timedelta(days=days),
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
