"""Local keeps the contract of the providers; and whatever a run has started on this machine ends with it."""

import errno
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import psutil
import pytest

from runners.providers.base import Leftover, NoCapacity, Provider, ProviderError, QuotaExceeded
from tests.runners.providers.clouds import Cloud, Fault
from tests.runners.providers.contract import ProviderContract, clear, order_for

ERRNO = {Fault.NO_CAPACITY: errno.ENOSPC, Fault.QUOTA: errno.EDQUOT, Fault.NOT_ALLOWED: errno.EACCES}


def refused(number: int):
    def raise_it(*_, **__):
        raise OSError(number, os.strerror(number))

    return raise_it


class ThisMachine(Cloud):
    region = None
    zones = (None,)
    instance_type = "this-machine"

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        # the package has a function of this name too
        provider = import_module("runners.providers.local.provider")
        from runners.providers.local import processes

        self.module, self.processes = provider, processes
        self.folder, self.monkeypatch = folder, monkeypatch
        self.written: list[tuple[str, str]] = []
        write = provider.write_facts

        def record(path, facts):
            write(path, facts)
            self.written.append((facts["tag"], facts["provider_id"]))

        monkeypatch.setattr(provider, "write_facts", record)

    def provider(self) -> Provider:
        return self.module.LocalProvider(self.folder / "runs")

    def provider_of_other_site(self) -> Provider:
        return self.module.LocalProvider(self.folder / "other" / "runs")

    def created(self, tag: str) -> list[str]:
        """Also what was written and given up, because another worker was faster."""
        there = {machine.provider_id for machine in self.provider().machines(tag, None)}
        return [made for its_tag, made in self.written if its_tag == tag and (not there or made in there)]

    def settle(self) -> None:
        """A folder is there at once, and gone at once."""

    @contextmanager
    def fail(self, fault: Fault, *, zone: str | None = None) -> Iterator[None]:
        number = ERRNO.get(fault, errno.EIO)
        with self.monkeypatch.context() as patch:
            patch.setattr(self.module, "make_machine", refused(number))
            if fault in (Fault.NOT_ALLOWED, Fault.THROTTLED):
                patch.setattr(self.module, "machines_in", refused(number))
                patch.setattr(self.processes, "of_run", refused(number))
            yield

    @contextmanager
    def lose_answers(self) -> Iterator[None]:
        with self.monkeypatch.context() as patch:
            patch.setattr(self.module, "machines_in", refused(errno.EIO))
            yield

    @contextmanager
    def refuse_terminate(self) -> Iterator[None]:
        with self.monkeypatch.context() as patch:
            patch.setattr(self.processes, "end", lambda *_, **__: False)
            yield


@pytest.fixture
def cloud(open_folder, monkeypatch) -> Iterator[ThisMachine]:
    machine = ThisMachine(open_folder, monkeypatch)
    yield machine
    for tag in ("run-1", "run-12"):
        clear(machine, machine.provider(), tag)


class TestLocal(ProviderContract):
    """The contract."""


@pytest.fixture
def provider(cloud):
    return cloud.provider()


@pytest.fixture
def node(cloud, provider):
    """The one node of a run."""
    provider.launch(order_for(cloud, databases=1, clients=0))
    return cloud.folder / "runs" / "run-1" / "db-0"


def start(node: Path, command: str) -> None:
    from runners.providers.local.hosts import LocalHosts

    LocalHosts(node.parent).start({"db-0": command}, job="work")
    wait_until((node / "ready").exists)


