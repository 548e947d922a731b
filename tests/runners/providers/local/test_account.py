"""What the account of the runs cannot do: each attack is a real process of a run, against a real site's files."""

import os
import pwd
import shlex
import shutil
import subprocess
import sys
from contextlib import suppress

import pytest

from benchsite.keys.secret_key import secret_key_of
from benchsite.processes import embedded, embedded_servers
from runners.providers.base import NotAllowed
from runners.providers.local import account
from tests.runners.providers.contract import order_for
from tests.runners.providers.local.test_provider import wait_until

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="only root can start processes of another account")


class Machine:
    region, zones, instance_type = None, (None,), "this-machine"


@pytest.fixture
def data(open_folder, settings):
    """A site's data folder: its key, an upload, locks, and what a careless umask leaves open."""
    settings.DATA_DIR = open_folder
    secret_key_of(open_folder)
    (open_folder / "artifacts").mkdir()
    (open_folder / "artifacts/upload").write_text("a raw log")
    (open_folder / "services").mkdir()
    (open_folder / "services/start.lock").touch()
    (open_folder / "beat-schedule").write_text("when")
    for path in (open_folder, open_folder / "secret_key", open_folder / "artifacts"):
        path.chmod(0o755)
    return open_folder


@pytest.fixture
def run_here(data):
    """A function: exit status and output of a shell command on the node of a run."""
    from runners.providers.local.hosts import LocalHosts
    from runners.providers.local.provider import LocalProvider

    provider = LocalProvider(data / "runs")
    provider.launch(order_for(Machine, databases=1, clients=0))
    hosts = LocalHosts(data / "runs/run-1")

    def run(command):
        [done] = hosts.run({"db-0": command}, timeout_seconds=60).values()
        return done.exit_status, done.output

    run.hosts, run.provider, run.node = hosts, provider, data / "runs/run-1/db-0"
    yield run
    while not provider.terminate("run-1", None):
        pass


def test_a_run_has_an_account_that_owns_nothing_else(run_here):
    status, output = run_here("id -un; id -G; grep -E '^(NoNewPrivs|CapEff)' /proc/self/status; umask")

    assert status == 0
    entry = pwd.getpwnam("benchrun")
    assert output.split() == ["benchrun", str(entry.pw_gid), "CapEff:", "0" * 16, "NoNewPrivs:", "1", "0077"]
    assert entry.pw_uid not in (0, embedded_servers.service_account().pw_uid)


@pytest.mark.parametrize(
    "name", ["secret_key", "artifacts/upload", "beat-schedule", "services/start.lock", "", "runs", "artifacts"]
)
def test_a_run_reads_nothing_of_the_sites_data(data, run_here, name):
    read = f"cat {shlex.quote(str(data / name))}" if (data / name).is_file() else f"ls {shlex.quote(str(data / name))}"

    status, output = run_here(read)

    assert status != 0
    assert "Permission denied" in output


def test_what_appears_after_the_launch_is_closed_too(data, run_here):
    (data / "later").mkdir(mode=0o755)
    (data / "later/file").write_text("secret")
    run_here.hosts.start({"db-0": "true"}, job="next")

    assert run_here(f"cat {data}/later/file")[0] != 0
    (data / "later").chmod(0o755)  # as if made while the job runs
    run_here.hosts.look(["db-0"], job="next", path="x", offsets={})
    assert run_here(f"cat {data}/later/file")[0] != 0


def test_a_run_does_not_reach_the_database_or_redis_of_a_site(run_here):
    """Those of the test site are real: the same commands work for us."""
    place = embedded.place_of(os.environ["DATA_DIR"])
    psql = embedded_servers.postgres_bin() / "psql"
    ask_postgres = f"{psql} -h {place.sockets} -U postgres -Atc 'SELECT 1' postgres"
    ask_redis = [
        shlex.join(["python3", "-c", f"import socket; socket.socket(socket.AF_UNIX).connect({str(address)!r})"])
        for address in (place.redis_socket, place.cache_socket)
    ]
    for command in (ask_postgres, *ask_redis):
        assert subprocess.run(["sh", "-c", command], check=False, capture_output=True).returncode == 0

        status, output = run_here(command)

        assert status != 0
        assert "Permission denied" in output


def test_the_private_postgresql_of_a_run_reads_no_more_than_the_run(data, run_here):
    """Even a superuser of the database under test, who may run programs, is nobody on the machine."""
    server = "tools/postgresql/bin"
    run_here(f"{server}/initdb -D db -U bench --auth=trust >log 2>&1")
    options = "-c listen_addresses= -c unix_socket_directories=."
    status, output = run_here(f"{server}/pg_ctl -D db -o {shlex.quote(options)} -l server.log -w start >/dev/null")
    assert (status, output) == (0, "")
    theft = f"COPY (SELECT) TO PROGRAM 'cat {data}/secret_key'"

    status, output = run_here(f"{server}/psql -h /proc/self/cwd/db -U bench -c {shlex.quote(theft)} postgres")

    assert status != 0
    assert "Permission denied" in output + (run_here.node / "server.log").read_text()


