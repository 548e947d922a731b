"""The account of runs on this machine: never root, the site's own, or that of its database.

Only root can start processes of another account. A site of another user runs everything as that user: whoever starts
a run there may read what the site may read, so that only staff may (runners/creation.py).
"""

import os
import pwd
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings

from benchsite.processes import embedded_servers

RUNS, TOOLS = "runs", "tools"  # what runs need below DATA_DIR


class NoAccount(Exception):
    """Runs cannot have an account of their own; the text says why, for an operator."""


@dataclass(frozen=True, slots=True)
class Account:
    uid: int
    gid: int

    def arguments(self) -> dict[str, Any]:
        """For subprocess: nothing of root is left, not even its groups."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


def own_account() -> Account | None:
    """The account of the runs, created when it is missing; None where runs work as the site's own user.

    Raises NoAccount.
    """
    if os.getuid() != 0:
        return None
    entry = _entry(settings.RUN_ACCOUNT)
    others = {
        _owner(settings.DATA_DIR): "the site",
        _uid_of(embedded_servers.SERVICE_USER): "the database",
        0: "root",
    }
    if entry.pw_uid in others:
        raise NoAccount(f"RUN_ACCOUNT: {entry.pw_name} is the account of {others[entry.pw_uid]}: name another one")
    return Account(entry.pw_uid, entry.pw_gid)


def has_own_account() -> bool:
    """Whether runs are kept apart from the site."""
    try:
        account = own_account()
    except NoAccount:
        return False
    return account is not None and _may_become(account)


def close_data(data: Path) -> None:
    """Leave other accounts a way through the data folder to the runs, and to nothing else in it.

    Safe to repeat: what is new since the last time is closed too.
    """
    if os.getuid() != 0:
        return
    data.chmod(0o711)
    _close(data, open_to_runs={RUNS, TOOLS})
    (data / RUNS).chmod(0o711)


def _close(folder: Path, open_to_runs: set[str]) -> None:
    for path in folder.iterdir():
        if path.name in open_to_runs or path.is_symlink():
            continue
        with suppress(FileNotFoundError):  # a temporary file of another process
            if path.name == "services":
                _close(path, open_to_runs=set())  # the database's own account passes this folder
            elif (mode := path.stat().st_mode) & 0o077:
                path.chmod(mode & 0o700)


def _entry(name: str) -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        if not shutil.which("useradd"):
            raise NoAccount(f"runs need an account of their own: add a user named {name}") from None
    command = ["useradd", "--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"]
    done = subprocess.run([*command, "--shell", "/usr/sbin/nologin", name], capture_output=True, text=True, check=False)
    try:
        return pwd.getpwnam(name)  # also when another process was faster
    except KeyError:
        raise NoAccount(f"the account {name} of the runs cannot be added: {done.stderr.strip()[-200:]}") from None


@lru_cache
def _may_become(account: Account) -> bool:
    """Root of a container may lack the right to start processes of other accounts."""
    try:
        return subprocess.run(["true"], check=False, **account.arguments()).returncode == 0
    except OSError:
        return False


def _uid_of(name: str) -> int | None:
    try:
        return pwd.getpwnam(name).pw_uid
    except KeyError:
        return None


def _owner(folder: Path) -> int | None:
    return folder.stat().st_uid if folder.exists() else None
