"""Which packs of data that come with the site are loaded."""

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from benchsite.env import words


def configured(folder: Path) -> list[str]:
    """PACKS: of the packs in `folder` those that it names, all where it is unset, none where it is empty."""
    if "PUBLIC_RUNS" in os.environ:
        raise ImproperlyConfigured(
            "PUBLIC_RUNS was replaced by PACKS: write PACKS= instead of PUBLIC_RUNS=0,"
            " and PACKS=public_runs instead of PUBLIC_RUNS=1"
        )
    packs = sorted(path.name for path in folder.iterdir() if path.is_dir())
    names = os.environ.get("PACKS")
    if names is None:
        return packs
    if unknown := [name for name in words(names) if name not in packs]:
        raise ImproperlyConfigured(f"PACKS is wrong: no pack {', '.join(unknown)}; there are {', '.join(packs)}")
    return list(dict.fromkeys(words(names)))
