"""`manage.py prepare`: brings database, static files and published data to the state of this version. Repeatable."""

import gc
import hashlib
import secrets
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractUser
from django.contrib.staticfiles.finders import get_finders
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction

from benchsite.postgresql.older_sites import refusal_of_database
from benchsite.redis.servers import refuse_eviction_of_counters, remove_formerly_cached
from benchsite.storage.temporary import clear_abandoned

# What every site starts with, and what new rules make of its results; each finds out itself what is done already.
SEEDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("load_prices", {"source": "snapshot"}),
    ("load_published", {}),
    ("derive_data", {}),
)

ADMIN = "admin"


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--admin", action="store_true", help="create the first administrator and print the password"
        )
        parser.add_argument("--no-static", action="store_true", help="an image has its static files, and is read-only")

    def handle(self, *args: Any, admin: bool, no_static: bool, **options: Any) -> None:
        try:
            refuse_eviction_of_counters()
        except ImproperlyConfigured as error:
            raise CommandError(str(error)) from None
        remove_formerly_cached()
        clear_abandoned()
        if reason := refusal_of_database():
            raise CommandError(reason)
        self._say("migrating")
        with _little_garbage_collection():
            call_command("migrate", interactive=False, verbosity=0)
        if not no_static:
            collect_static(self._say)
        for command, arguments in SEEDS:
            if command in get_commands():
                self._say(command.replace("load_", "loading ").replace("derive_", "deriving "))
                call_command(command, **arguments)
        if admin and (password := first_administrator(self._say)):
            self.stdout.write(f"\n    First start: sign in as {ADMIN}, password {password}  (shown only now)\n\n")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


@contextmanager
def _little_garbage_collection() -> Iterator[None]:
    """On an empty database Django makes thousands of model classes: looking for garbage is a third of the time."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def collect_static(say: Callable[[str], None]) -> None:
    """Compressing takes seconds: only when a source has changed."""
    mark = settings.STATIC_ROOT / ".sources"
    sources = static_sources() if settings.STATIC_MANIFEST else ""
    if not sources or (mark.exists() and mark.read_text() == sources):
        return
    say("collecting static files")
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    mark.write_text(sources)


def first_administrator(say: Callable[[str], object]) -> str:
    """Make the first administrator; its password, or "" when there is one already, or none can be made."""
    users = get_user_model()
    with transaction.atomic():
        with connection.cursor() as cursor:  # of two starts at once the second finds the account of the first
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('first administrator', 0))")
        if users.objects.filter(is_superuser=True).exists():
            return ""
        account = users.objects.filter(username=ADMIN).first() or users(username=ADMIN)
        if account.pk and not _is_of_nobody(account):
            say(f"no administrator: {ADMIN} is someone's account; create another one with `manage.py createsuperuser`")
            return ""
        password = secrets.token_urlsafe(12)
        account.is_staff = account.is_superuser = True
        account.set_password(password)
        account.save()
    return password


def _is_of_nobody(account: AbstractUser) -> bool:
    """Made by `create_token`: whoever signs up has a password, and must not become an administrator by a name."""
    return account.is_active and not account.has_usable_password() and account.last_login is None


def static_sources() -> str:
    """A hash that changes when a static file is added, changed or removed, or the site is no longer this machine's."""
    digest = hashlib.sha256(b"local\n" if settings.LOCAL_SITE else b"")
    for path, storage in sorted(chain.from_iterable(f.list([]) for f in get_finders()), key=lambda found: found[0]):
        digest.update(f"{path} {storage.size(path)} {storage.get_modified_time(path).timestamp()}\n".encode())
    return digest.hexdigest()
