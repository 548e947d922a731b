"""One snapshot of a backup: the dump of the database, the list of its files, the secret keys, and what it all is."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ValidationError

from benchsite.backup.errors import BackupError
from benchsite.storage.by_hash import StoredFile


class Manifest(BaseModel):
    """What one snapshot holds."""

    moment: datetime  # all that was committed before it is in the snapshot
    finished_at: datetime
    site_version: str
    postgres_version: int
    tables: dict[str, int]  # rows in each
    migrations: list[tuple[str, str]]
    database_sha256: str
    file_list_sha256: str
    files: int
    file_bytes: int
    absent: list[str]  # files whose bytes were not in the storage, or damaged: erased since, or lost

    @property
    def rows(self) -> int:
        return sum(self.tables.values())


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One snapshot in a backup's folder."""

    place: Path

    @property
    def name(self) -> str:
        return self.place.name

    @property
    def database(self) -> Path:
        return self.place / "database.dump"

    @property
    def file_list(self) -> Path:
        return self.place / "files.txt"

    @property
    def secret_key(self) -> Path:
        return self.place / "secret_key"

    @property
    def signing_key(self) -> Path:
        """Missing where the site had signed nothing yet."""
        return self.place / "signing_key.pem"

    def manifest(self) -> Manifest:
        """Raises BackupError."""
        try:
            return Manifest.model_validate_json((self.place / "manifest.json").read_bytes())
        except (OSError, ValidationError) as error:
            raise BackupError(f"snapshot {self.name} cannot be read: {error}") from error

    def write_manifest(self, manifest: Manifest) -> None:
        (self.place / "manifest.json").write_text(manifest.model_dump_json(indent=1) + "\n")

    def files(self) -> Iterator[StoredFile]:
        with self.file_list.open(encoding="utf-8") as lines:
            for line in lines:
                sha256, name = line.rstrip("\n").split("  ", 1)
                yield StoredFile(name, sha256)
