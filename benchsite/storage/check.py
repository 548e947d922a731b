"""Whether the storage has the bytes of every row, unchanged."""

from dataclasses import dataclass, field

from django.core.files.storage import default_storage

from benchsite.storage.by_hash import StoredFile, sha256_of, stored_files
from benchsite.storage.orphans import files_without_rows


@dataclass
class Check:
    """What was found; `is_well` says whether every row has its bytes."""

    files: int = 0
    missing: list[StoredFile] = field(default_factory=list)
    damaged: list[StoredFile] = field(default_factory=list)
    without_rows: list[str] = field(default_factory=list)

    @property
    def is_well(self) -> bool:
        return not self.missing and not self.damaged


def check_storage(*, read: bool = True) -> Check:
    """Look at each file to which a row points; `read=False` only looks whether it is there."""
    result = Check()
    for file in sorted(set(stored_files())):
        result.files += 1
        if not read:
            if not default_storage.exists(file.name):
                result.missing.append(file)
            continue
        try:
            with default_storage.open(file.name) as stored:
                is_unchanged = sha256_of(stored) == file.sha256
        except FileNotFoundError:
            result.missing.append(file)
        else:
            if not is_unchanged:
                result.damaged.append(file)
    result.without_rows = files_without_rows()
    return result
