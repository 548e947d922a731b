"""Databases that this version cannot bring to its own state: an earlier version has to do it first."""

from collections.abc import Iterable

from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

UPGRADE_THROUGH = "591e9fb4"  # the last commit that has all migrations which the present ones replace


def refusal_of_database() -> str | None:
    """Why this database cannot be migrated; None where it can. Nothing is changed."""
    return refusal_of(MigrationRecorder(connection).applied_migrations())


def refusal_of(applied: Iterable[tuple[str, str]]) -> str | None:
    """The same of a site with these migrations."""
    names = set(applied)
    for migration in (MigrationLoader(None, replace_migrations=False).disk_migrations or {}).values():
        replaced = set(migration.replaces)
        if replaced & names and replaced - names:
            first = ".".join(min(replaced - names))
            return (
                f"this data is of a version before commit {UPGRADE_THROUGH}: {first} is missing. Start the site once"
                f" with that commit, then with this version. Nothing was changed."
            )
    return None


def replaced_migrations() -> set[tuple[str, str]]:
    loader = MigrationLoader(None, replace_migrations=False)
    return {name for migration in (loader.disk_migrations or {}).values() for name in migration.replaces}
