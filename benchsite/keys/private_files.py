"""Small secret files of the site: made once, whole, and readable by its account only."""

import os
import tempfile
from pathlib import Path


def write_once(file: Path, text: str) -> None:
    """Of several processes that start together one writes, and none reads half a file."""
    unfinished = _written(file, text)
    try:
        os.link(unfinished, file)
    except FileExistsError:
        pass  # another process was faster: its file counts
    finally:
        os.unlink(unfinished)


def replace(file: Path, text: str) -> None:
    os.replace(_written(file, text), file)


def _written(file: Path, text: str) -> str:
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, unfinished = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}")  # made with mode 0600
    with os.fdopen(descriptor, "w") as out:
        out.write(text)
    return unfinished
