"""The secret key of a local site: made once, kept beside its data, readable by its owner only."""

import secrets
from pathlib import Path

from benchsite.keys import private_files


def secret_key_file(data_dir: Path) -> Path:
    return data_dir / "secret_key"


def secret_key_of(data_dir: Path) -> str:
    file = secret_key_file(data_dir)
    if not file.exists():
        private_files.write_once(file, secrets.token_urlsafe(64))
    return file.read_text()


def replace_secret_key(data_dir: Path, key: str) -> None:
    """The key of a restored site."""
    private_files.replace(secret_key_file(data_dir), key)