def test_no_program_gives_a_run_more_rights(run_here):
    if shutil.which("su") is None:
        pytest.skip("there is no program with the set-user-ID bit to try")
    shutil.copy(shutil.which("id"), run_here.node / "as-root")
    (run_here.node / "as-root").chmod(0o4755)

    status, output = run_here("./as-root -u")

    assert (status, output.strip()) == (0, str(pwd.getpwnam("benchrun").pw_uid))


def test_a_link_to_the_sites_files_is_not_collected(data, run_here, tmp_path):
    run_here(f"mkdir trials && ln -s {data}/secret_key trials/log && ln -s /dev/zero trials/endless")

    from runners.hosts.hosts import HostLost

    for name in ("trials/log", "trials/endless", "trials/missing"):
        with suppress(HostLost):  # it may not read the target of the link
            assert run_here.hosts.fetch("db-0", name, str(tmp_path / "out")) is False
        assert not (tmp_path / "out").exists()


def test_the_site_writes_nowhere_else_through_a_link(data, run_here):
    from runners.hosts.hosts import HostLost

    run_here(f"ln -s {data}/artifacts conf && ln -s {data}/artifacts/upload target")

    with pytest.raises(HostLost, match="conf/new cannot be written"):
        run_here.hosts.put({"db-0": {"conf/new": b"x"}})
    run_here.hosts.put({"db-0": {"target": b"x"}})

    assert sorted(path.name for path in (data / "artifacts").iterdir()) == ["upload"]
    assert (data / "artifacts/upload").read_text() == "a raw log"


def test_a_run_cannot_say_which_machines_there_are(data, run_here):
    run_here('rm -f machine.json; echo \'{"name": "x", "tag": "run-2"}\' >machine.json')

    assert run_here.provider.machines("run-1", None) == []


def test_a_run_has_limits_and_is_the_first_to_end_when_memory_is_short(run_here, settings):
    settings.RUN_PROCESSES, settings.RUN_MEMORY_MIB, settings.MAX_LOCAL_MINUTES = 77, 256, 30
    take = "import sys; bytearray(300 * 2**20); print('taken')"

    status, output = run_here(
        f"cat /proc/self/oom_score_adj; ulimit -c; ulimit -t; {sys.executable} -c {shlex.quote(take)}"
    )

    assert output.split()[:3] == ["1000", "0", str(90 * 60 * os.cpu_count())]
    assert (status, "MemoryError" in output, "taken" in output) == (1, True, False)
    assert "77" in run_here("grep 'Max processes' /proc/self/limits")[1].split()


def test_a_process_that_hides_from_its_run_does_not_outlive_it(run_here, monkeypatch):
    from runners.providers.local import processes

    monkeypatch.setattr(processes, "STRAY_SECONDS", -1)
    run_here("cd / && setsid env -i sleep 7421 >/dev/null 2>&1 &")
    finding = ["pgrep", "--full", "^sleep 7421"]
    wait_until(lambda: subprocess.run(finding, check=False, capture_output=True).returncode == 0)
    while not run_here.provider.terminate("run-1", None):
        pass

    wait_until(lambda: subprocess.run(finding, check=False, capture_output=True).returncode)


def test_too_many_processes_end_the_run_and_not_the_machine(run_here, settings):
    settings.RUN_PROCESSES = 5  # of the account: those of other tests count too

    status, output = run_here("for n in $(seq 40); do sleep 30 >/dev/null 2>&1 & done; wait")

    assert status != 0
    assert "fork" in output.lower()


def test_a_run_of_one_site_cannot_become_the_account_of_the_site_or_its_database(settings, data):
    for name, reason in (("root", "root"), (embedded_servers.SERVICE_USER, "the database")):
        settings.RUN_ACCOUNT = name
        with pytest.raises(account.NoAccount, match=f"{name} is the account of {reason}"):
            account.own_account()
        assert account.has_own_account() is False


def test_where_no_account_can_be_added_nothing_is_launched(settings, data, monkeypatch):
    from runners.providers.local.provider import LocalProvider

    settings.RUN_ACCOUNT = "nobody-has-this-name"
    monkeypatch.setattr(account.shutil, "which", lambda name: None if name == "useradd" else f"/bin/{name}")

    with pytest.raises(NotAllowed, match="add a user named nobody-has-this-name"):
        LocalProvider(data / "runs").launch(order_for(Machine, databases=1, clients=0))
    assert LocalProvider(data / "runs").abilities.is_kept_apart is False


def test_the_embedded_services_open_no_port(run_here):
    """A run reaches whatever listens on this machine's addresses."""
    for name in ("postgres", "valkey-server"):
        listening = subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True, check=False).stdout
        assert name not in listening
