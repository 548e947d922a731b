"""The nodes of runs as folders of this machine: created completely or not at all, deleted with all their processes."""

import errno
import hashlib
import json
import os
import secrets
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchsite.processes import embedded_servers
from runners.choices import NodeState
from runners.distributions import load_tools
from runners.providers.base import (
    Abilities,
    Leftover,
    Machine,
    NoCapacity,
    NodeOrder,
    NodeRequest,
    NotAllowed,
    Provider,
    ProviderError,
    QuotaExceeded,
    TryAgain,
)
from runners.providers.local import processes
from runners.providers.local.account import Account, NoAccount, close_data, has_own_account, own_account
from runners.providers.local.cassandra import CassandraHere
from runners.providers.local.processes import MACHINE

MAX_MACHINES = 250  # addresses 127.x.y.1 to .250
ENDING = ".ending"  # its time is when the run's processes were asked to end
ASK_SECONDS = 20  # after that they are killed: PostgreSQL writes its memory to disk when it shuts down
WAIT_SECONDS = 3.0  # within one call
UNFINISHED_LIFE = timedelta(hours=1)  # of a folder whose worker died before its first machine


class LocalProvider(Provider):
    """`root` has a folder for each run, by its tag, and in it one for each node."""

    slug = "local"

    def __init__(self, root: Path) -> None:
        """`root`: the folder of the runs; tools/ next to it has what the operator has fetched."""
        self._root = root
        self._tools = root.parent / "tools"
        self._cassandra = CassandraHere(self._tools)

    @property
    def abilities(self) -> Abilities:  # type: ignore[override]
        """Checked on every call: what is missing may be installed while the site runs."""
        services = ("postgresql",) if self._cassandra.lacks() else ("postgresql", "cassandra")
        return Abilities(services=services, lists_at_once=True, runs_at_once=1, is_kept_apart=has_own_account())

    def lacks(self, service: str, version: str | None) -> str | None:
        return self._cassandra.lacks_version(version) if service == "cassandra" else None

    def lacks_tool(self, tool: str) -> str | None:
        return load_tools.lacks(self._tools, tool)

    def launch(self, order: NodeOrder) -> Sequence[Machine]:
        with _provider_errors():
            _check(order)
            order.check_wanted()
            folder = self._root / order.tag
            folder.mkdir(parents=True, exist_ok=True)
            if account := own_account():
                self._open(folder, account)
            for index, node in enumerate(order.nodes):
                if not (folder / node.name / MACHINE).exists():
                    make_machine(folder, order, node, index, {"postgresql": _postgres(), **self._links()})
        return self.machines(order.tag, None)

    def _open(self, folder: Path, account: Account) -> None:
        """Let the account of the runs reach the folder of this run and the programs, and nothing else of the site."""
        own = (folder, Path(sys.executable), Path(sys.executable).resolve(), _postgres())
        for path in (*own, *(path / "bin" for path in self._links().values())):
            embedded_servers.let_server_reach(path)
        close_data(self._root.parent)
        os.chown(folder, -1, account.gid)
        folder.chmod(0o710)

    def _links(self) -> Mapping[str, Path]:
        return {**self._cassandra.links(), **load_tools.links(self._tools)}

    def machines(self, tag: str, region: str | None) -> Sequence[Machine]:
        with _provider_errors():
            return [_machine(facts) for facts in machines_in(self._root / tag)]

    def terminate(self, tag: str, region: str | None) -> bool:
        with _provider_errors():
            folder = self._root / tag
            if not folder.exists():
                return not any(processes.of_run(folder, str(folder)))
            if not processes.end(folder, str(folder), seconds=WAIT_SECONDS, force=_patience_is_over(folder)):
                return False
            shutil.rmtree(folder, ignore_errors=True)
            processes.end_strays()
            return not folder.exists() and not any(processes.of_run(folder, str(folder)))

    def leftovers(self, region: str | None, unseen: dict[str, str] | None = None) -> Sequence[Leftover]:
        with _provider_errors():
            if not self._root.exists():
                return []
            return [left for folder in sorted(self._root.iterdir()) for left in _leftovers_in(folder)]


