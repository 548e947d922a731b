"""Which code answers: what other code has cached is not read, and a page that it sent is not "unchanged"."""

import hashlib
from functools import cache

from django.conf import settings

# `static` too: a page names its files by their content
FOLDERS = {
    "benchsite": "*.py",
    "submissions": "*.py",
    "runners": "*.py",
    "templates": "*",
    "static": "*",
    "docs": "*.md",
}


@cache
def code_version() -> str:
    """A digest of all of our code, templates and static files, computed once in a process."""
    digest = hashlib.sha256()
    for folder, pattern in FOLDERS.items():
        for path in sorted(settings.BASE_DIR.joinpath(folder).rglob(pattern)):
            if path.is_file():
                digest.update(str(path.relative_to(settings.BASE_DIR)).encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
