"""The site's database: pg_dump and pg_restore in the right version, called without a password in the command line."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper
from psycopg.conninfo import make_conninfo

from benchsite.backup.errors import BackupError
from benchsite.processes.embedded_servers import EmbeddedError, postgres_bin

DUMP, RESTORE = "pg_dump", "pg_restore"
PACKAGED = Path("/usr/lib/postgresql")  # Debian's place for several versions: <version>/bin


def server_version() -> int:
    """Of the site's PostgreSQL: 18."""
    connection.ensure_connection()
    return int(connection.connection.info.server_version) // 10_000


def count_rows(cursor: CursorWrapper) -> dict[str, int]:
    """Of every table of the site."""
    counts = {}
    for table in sorted(connection.introspection.table_names(cursor)):
        cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608  a table's name
        counts[table] = int(cursor.fetchone()[0])
    return counts


def run(tool: str, *arguments: str, at_least: int) -> None:
    """Run the tool on the site's database. Raises BackupError with what it wrote."""
    parameters = connection.get_connection_params()
    known = {option.keyword.decode() for option in psycopg.pq.Conninfo.get_defaults()}
    shown = {key: value for key, value in parameters.items() if key in known and key != "password"}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    if password := parameters.get("password"):
        environment["PGPASSWORD"] = str(password)
    done = subprocess.run(
        [tool_of(tool, at_least), "--no-password", f"--dbname={make_conninfo(**shown)}", *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        umask=0o077,
        check=False,
    )
    if done.returncode:
        raise BackupError(f"{tool} failed: {done.stderr.strip()[-2000:]}")


def tool_of(tool: str, at_least: int) -> Path:
    """The oldest one that is new enough: it reads and writes what the server understands. Raises BackupError."""
    versions = {path: version for path in _candidates(tool) if (version := _version(path))}
    suitable = [path for path, version in versions.items() if version >= at_least]
    if not suitable:
        available = ", ".join(str(version) for version in sorted(set(versions.values()))) or "none"
        raise BackupError(
            f"{tool} {at_least} or newer is needed for this database; versions on this machine: {available}."
            f" Install postgresql-client-{at_least}, or put its {tool} on the PATH."
        )
    return min(suitable, key=lambda path: versions[path])


def _candidates(tool: str) -> Iterator[Path]:
    """The wheel's, the one on the PATH, and those of Debian's packages."""
    with suppress(EmbeddedError):
        yield postgres_bin() / tool
    if on_path := shutil.which(tool):
        yield Path(on_path)
    yield from sorted(PACKAGED.glob(f"*/bin/{tool}"))


def _version(path: Path) -> int | None:
    with suppress(OSError):
        printed = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
        if match := re.search(r"(\d+)", printed):
            return int(match[1])
    return None