def _check(order: NodeOrder) -> None:
    if missing := [name for name in ("flock", "prlimit", "setpriv", "setsid") if shutil.which(name) is None]:
        raise ProviderError(f"runs on this machine need Linux with util-linux: {', '.join(missing)} is missing")
    if len(order.nodes) > MAX_MACHINES:
        raise QuotaExceeded(f"this machine supports {MAX_MACHINES} nodes at most; the plan has {len(order.nodes)}")


def make_machine(folder: Path, order: NodeOrder, node: NodeRequest, index: int, links: Mapping[str, Path]) -> None:
    """Write the node's folder under another name and rename it: of two workers one wins, and no folder is incomplete.

    `links`: the content of tools/ for the jobs.
    """
    unfinished = folder / f".{node.name}.{secrets.token_hex(4)}"
    unfinished.mkdir(mode=0o700)
    facts = {
        "name": node.name,
        "provider_id": f"local-{secrets.token_hex(8)}",
        "tag": order.tag,
        "owner": order.owner,
        "address": _address(folder, index),
        "launched_at": datetime.now(UTC).isoformat(),
        "expires_at": order.expires_at.isoformat(),
    }
    write_facts(unfinished / MACHINE, facts)
    tools = unfinished / "tools"
    tools.mkdir()
    for name, target in links.items():
        (tools / name).symlink_to(target)
    if account := own_account():
        os.chown(unfinished, account.uid, account.gid)
    try:
        unfinished.rename(folder / node.name)
    except OSError as error:
        shutil.rmtree(unfinished)
        if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
            raise


def write_facts(path: Path, facts: dict[str, Any]) -> None:
    path.write_text(json.dumps(facts))


def _postgres() -> Path:
    """The folder with the bin/ of the PostgreSQL that the site itself uses."""
    bin_folder: Path = embedded_servers.postgres_bin()
    return bin_folder.parent


def _address(folder: Path, index: int) -> str:
    """A loopback address; each run has different ones, so that no two use the same port."""
    mark = hashlib.sha256(os.fsencode(folder)).digest()
    return f"127.{1 + mark[0] % 254}.{mark[1]}.{1 + index}"


def machines_in(folder: Path) -> list[dict[str, Any]]:
    machines = []
    for node in sorted(folder.iterdir()) if folder.exists() else []:
        # a folder in creation has a dot; one in deletion may have lost its facts already
        if not node.name.startswith(".") and (facts := _facts_in(node)):
            machines.append(facts)
    return machines


def _facts_in(node: Path) -> dict[str, Any] | None:
    """What the site itself has written there: the folder belongs to the account of the runs."""
    try:
        descriptor = os.open(node / MACHINE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    with open(descriptor) as file:
        facts: dict[str, Any] | None = json.load(file) if os.fstat(descriptor).st_uid == os.getuid() else None
        return facts


def _machine(facts: dict[str, Any]) -> Machine:
    return Machine(
        name=facts["name"],
        provider_id=facts["provider_id"],
        state=NodeState.RUNNING,
        address=facts["address"],
        private_address=facts["address"],
        launched_at=datetime.fromisoformat(facts["launched_at"]),
    )


def _patience_is_over(folder: Path) -> bool:
    """Whether the processes were asked to end more than ASK_SECONDS ago; the first call starts the clock."""
    first_call = folder / ENDING
    if not first_call.exists():
        first_call.touch()
    return time.time() - first_call.stat().st_mtime > ASK_SECONDS


def _leftovers_in(folder: Path) -> Iterator[Leftover]:
    machines = machines_in(folder)
    for facts in machines:
        expires_at = datetime.fromisoformat(facts["expires_at"])
        yield Leftover("instance", facts["provider_id"], facts["tag"], expires_at)
    if not machines:
        made_at = datetime.fromtimestamp(folder.stat().st_mtime, UTC)
        yield Leftover("folder", str(folder), folder.name, made_at + UNFINISHED_LIFE)


@contextmanager
def _provider_errors() -> Iterator[None]:
    """Turn errors of the operating system into a ProviderError."""
    try:
        yield
    except PermissionError as error:
        raise NotAllowed(f"permission denied on this machine: {error}") from error
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise NoCapacity("the disk of this machine is full") from error
        if error.errno == errno.EDQUOT:
            raise QuotaExceeded("the disk quota of this account is used up") from error
        raise TryAgain(f"a file error on this machine: {error}") from error
    except (NoAccount, embedded_servers.EmbeddedError) as error:
        raise NotAllowed(str(error)) from error