def wait_until(happens: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def commands_of(node: Path) -> list[str]:
    from runners.providers.local import processes

    return sorted(" ".join(process.cmdline()) for process in processes.of_run(node.parent, str(node.parent)))


@pytest.mark.parametrize(
    "command",
    [
        "touch ready; sleep 3600",
        pytest.param("(cd /; exec setsid sleep 3600) & touch ready", id="in another folder and session"),
        pytest.param("setsid env -i sleep 3600 & touch ready", id="without an environment"),
        pytest.param("touch ready; (sleep 3600; true) | cat", id="children of children"),
    ],
)
def test_terminate_ends_whatever_the_run_has_started(cloud, provider, node, command):
    start(node, command)
    wait_until(lambda: "sleep 3600" in commands_of(node))

    clear(cloud, provider, "run-1")

    assert commands_of(node) == []
    assert not node.parent.exists()


def test_a_process_that_does_not_want_to_end_is_asked_first_and_killed_later(cloud, provider, node):
    start(node, "trap '' TERM; touch ready; while true; do sleep 0.1; done")

    assert provider.terminate("run-1", None) is False
    asked = node.parent / ".ending"
    os.utime(asked, (0, 0))  # long ago
    clear(cloud, provider, "run-1")

    assert commands_of(node) == []


def test_processes_of_others_stay(cloud, provider, node):
    with subprocess.Popen(["sleep", "3600"], cwd=cloud.folder) as bystander:
        start(node, "touch ready; sleep 3600")
        clear(cloud, provider, "run-1")
        alive = bystander.poll() is None
        bystander.kill()

    assert alive


def test_a_job_knows_nothing_of_the_workers_environment(monkeypatch, node):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a secret")
    monkeypatch.setenv("BENCHSITE_SERVED_FROM", "/some/where")
    start(node, "env | sed 's/=.*//' >names; touch ready")

    names = set((node / "names").read_text().split())

    of_the_shell, of_this_machine = {"PWD", "OLDPWD", "_", "SHLVL"}, {"TZ", "JAVA_HOME"}
    assert names - of_the_shell - of_this_machine == {"PATH", "HOME", "LANG", "BENCHSITE_RUN", "BENCHSITE_SERVED_FROM"}


def test_nothing_of_a_run_works_as_root(node):
    start(node, "id -u >uid; touch ready")

    assert int((node / "uid").read_text()) != 0
    assert (node / "uid").stat().st_uid == node.stat().st_uid == int((node / "uid").read_text())


def test_nobody_else_reads_a_nodes_folder(node):
    assert node.stat().st_mode & 0o777 == 0o700


def test_a_node_finds_the_programs_of_postgresql(node):
    start(node, "tools/postgresql/bin/postgres --version >version; touch ready")

    assert (node / "version").read_text().startswith("postgres (PostgreSQL) ")


def test_what_a_dead_worker_left_half_made_is_no_machine_and_goes_with_the_run(cloud, provider):
    half = cloud.folder / "runs" / "run-1" / ".db-0.0badcafe"
    half.mkdir(parents=True)

    assert provider.machines("run-1", None) == []
    [found] = provider.leftovers(None)
    made_at = (cloud.folder / "runs" / "run-1").stat().st_mtime
    assert found == Leftover("folder", str(cloud.folder / "runs" / "run-1"), "run-1", found.expires_at)
    assert found.expires_at.timestamp() == pytest.approx(made_at + 3600)
    clear(cloud, provider, "run-1")
    assert provider.leftovers(None) == []


def test_a_folder_that_is_being_removed_does_not_hide_the_others_from_the_sweep(cloud, provider, node):
    (cloud.folder / "runs" / "run-12" / "db-0" / "data").mkdir(parents=True)

    assert {left.tag for left in provider.leftovers(None)} == {"run-1", "run-12"}


def test_runs_of_one_machine_have_addresses_of_their_own(cloud, provider):
    first = provider.launch(order_for(cloud, "run-1"))
    second = provider.launch(order_for(cloud, "run-12"))

    addresses = {machine.address for machine in [*first, *second]}
    assert len(addresses) == 8
    assert all(address.startswith("127.") for address in addresses)


def test_a_machine_without_the_programs_says_which(cloud, provider, monkeypatch):
    monkeypatch.setenv("PATH", str(cloud.folder))

    with pytest.raises(ProviderError, match="flock, prlimit, setpriv, setsid is missing"):
        provider.launch(order_for(cloud))


def test_more_nodes_than_addresses_are_refused(cloud, provider):
    with pytest.raises(QuotaExceeded, match="250 nodes at most; the plan has 301"):
        provider.launch(order_for(cloud, databases=300))


def test_a_full_disk_leaves_nothing_half_made(cloud, provider, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(cloud.module, "write_facts", refused(errno.ENOSPC))
        with pytest.raises(NoCapacity, match="the disk of this machine is full"):
            provider.launch(order_for(cloud))

    assert provider.machines("run-1", None) == []


def test_zombies_do_not_keep_a_run_alive(cloud, provider, node):
    with subprocess.Popen(["sleep", "3600"], cwd=node) as child:
        child.kill()
        wait_until(lambda: psutil.Process(child.pid).status() == psutil.STATUS_ZOMBIE)

        assert commands_of(node) == []
        assert provider.terminate("run-1", None) is True
