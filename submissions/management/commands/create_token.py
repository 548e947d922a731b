"""Prints a new API token, once and alone on standard output."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from submissions.models import ApiToken


class Command(BaseCommand):
    help = "Print a new API token of an account; the account is made when there is none."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="the account's name")
        parser.add_argument(
            "--scope",
            action="append",
            choices=ApiToken.Scope.values,
            help="what the token may do; repeat it for several (default: submit)",
        )
        parser.add_argument("--name", default="command line", help="what the token is called")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["name"]
        if not 1 <= len(name) <= 100:
            raise CommandError("--name takes 1 to 100 characters")
        with transaction.atomic():
            user, is_new = self._account(options["user"])
            scopes = sorted(set(options["scope"] or [ApiToken.Scope.SUBMIT]))
            _, token = ApiToken.objects.create(user=user, name=name, scopes=scopes)
        if is_new:
            self.stderr.write(f"made the account {user.get_username()}, which has no password yet")
        self.stdout.write(token)

    def _account(self, name: str) -> tuple[Any, bool]:
        """The account, and whether it was made here: without a password nobody can sign in."""
        model = get_user_model()
        found = model.objects.filter(username=name).first()
        if found:
            if not found.is_active:
                raise CommandError(f"the account {name} is not active")
            return found, False
        made = model(username=name)
        made.set_unusable_password()
        try:
            made.full_clean()
        except ValidationError as error:
            raise CommandError("; ".join(error.messages)) from error
        made.save()
        return made, True
