"""The folder of a backup: files by their hash, once each, and a folder for each snapshot of the database.

<folder>/benchsite-backup.json
         files/ab/ab12...              shared by the snapshots
         snapshots/20261122T041000Z/   manifest.json, database.dump, files.txt (sha256, name), secret_key,
                                       signing_key.pem
"""

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from benchsite.backup.errors import BackupError
from benchsite.backup.snapshot import Snapshot

FORMAT = 1
STAMP = "%Y%m%dT%H%M%SZ"
MARK = "benchsite-backup.json"
UNFINISHED = ".unfinished"


class BackupFolder:
    """A folder of backups; it holds the secret key, so only its owner may enter it."""

    def __init__(self, root: Path):
        self.root = root

    @classmethod
    def to_write(cls, root: Path) -> "BackupFolder":
        """Made if it is missing. Raises BackupError for a folder of something else."""
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            mark = root / MARK
            if not mark.exists():
                if any(root.iterdir()):
                    raise BackupError(
                        f"{root} contains other files: name a new or empty folder, or the folder of a backup"
                    )
                mark.write_text(json.dumps({"format": FORMAT}) + "\n")
            root.chmod(0o700)  # the secret key is inside
            folder = cls.to_read(root)
            for part in (folder.snapshots_folder, folder.files_folder):
                part.mkdir(exist_ok=True)
        except OSError as error:
            raise BackupError(f"cannot write to {root}: {error.strerror}") from error
        return folder

    @classmethod
    def to_read(cls, root: Path) -> "BackupFolder":
        """Raises BackupError for a folder without a backup, or one of a newer version."""
        try:
            version = json.loads((root / MARK).read_bytes())["format"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BackupError(f"{root} is not the folder of a backup: it has no readable {MARK}") from error
        if version != FORMAT:
            raise BackupError(f"{root} has format {version}; this version reads format {FORMAT}")
        return cls(root)

    @property
    def snapshots_folder(self) -> Path:
        return self.root / "snapshots"

    @property
    def files_folder(self) -> Path:
        return self.root / "files"

    def path_of(self, sha256: str) -> Path:
        return self.files_folder / sha256[:2] / sha256

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Raises BackupError while another process writes here."""
        with (self.root / "lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BackupError(f"another backup into {self.root} is running") from None
            yield

    def snapshots(self) -> list[Snapshot]:
        """The oldest first; unfinished ones are not among them."""
        places = sorted(self.snapshots_folder.iterdir()) if self.snapshots_folder.is_dir() else []
        return [Snapshot(place) for place in places if not place.name.startswith(".")]

    def snapshot(self, name: str | None) -> Snapshot:
        """The one of this name, by default the newest. Raises BackupError."""
        there = {snapshot.name: snapshot for snapshot in self.snapshots()}
        if not there:
            raise BackupError(f"{self.root} has no finished snapshot")
        if name is None:
            return there[max(there)]
        if name not in there:
            raise BackupError(f"{self.root} has no snapshot {name}; it has {', '.join(there)}")
        return there[name]

    @contextmanager
    def new_snapshot(self) -> Iterator[Snapshot]:
        """A folder to fill; it becomes a snapshot when `finish` renames it."""
        place = self.snapshots_folder / UNFINISHED
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(mode=0o700)
        try:
            yield Snapshot(place)
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def finish(self, unfinished: Snapshot, moment: datetime) -> Snapshot:
        name = moment.strftime(STAMP)
        taken = sum(snapshot.name.startswith(name) for snapshot in self.snapshots())
        final = self.snapshots_folder / (f"{name}-{taken + 1}" if taken else name)
        for path in unfinished.place.iterdir():
            path.chmod(0o600)
        os.sync()  # all of it is on the disk before it counts
        unfinished.place.rename(final)
        os.sync()
        return Snapshot(final)

    def prune(self, keep: int) -> list[str]:
        """Delete all but the newest `keep` snapshots, and the files that none of those has; the names deleted."""
        old = self.snapshots()[:-keep]
        for snapshot in old:
            shutil.rmtree(snapshot.place)
        if old:
            needed = {bytes.fromhex(file.sha256) for snapshot in self.snapshots() for file in snapshot.files()}
            for path in self.files_folder.glob("*/*"):
                if path.name.startswith(".") or bytes.fromhex(path.name) not in needed:
                    path.unlink()
        return [snapshot.name for snapshot in old]
