"""`manage.py rotate_signing_key`: the site signs with a new key; old ones stay listed."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from submissions.bundles.keys import published_keys, revoke, rotate


class Command(BaseCommand):
    help = "Sign bundles and receipts with a new key from now on. What old keys have signed can still be verified."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--compromised", action="store_true", help="the old key is revoked: it proves nothing")
        parser.add_argument("--revoke", metavar="KEY_ID", help="revoke this old key; make no new one")

    def handle(self, *args: Any, **options: Any) -> None:
        if key_id := options["revoke"]:
            self._revoke(key_id)
            return
        if settings.SIGNING_KEY:
            raise CommandError("the key is the setting SIGNING_KEY: change it, and start the site again")
        old, new = rotate()
        if options["compromised"]:
            revoke(old)
        self.stdout.write(f"new key {new}\nold key {old}{' (revoked)' if options['compromised'] else ', still listed'}")

    def _revoke(self, key_id: str) -> None:
        if any(key.key_id == key_id and key.is_current for key in published_keys()):
            raise CommandError("the site signs with this key: replace it with --compromised, which revokes it")
        if not revoke(key_id):
            raise CommandError(f"{key_id} is no key of this site, or was revoked before")
        self.stdout.write(f"revoked {key_id}")
