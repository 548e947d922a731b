"""Commands that are ready to be pasted, for whoever has just made a token."""

import shlex
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse


@dataclass(frozen=True, slots=True)
class Command:
    label: str
    text: str


def commands_with(token: str, request: HttpRequest) -> list[Command]:
    """Each holds the token: they are shown where the token is, and nowhere else."""
    site = request.build_absolute_uri("/").rstrip("/")
    index = request.build_absolute_uri(reverse("api:token-current"))
    header = f"Authorization: Bearer {token}"
    return [
        Command("Log in with the command line", shlex.join(["benchsite", "login", site, "--token", token])),
        Command("Check it with curl", shlex.join(["curl", "-H", header, index])),
    ]
