"""Prints the link of a new invitation, once and alone on standard output."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from submissions.accounts import invitations
from submissions.models import Invitation


class Command(BaseCommand):
    help = "Print a link with which one person can open an account, also where SIGNUP is invite."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--email", default="", help="send the link there too, if EMAIL_HOST is set")
        parser.add_argument("--note", default="", help="who it is for; shown to operators only")
        parser.add_argument("--days", type=int, default=invitations.VALID_FOR.days, help="default: %(default)s")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["days"] <= 365:
            raise CommandError("--days takes 1 to 365")
        invitation = Invitation(email=options["email"], note=options["note"])
        try:
            invitation.clean_fields(exclude=["digest", "expires_at"])
        except ValidationError as error:
            raise CommandError("; ".join(error.messages)) from error
        link = invitations.invite(invitation, valid_for=timedelta(days=options["days"]))
        if invitations.send(invitation, link):
            self.stderr.write(f"sent to {invitation.email}")
        self.stdout.write(link)
