"""A new password revokes every API token: who has read the old one may have made some."""

from django.contrib.auth.models import AbstractBaseUser

from submissions.models import ApiToken


class RevokesTokens:
    """In AUTH_PASSWORD_VALIDATORS: Django calls `password_changed` whichever way a password is changed."""

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        """Every password is good to us."""

    def password_changed(self, password: str, user: AbstractBaseUser | None = None) -> None:
        if user is not None and user.pk is not None:
            ApiToken.objects.filter(user=user.pk).delete()

    def get_help_text(self) -> str:
        return "A new password signs you out elsewhere and revokes your API tokens."
