"""The secret key of a local site: made once, kept beside its data, readable by its owner only."""

import os
import secrets
import tempfile
from pathlib import Path


def secret_key_of(data_dir: Path) -> str:
    file = data_dir / "secret_key"
    if not file.exists():
        data_dir.mkdir(parents=True, exist_ok=True)
        _write_once(file, secrets.token_urlsafe(64))
    return file.read_text()


def _write_once(file: Path, text: str) -> None:
    """Of several processes that start together one writes, and none reads half a key."""
    descriptor, unfinished = tempfile.mkstemp(dir=file.parent, prefix=".secret_key")  # made with mode 0600
    with os.fdopen(descriptor, "w") as out:
        out.write(text)
    try:
        os.link(unfinished, file)
    except FileExistsError:
        pass  # another process was faster: its key counts
    finally:
        os.unlink(unfinished)
