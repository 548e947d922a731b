"""The secret key of a local site: made once, kept beside its data, readable by its owner only."""

import os
import secrets
import tempfile
from pathlib import Path


def secret_key_file(data_dir: Path) -> Path:
    return data_dir / "secret_key"


def secret_key_of(data_dir: Path) -> str:
    file = secret_key_file(data_dir)
    if not file.exists():
        data_dir.mkdir(parents=True, exist_ok=True)
        _write_once(file, secrets.token_urlsafe(64))
    return file.read_text()


def replace_secret_key(data_dir: Path, key: str) -> None:
    """The key of a restored site."""
    os.replace(_written(data_dir, key), secret_key_file(data_dir))


def _written(folder: Path, text: str) -> str:
    descriptor, unfinished = tempfile.mkstemp(dir=folder, prefix=".secret_key")  # made with mode 0600
    with os.fdopen(descriptor, "w") as out:
        out.write(text)
    return unfinished


def _write_once(file: Path, text: str) -> None:
    """Of several processes that start together one writes, and none reads half a key."""
    unfinished = _written(file.parent, text)
    try:
        os.link(unfinished, file)
    except FileExistsError:
        pass  # another process was faster: its key counts
    finally:
        os.unlink(unfinished)
