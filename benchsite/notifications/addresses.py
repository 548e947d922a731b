"""Where mails to an account go: to an address whose owner has confirmed it, or nowhere."""

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User


def verified_address(user: User) -> str | None:
    """The verified address of an account, the primary one where it has several."""
    verified = EmailAddress.objects.filter(user=user, verified=True).order_by("-primary", "pk")
    address: str | None = verified.values_list("email", flat=True).first()
    return address
